//! Times: of MS-DOS (APPNOTE 6.3.10, 4.4.6), Unix and NTFS (4.5).

use crate::Time;

/// Returns the time of two numbers of MS-DOS, taken for UTC as its zone is not stated; none if it makes no sense.
pub(super) fn dos(time: u16, date: u16) -> Option<Time> {
    let [day, month, year] = [date & 31, (date >> 5) & 15, (date >> 9) + 1980].map(i64::from);
    let [second, minute, hour] = [(time & 31) * 2, (time >> 5) & 63, time >> 11].map(i64::from);
    let is_date = (1..=12).contains(&month) && day >= 1;
    let is_time = hour < 24 && minute < 60 && second < 60;
    let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
    (is_date && is_time).then_some(Time { seconds, nanoseconds: 0 })
}

/// Returns the time of 32 bits of Unix, which have a sign.
pub(super) fn unix(seconds: u32) -> Time {
    Time { seconds: i64::from(seconds.cast_signed()), nanoseconds: 0 }
}

/// Returns the time of intervals of 100 ns since 1601; none if it is not set.
pub(super) fn ntfs(intervals: u64) -> Option<Time> {
    let seconds = i64::try_from(intervals / 10_000_000).ok()?.checked_sub(11_644_473_600)?;
    let nanoseconds = u32::try_from(intervals % 10_000_000).ok()? * 100;
    (intervals != 0).then_some(Time { seconds, nanoseconds })
}

/// Returns the number of days from 1970 to a date. Years begin in March here, so that the leap day is the last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        let seconds = |time, date| dos(time, date).map(|time| time.seconds);
        assert_eq!(seconds(0, 0x21), Some(315_532_800));
        assert_eq!(seconds(12 << 11 | 34 << 5 | 28, 20 << 9 | 2 << 5 | 29), Some(951_827_696));
        for (time, date) in [(0, 0), (0, 13 << 5 | 1), (24 << 11, 0x21), (60 << 5, 0x21), (30, 0x21)] {
            assert_eq!(dos(time, date), None);
        }
        assert_eq!(unix(u32::MAX).seconds, -1);
        assert_eq!(ntfs(116_444_736_000_000_001), Some(Time { seconds: 0, nanoseconds: 100 }));
        assert_eq!(ntfs(0), None);
    }
}
