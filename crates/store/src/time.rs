//! Times as stores write them.

use chrono::DateTime;
use std::time::{Duration, SystemTime};

/// Reads a time of listings (RFC 3339) or of headers (RFC 9110, section 5.6.7) as seconds and nanoseconds since 1970.
pub(crate) fn parse(text: &str) -> Option<(i64, u32)> {
    let text = text.trim();
    let time = DateTime::parse_from_rfc3339(text).or_else(|_| DateTime::parse_from_rfc2822(text)).ok()?;
    Some((time.timestamp(), time.timestamp_subsec_nanos()))
}

/// Reads the expiry of credentials.
pub(crate) fn moment(text: &str) -> Option<SystemTime> {
    // Old caches of the AWS tools have `UTC` in place of `Z`.
    let (seconds, _) = parse(&text.replace("UTC", "Z"))?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_listings_and_headers_are_read() {
        assert_eq!(parse("2026-11-22T20:00:00.250Z"), Some((1_795_377_600, 250_000_000)));
        assert_eq!(parse("Sun, 22 Nov 2026 20:00:00 GMT"), Some((1_795_377_600, 0)));
        assert_eq!(parse("yesterday"), None);
    }

    #[test]
    fn times_of_credentials_are_read() {
        let day =
            |text| moment(text).map(|time| time.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs());
        assert_eq!(day("1970-01-02T00:00:00Z"), Some(86_400));
        assert_eq!(day("1970-01-02T00:00:00UTC"), Some(86_400));
        assert_eq!(day("1969-01-01T00:00:00Z"), None);
    }
}
