//! Times as text: RFC 3339 in UTC.

use crate::Time;
use jiff::Timestamp;

impl Time {
    /// Formats the time as RFC 3339 in UTC, with as many decimals as needed; returns `None` outside the years -9999 to
    /// 9999, which the notation can't express.
    pub fn to_rfc3339(self) -> Option<String> {
        // jiff gives nanoseconds the sign of the seconds; ours are always positive.
        let whole = Timestamp::from_second(self.seconds).ok()?;
        let exact = whole.checked_add(jiff::SignedDuration::from_nanos(i64::from(self.nanoseconds))).ok()?;
        Some(exact.to_string())
    }

    /// Reads RFC 3339 text with any offset from UTC.
    pub fn from_rfc3339(text: &str) -> Option<Self> {
        let time: Timestamp = text.parse().ok()?;
        let nanoseconds = time.as_nanosecond();
        let seconds = nanoseconds.div_euclid(1_000_000_000);
        let rest = nanoseconds.rem_euclid(1_000_000_000);
        Some(Time { seconds: seconds as i64, nanoseconds: rest as u32 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_round_trip_before_and_after_1970() {
        for (seconds, nanoseconds, text) in [
            (0, 0, "1970-01-01T00:00:00Z"),
            (1_792_545_071, 120_000_000, "2026-10-21T01:11:11.12Z"),
            (-1, 999_999_999, "1969-12-31T23:59:59.999999999Z"),
        ] {
            let time = Time { seconds, nanoseconds };
            assert_eq!(Time::from_rfc3339(text), Some(time), "{text}");
            assert_eq!(time.to_rfc3339().as_deref(), Some(text));
        }
    }

    #[test]
    fn offsets_are_understood_and_nonsense_is_not() {
        let time = Time { seconds: 3600, nanoseconds: 0 };
        assert_eq!(Time::from_rfc3339("1970-01-01T02:00:00+01:00"), Some(time));
        assert_eq!(Time::from_rfc3339("yesterday"), None);
        assert_eq!(Time { seconds: i64::MAX, nanoseconds: 0 }.to_rfc3339(), None);
    }
}
