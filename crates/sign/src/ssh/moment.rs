//! Times in files of allowed signers: `YYYYMMDD`, `YYYYMMDDHHMM` or `YYYYMMDDHHMMSS`, in the local time zone
//! unless a `Z` or `UTC` follows.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// A time.
pub type Moment = jiff::Timestamp;

/// Parses a time; `None` if it has another format.
pub fn moment(text: &str) -> Option<Moment> {
    let utc = ["UTC", "Z"].into_iter().find_map(|zone| without(text, zone));
    let digits = utc.unwrap_or(text);
    if !matches!(digits.len(), 8 | 12 | 14) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let part = |from: usize, to: usize| digits.get(from..to).map_or(Some(0), |part| part.parse().ok());
    let year = digits[..4].parse().ok()?;
    let (month, day) = (part(4, 6)?, part(6, 8)?);
    let (hour, minute, second) = (part(8, 10)?, part(10, 12)?, part(12, 14)?);
    let civil = DateTime::new(year, month, day, hour, minute, second, 0).ok()?;
    let zone = if utc.is_some() { TimeZone::UTC } else { TimeZone::system() };
    // The last representable day is out of range in some zones, but means "without end" anyway.
    Some(civil.to_zoned(zone).map_or(Moment::MAX, |zoned| zoned.timestamp()))
}

/// Strips a zone at the end, ignoring case.
fn without<'a>(text: &'a str, zone: &str) -> Option<&'a str> {
    let (digits, end) = text.split_at_checked(text.len().checked_sub(zone.len())?)?;
    end.eq_ignore_ascii_case(zone).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_utc() {
        for (text, wanted) in [
            ("20240229Z", "2024-02-29T00:00:00Z"),
            ("202402291234Z", "2024-02-29T12:34:00Z"),
            ("20240229123456UTC", "2024-02-29T12:34:56Z"),
            ("20240229z", "2024-02-29T00:00:00Z"),
        ] {
            assert_eq!(moment(text).unwrap().to_string(), wanted);
        }
        assert_eq!(moment("99991231235959Z"), Some(Moment::MAX));
        for bad in ["", "Z", "2024", "20230229Z", "20240229 Z", "2024022912Z", "20241301", "+0240101Z"] {
            assert_eq!(moment(bad), None, "{bad}");
        }
    }
}
