//! Times as formats have them: dates of a calendar, those of DOS, and intervals since 1601.

use crate::Time;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// The seconds from 1601 to 1970.
const TO_1970: i64 = 11_644_473_600;

/// The intervals of 100 nanoseconds in a second.
const INTERVALS: u64 = 10_000_000;

impl Time {
    /// Converts a year, month and day with an hour, minute and second in UTC; none if there is no such time.
    pub fn from_calendar(date: [i64; 3], time: [i64; 3]) -> Option<Time> {
        let [month, day, hour, minute, second] =
            [date[1], date[2], time[0], time[1], time[2]].map(|number| i8::try_from(number).unwrap_or(-1));
        let year = i16::try_from(date[0]).ok()?;
        let time = DateTime::new(year, month, day, hour, minute, second, 0).ok()?;
        let seconds = time.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second();
        Some(Time { seconds, nanoseconds: 0 })
    }

    /// Converts a date and a time of day of DOS, in steps of 2 s and of a zone that is not stated, taken for UTC; none
    /// if the date is not set or there is no such time.
    pub fn from_dos(date: u16, time: u16) -> Option<Time> {
        let date = [1980 + (date >> 9), date >> 5 & 15, date & 31];
        Time::from_calendar(date.map(i64::from), [time >> 11, time >> 5 & 63, 2 * (time & 31)].map(i64::from))
    }

    /// Adds hundredths of a second, of which there are fewer than 200; more are none.
    pub(crate) fn with_hundredths(self, hundredths: u8) -> Time {
        match u32::from(hundredths) {
            more @ 0..=199 => {
                Time { seconds: self.seconds + i64::from(more / 100), nanoseconds: more % 100 * 10_000_000 }
            }
            _ => self,
        }
    }

    /// Converts intervals of 100 ns since 1601 (FILETIME).
    pub fn from_filetime(intervals: u64) -> Time {
        let seconds = (intervals / INTERVALS) as i64 - TO_1970;
        Time { seconds, nanoseconds: (intervals % INTERVALS) as u32 * 100 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_dos_are_those_of_the_calendar() {
        let seconds = |date, time| Time::from_dos(date, time).map(|time| time.seconds);
        assert_eq!(seconds(1 << 5 | 1, 0), Some(315_532_800));
        // 2000-02-29 12:34:56, 2107-12-31 23:59:58.
        assert_eq!(seconds(20 << 9 | 2 << 5 | 29, 12 << 11 | 34 << 5 | 28), Some(951_827_696));
        assert_eq!(seconds(127 << 9 | 12 << 5 | 31, 23 << 11 | 59 << 5 | 29), Some(4_354_819_198));
        for (date, time) in
            [(0, 0), (21 << 9 | 2 << 5 | 29, 0), (13 << 5 | 1, 0), (33, 24 << 11), (33, 60 << 5), (33, 30)]
        {
            assert_eq!(seconds(date, time), None);
        }
    }

    #[test]
    fn fewer_than_two_seconds_are_added() {
        let time = Time { seconds: 10, nanoseconds: 0 };
        assert_eq!(time.with_hundredths(199), Time { seconds: 11, nanoseconds: 990_000_000 });
        assert_eq!(time.with_hundredths(200), time);
    }

    #[test]
    fn numbers_beyond_a_calendar_are_none() {
        for number in [i64::MIN, -1, 256, i64::MAX] {
            assert_eq!(Time::from_calendar([2000, number, 1], [0; 3]), None);
            assert_eq!(Time::from_calendar([2000, 1, 1], [0, 0, number]), None);
        }
        assert_eq!(Time::from_calendar([i64::MAX, 1, 1], [0; 3]), None);
    }

    #[test]
    fn intervals_begin_in_1601() {
        let time = |intervals| Time::from_filetime(intervals);
        assert_eq!(time(1), Time { seconds: -TO_1970, nanoseconds: 100 });
        let intervals = 116_444_736_000_000_000;
        assert_eq!(time(intervals - 1), Time { seconds: -1, nanoseconds: 999_999_900 });
        assert_eq!(time(intervals + 10_000_001), Time { seconds: 1, nanoseconds: 100 });
        assert!(time(u64::MAX).seconds > 0);
    }
}
