//! Times with zones: seven bytes in records (ECMA-119 9.1.5), seventeen in volume descriptors (8.4.26.1).

use crate::Time;

/// Returns the time in seven bytes; none if it is not set or makes no sense.
pub(super) fn moment(bytes: &[u8]) -> Option<Time> {
    let [year, month, day, hour, minute, second, zone] = *bytes else { return None };
    let date = [i64::from(year) + 1900, month.into(), day.into()];
    at(date, [hour, minute, second].map(i64::from), zone, 0)
}

/// Returns the time in sixteen digits and a zone; none if it is not set or makes no sense.
pub(super) fn long_moment(bytes: &[u8]) -> Option<Time> {
    let number = |from: usize, until: usize| {
        let digits = bytes.get(from..until)?;
        let add =
            |number: i64, digit: &u8| digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0'));
        digits.iter().try_fold(0, add)
    };
    let date = [number(0, 4)?, number(4, 6)?, number(6, 8)?];
    let time = [number(8, 10)?, number(10, 12)?, number(12, 14)?];
    at(date, time, *bytes.get(16)?, u32::try_from(number(14, 16)?).ok()? * 10_000_000)
}

/// Returns a time whose zone is a signed number of quarters of an hour.
fn at([year, month, day]: [i64; 3], time: [i64; 3], zone: u8, nanoseconds: u32) -> Option<Time> {
    let zone = i64::from(zone.cast_signed());
    if year == 0 || !(-48..=52).contains(&zone) {
        return None;
    }
    let time = Time::from_calendar([year, month, day], time)?;
    Some(Time { seconds: time.seconds - zone * 900, nanoseconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_their_zones() {
        let seconds = |bytes: &[u8]| moment(bytes).map(|time| time.seconds);
        assert_eq!(seconds(&[70, 1, 1, 0, 0, 0, 0]), Some(0));
        assert_eq!(seconds(&[70, 1, 1, 1, 0, 0, 4]), Some(0));
        assert_eq!(seconds(&[69, 12, 31, 16, 0, 1, 0_u8.wrapping_sub(32)]), Some(1));
        assert_eq!(seconds(&[100, 2, 29, 12, 34, 56, 0]), Some(951_827_696));
        assert_eq!(seconds(&[124, 3, 1, 0, 0, 0, 0]), Some(1_709_251_200));
        let long = long_moment(b"2000022912345607\x04").unwrap();
        assert_eq!((long.seconds, long.nanoseconds), (951_824_096, 70_000_000));
    }

    #[test]
    fn times_that_make_no_sense_are_none() {
        for bytes in [[0; 7], [70, 13, 1, 0, 0, 0, 0], [70, 1, 1, 24, 0, 0, 0], [70, 1, 1, 0, 0, 0, 60]] {
            assert_eq!(moment(&bytes), None);
        }
        assert_eq!(moment(&[70, 1, 1]), None);
        assert_eq!(long_moment(b"0000000000000000\0"), None);
        assert_eq!(long_moment(b"2000 22912345607\0"), None);
    }
}
