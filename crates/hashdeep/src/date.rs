//! Times as text, in UTC.

/// A calendar date and time.
struct CivilTime {
    date: (i64, i64, i64),
    time: (i64, i64, i64),
}

impl CivilTime {
    /// Converts seconds since 1970.
    fn from_seconds(seconds: i64) -> CivilTime {
        let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        CivilTime { date: date(days), time: (second / 3600, second / 60 % 60, second % 60) }
    }
}

/// Returns the date of a day, counted from the start of 1970. Years are counted from March, so that the leap day comes
/// last, in eras of 400 years with 146,097 days each.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (400 * era + year + next, month, day)
}

/// Formats a time for `-t`.
pub fn columns(seconds: i64) -> String {
    let CivilTime { date: (year, month, day), time: (hour, minute, second) } =
        CivilTime::from_seconds(seconds);
    format!("{year:04}:{month:02}:{day:02}:{hour:02}:{minute:02}:{second:02}")
}

/// Formats a time for DFXML.
pub fn iso(seconds: i64) -> String {
    let CivilTime { date: (year, month, day), time: (hour, minute, second) } =
        CivilTime::from_seconds(seconds);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_become_dates() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
        ] {
            assert_eq!(iso(seconds), text);
        }
        assert_eq!(columns(86_399), "1970:01:01:23:59:59");
    }
}
