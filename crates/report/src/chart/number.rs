//! Numbers as a reader of a chart wants them: short, with a prefix that fits the unit.

const BINARY: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const LARGE: [(f64, &str); 5] = [(1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M")];
const SMALL: [(f64, &str); 5] = [(1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"), (1e-12, "p")];

/// The text of `value` on an axis of this unit.
pub(crate) fn short(value: f64, unit: &str) -> String {
    match unit {
        "B" => bytes(value),
        "s" => seconds(value),
        _ => plain(value),
    }
}

/// A size in bytes with a binary prefix, such as `1.5 KiB`.
pub fn bytes(value: f64) -> String {
    let (mut value, mut step) = (value, 0);
    while value.abs() >= 1024.0 && step + 1 < BINARY.len() {
        value /= 1024.0;
        step += 1;
    }
    format!("{} {}", trimmed(value), BINARY[step])
}

fn seconds(value: f64) -> String {
    if value == 0.0 {
        return "0 s".into();
    }
    let fits = SMALL.iter().find(|(size, _)| value.abs() >= size * 0.999_999);
    let (size, prefix) = fits.unwrap_or(&SMALL[SMALL.len() - 1]);
    format!("{} {prefix}s", trimmed(value / size))
}

/// A number with a decimal prefix from a million on.
fn plain(value: f64) -> String {
    match LARGE.iter().find(|(size, _)| value.abs() >= size * 0.999_999) {
        Some((size, prefix)) => format!("{} {prefix}", trimmed(value / size)),
        None => trimmed(value),
    }
}

/// At most four digits that matter, without zeros at the end, with a thin gap between thousands.
fn trimmed(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let whole = value.abs().log10().floor() as i32 + 1;
    let places = (4 - whole).clamp(0, 12) as usize;
    let text = format!("{value:.places$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    match text.split_once('.') {
        Some((before, after)) => format!("{}.{after}", grouped(before)),
        None => grouped(text),
    }
}

/// Digits in groups of three, from five digits on.
fn grouped(digits: &str) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |rest| ("-", rest));
    if digits.len() < 5 {
        return format!("{sign}{digits}");
    }
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    format!("{sign}{}", groups.join("\u{2009}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_fit_the_unit() {
        for (value, unit, text) in [
            (0.0, "B", "0 B"),
            (1536.0, "B", "1.5 KiB"),
            (1099511627776.0, "B", "1 TiB"),
            (0.00002, "s", "20 µs"),
            (1e-3, "s", "1 ms"),
            (90.0, "s", "90 s"),
            (0.0, "s", "0 s"),
            (12_345.0, "", "12\u{2009}345"),
            (2_500_000.0, "hash/s", "2.5 M"),
            (0.25, "x", "0.25"),
            (-1200.0, "x", "-1200"),
            (1e6, "", "1 M"),
        ] {
            assert_eq!(short(value, unit), text);
        }
    }
}
