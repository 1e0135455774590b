//! Times as RFC 3339 writes them.

/// Whether a text is a time with a date, seconds and an offset from UTC.
pub(crate) fn is_time(text: &str) -> bool {
    let Some((date, rest)) = text.split_at_checked(10) else { return false };
    let Some((time, rest)) = rest.split_at_checked(9) else { return false };
    let offset = match rest.strip_prefix('.') {
        None => rest,
        Some(fraction) => {
            let offset = fraction.trim_start_matches(|letter: char| letter.is_ascii_digit());
            if offset.len() == fraction.len() {
                return false;
            }
            offset
        }
    };
    is_date(date) && time.starts_with(['T', 't']) && is_clock(&time[1..], 60) && is_offset(offset)
}

fn is_date(text: &str) -> bool {
    let [Some(year), Some(month), Some(day)] = numbers(text, '-', [4, 2, 2]) else { return false };
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

fn is_clock(text: &str, seconds: u32) -> bool {
    let [Some(hour), Some(minute), Some(second)] = numbers(text, ':', [2, 2, 2]) else { return false };
    hour < 24 && minute < 60 && second <= seconds
}

fn is_offset(text: &str) -> bool {
    let clock = text.strip_prefix(['+', '-']);
    matches!(text, "Z" | "z") || clock.is_some_and(|clock| is_clock(&format!("{clock}:00"), 0))
}

/// Returns numbers of so many digits between separators.
fn numbers<const N: usize>(text: &str, between: char, digits: [usize; N]) -> [Option<u32>; N] {
    let mut parts = text.split(between);
    let found = digits.map(|digits| {
        let part = parts.next()?;
        let is_number = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse().ok().filter(|_| is_number)
    });
    if parts.next().is_none() { found } else { [None; N] }
}

#[cfg(test)]
mod tests {
    use super::is_time;

    #[test]
    fn times_are_whole() {
        for text in ["2020-02-29T23:59:60Z", "2019-01-01t02:03:04.5+23:59", "2019-12-31T00:00:00-05:00"] {
            assert!(is_time(text), "{text}");
        }
        for text in [
            "",
            "2019-01-01",
            "2019-01-01T02:03Z",
            "2019-01-01T02:03:04",
            "2019-02-29T02:03:04Z",
            "2019-01-01 02:03:04Z",
            "2019-01-01T02:03:04.Z",
            "2019-13-01T02:03:04Z",
            "2019-01-01T24:03:04Z",
            "2019-01-01T02:03:04+5:00",
            "2019-01-01T02:03:04+24:00",
            "2019-01-01T02:03:04ZZ",
            "é019-01-01T02:03:04Z",
        ] {
            assert!(!is_time(text), "{text}");
        }
    }
}
