//! Ages and budgets as they are typed.

use hashmill_digest::parse_size;
use std::time::Duration;

/// A limit of time or of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// A time.
    Time(Duration),
    /// Bytes.
    Bytes(u64),
}

/// The units of times. A capital M is a unit of bytes.
const UNITS: [(&str, u64); 5] = [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400), ("w", 604_800)];

/// Parses a time with its unit, such as `90d`.
///
/// # Errors
/// If it is none.
pub fn age(text: &str) -> Result<Duration, String> {
    let parts = UNITS.iter().find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)));
    let time = parts.and_then(|(number, seconds)| number.parse::<u64>().ok()?.checked_mul(*seconds));
    let time = time.filter(|seconds| *seconds > 0);
    time.map(Duration::from_secs).ok_or_else(|| "a number and s, m, h, d or w, such as 90d".to_string())
}

/// Parses a time with its unit, or a size.
///
/// # Errors
/// If it is neither.
pub fn limit(text: &str) -> Result<Limit, String> {
    if let Ok(time) = age(text) {
        return Ok(Limit::Time(time));
    }
    // A number without a unit may be meant as either, and so may a small letter.
    let bytes = parse_size(text).ok().filter(|bytes| *bytes > 0 && text.ends_with(char::is_uppercase));
    bytes.map(Limit::Bytes).ok_or_else(|| {
        "a time with its unit, such as 30m or 2h, or a size with its unit, such as 500G".to_string()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_tell_times_from_sizes() {
        let seconds = |seconds| Ok(Limit::Time(Duration::from_secs(seconds)));
        for (text, wanted) in [
            ("90s", seconds(90)),
            ("30m", seconds(1800)),
            ("2h", seconds(7200)),
            ("1w", seconds(604_800)),
            ("30M", Ok(Limit::Bytes(30 << 20))),
            ("500G", Ok(Limit::Bytes(500 << 30))),
            ("1KB", Ok(Limit::Bytes(1000))),
        ] {
            assert_eq!(limit(text), wanted, "{text}");
        }
        for text in ["", "0h", "0", "h", "-1d", "5x", "99999999999999999999d", "1.5h", "5k", "90"] {
            assert!(limit(text).is_err(), "{text}");
        }
    }
}
