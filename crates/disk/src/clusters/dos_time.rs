//! Dates and times as DOS has them, of local time without a zone.

use crate::Time;

/// Returns the time of a date and of a time of day in steps of 2 s; none if the date is not set or there is no such day.
/// `FAT: General Overview of On-Disk Format`, version 1.03, "FAT Directory Structure", date and time formats.
pub(crate) fn date_time(date: u16, time: u16) -> Option<Time> {
    let (year, month, day) = (1980 + i64::from(date >> 9), i64::from(date >> 5 & 15), i64::from(date & 31));
    let (hour, minute, second) = (i64::from(time >> 11), i64::from(time >> 5 & 63), 2 * i64::from(time & 31));
    if !(1..=12).contains(&month) || day < 1 || day > days_in(year, month) {
        return None;
    }
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let seconds = days_since_1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
    Some(Time { seconds, nanoseconds: 0 })
}

/// Adds hundredths of a second, of which there are fewer than 200; more are none.
pub(crate) fn hundredths(time: Time, hundredths: u8) -> Time {
    match u32::from(hundredths) {
        more @ 0..=199 => {
            Time { seconds: time.seconds + i64::from(more / 100), nanoseconds: more % 100 * 10_000_000 }
        }
        _ => time,
    }
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the days between 1970 and a day of 1980 to 2107.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let years: i64 = (1970..year).map(|year| if days_in(year, 2) == 29 { 366 } else { 365 }).sum();
    let months: i64 = (1..month).map(|month| days_in(year, month)).sum();
    years + months + day - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let seconds = |date, time| date_time(date, time).map(|time| time.seconds);
        assert_eq!(seconds(1 << 5 | 1, 0), Some(315_532_800));
        // 2000-02-29 12:34:56, 2107-12-31 23:59:58.
        assert_eq!(seconds(20 << 9 | 2 << 5 | 29, 12 << 11 | 34 << 5 | 28), Some(951_827_696));
        assert_eq!(seconds(127 << 9 | 12 << 5 | 31, 23 << 11 | 59 << 5 | 29), Some(4_354_819_198));
        for (date, time) in [(0, 0), (21 << 9 | 2 << 5 | 29, 0), (13 << 5 | 1, 0), (33, 24 << 11), (33, 30)] {
            assert_eq!(seconds(date, time), None);
        }
        let time = Time { seconds: 10, nanoseconds: 0 };
        assert_eq!(hundredths(time, 199), Time { seconds: 11, nanoseconds: 990_000_000 });
        assert_eq!(hundredths(time, 200), time);
    }
}
