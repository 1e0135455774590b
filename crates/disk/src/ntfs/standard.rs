//! The times and attributes of a file ($STANDARD_INFORMATION).

use super::attribute::STANDARD_INFORMATION;
use super::file::File;
use crate::fields::{le32, le64};
use crate::{Time, Times};

/// The seconds from 1601 to 1970.
const TO_1970: i64 = 11_644_473_600;

/// The intervals of 100 nanoseconds in a second.
const INTERVALS: u64 = 10_000_000;

/// Returns the times and the attributes of a file.
pub(super) fn facts(file: &File<'_>) -> (Times, u32) {
    let Some(attribute) = file.attributes(STANDARD_INFORMATION).next() else { return Default::default() };
    let bytes = attribute.resident().unwrap_or_default();
    let at = |offset| le64(bytes, offset).and_then(time);
    let times = Times { created: at(0), modified: at(8), changed: at(0x10), accessed: at(0x18) };
    (times, le32(bytes, 0x20).unwrap_or_default())
}

/// Converts intervals since 1601; none if there are none.
fn time(intervals: u64) -> Option<Time> {
    let seconds = (intervals / INTERVALS) as i64 - TO_1970;
    (intervals != 0).then_some(Time { seconds, nanoseconds: (intervals % INTERVALS) as u32 * 100 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_begin_in_1601() {
        assert_eq!(time(0), None);
        assert_eq!(time(1), Some(Time { seconds: -TO_1970, nanoseconds: 100 }));
        let intervals = 116_444_736_000_000_000;
        assert_eq!(time(intervals - 1), Some(Time { seconds: -1, nanoseconds: 999_999_900 }));
        assert_eq!(time(intervals + 10_000_001), Some(Time { seconds: 1, nanoseconds: 100 }));
        assert!(time(u64::MAX).is_some_and(|time| time.seconds > 0));
    }
}
