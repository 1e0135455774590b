//! The time and place of a manifest's creation, for formats that require them.

use crate::Time;
use hashmill_digest::{find, hash};

/// The time and place of a manifest's creation. With equal values, the same records give the same bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// The time.
    pub at: Time,
    /// The host name; empty if unknown.
    pub host: Box<[u8]>,
}

/// The values used if none are set: the beginning of 1970, and no name.
impl Default for Made {
    fn default() -> Self {
        Made { at: Time { seconds: 0, nanoseconds: 0 }, host: Box::default() }
    }
}

impl Made {
    /// Formats the time in whole seconds, in RFC 3339.
    pub(super) fn date(&self) -> String {
        let date = |at: Time| date(Time { nanoseconds: 0, ..at });
        date(self.at).or_else(|| date(Made::default().at)).unwrap_or_default()
    }

    /// Returns an identifier of the time and place: a UUID of version 8 (RFC 9562, section 5.8) from a SHA-256 of both.
    pub(super) fn id(&self) -> String {
        self.uuid("")
    }

    /// Returns an identifier of the part of this number.
    pub(super) fn id_of(&self, part: u64) -> String {
        self.uuid(&format!("\n{part}"))
    }

    fn uuid(&self, part: &str) -> String {
        let Time { seconds, nanoseconds } = self.at;
        let text = [format!("{seconds}.{nanoseconds:09}\n").as_bytes(), &self.host, part.as_bytes()].concat();
        let hex = find("sha256").map(|sha256| hash(sha256, &text).to_string()).unwrap_or_default();
        let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
        format!("{}-{}-8{}-a{}-{}", part(0, 8), part(8, 12), part(12, 15), part(15, 18), part(18, 30))
    }
}

/// Formats a time as required by XML and others; `None` outside the years 1 to 9999.
pub(super) fn date(time: Time) -> Option<String> {
    time.to_rfc3339().filter(|text| !text.starts_with('-') && !text.starts_with("0000"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_has_the_form_of_a_uuid_and_is_of_one_time_and_place() {
        let made =
            |nanoseconds, host: &[u8]| Made { at: Time { seconds: 7, nanoseconds }, host: host.into() };
        let id = made(0, b"a").id();
        let lengths: Vec<usize> = id.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12], "{id}");
        assert!(id.split('-').nth(2).unwrap().starts_with('8'));
        assert_eq!(id, made(0, b"a").id());
        assert!(id != made(1, b"a").id() && id != made(0, b"b").id());
    }

    #[test]
    fn a_date_has_whole_seconds_and_four_digits_of_a_year() {
        let made = |seconds| Made { at: Time { seconds, nanoseconds: 5 }, ..Made::default() };
        assert_eq!(made(1_792_545_071).date(), "2026-10-21T01:11:11Z");
        assert_eq!(made(i64::MAX).date(), "1970-01-01T00:00:00Z");
    }
}
