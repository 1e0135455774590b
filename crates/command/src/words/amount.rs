//! Amounts in a form for people.

use std::fmt;
use std::time::Duration;

/// A number of bytes, shown in powers of 1024: "1.50 GiB".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BinaryBytes(pub u64);

impl fmt::Display for BinaryBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.max(1).ilog2() / 10) as usize {
            0 => write!(f, "{} B", self.0),
            power => {
                let unit = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"][power - 1];
                write!(f, "{:.2} {unit}", self.0 as f64 / 1024_f64.powi(power as i32))
            }
        }
    }
}

/// Formats a number as "4,457".
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats bytes as "1.78 GB": three digits, units of 1000.
pub fn bytes(bytes: u64) -> String {
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64;
    let mut units = ["kB", "MB", "GB", "TB", "PB", "EB"].into_iter();
    let mut unit = "B";
    // A value that rounds to 1000 is shown in the next unit.
    while value >= 999.5 {
        let Some(next) = units.next() else { break };
        (value, unit) = (value / 1000.0, next);
    }
    match value {
        value if value < 9.995 => format!("{value:.2} {unit}"),
        value if value < 99.95 => format!("{value:.1} {unit}"),
        value => format!("{value:.0} {unit}"),
    }
}

/// Formats a time as "0.47 s", "12 s", "3 min 20 s", "2 h 5 min", "3 d 4 h".
pub fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 9.995 {
        return format!("{seconds:.2} s");
    }
    span(time)
}

/// Formats a time like [`time`], in whole seconds.
pub fn span(time: Duration) -> String {
    let seconds = time.as_secs_f64().round() as u64;
    let two = |number: u64, size: u64, (large, small): (&str, &str), part: u64| match number % size / part {
        0 => format!("{} {large}", number / size),
        rest => format!("{} {large} {rest} {small}", number / size),
    };
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => two(seconds, 60, ("min", "s"), 1),
        3600..86_400 => two(seconds, 3600, ("h", "min"), 60),
        _ => two(seconds, 86_400, ("d", "h"), 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_thousands_apart() {
        for (number, text) in [(0, "0"), (999, "999"), (4457, "4,457"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn bytes_have_three_digits() {
        for (number, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.00 kB"),
            (9_994, "9.99 kB"),
            (9_996, "10.0 kB"),
            (99_960, "100 kB"),
            (999_499, "999 kB"),
            (999_500, "1.00 MB"),
            (1_780_000_000, "1.78 GB"),
            (u64::MAX, "18.4 EB"),
        ] {
            assert_eq!(bytes(number), text);
        }
    }

    #[test]
    fn binary_units_are_powers_of_1024() {
        for (number, text) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.00 KiB"),
            (1_500_000, "1.43 MiB"),
            (1 << 40, "1.00 TiB"),
            (u64::MAX, "16.00 EiB"),
        ] {
            assert_eq!(BinaryBytes(number).to_string(), text);
        }
    }

    #[test]
    fn times_have_two_units_at_most() {
        for (seconds, text) in [
            (0.0, "0.00 s"),
            (0.472, "0.47 s"),
            (9.996, "10 s"),
            (59.4, "59 s"),
            (59.6, "1 min"),
            (200.0, "3 min 20 s"),
            (3600.0, "1 h"),
            (7510.0, "2 h 5 min"),
            (273_600.0, "3 d 4 h"),
        ] {
            assert_eq!(time(Duration::from_secs_f64(seconds)), text);
        }
        assert_eq!(span(Duration::from_millis(400)), "0 s");
    }
}
