//! The header texts of EWF-E01: facts of the acquisition in tables, as EnCase 6 writes them.

use crate::acquisition::{Acquisition, Date};
use std::fmt::Write;

/// The categories of sources and subjects, which are empty.
const EMPTY_CATEGORIES: &str = "srce\n0\t1\np\tn\tid\tev\ttb\tlo\tpo\tah\tgu\taq\n0\t0\n\t\t\t\t\t-1\t-1\t\t\t\n\n\
    sub\n0\t1\np\tn\tid\tnu\tco\tgu\n0\t0\n\t\t\t\t1\t\n\n";

/// Returns the text of `header2`: UTF-16 with a byte-order mark, times in seconds since 1970.
pub(super) fn header2(facts: &Acquisition) -> Vec<u8> {
    let mut columns: Vec<(&str, String)> = vec![
        ("a", text(facts.description.as_deref())),
        ("c", text(facts.case_number.as_deref())),
        ("n", text(facts.evidence_number.as_deref())),
        ("e", text(facts.examiner.as_deref())),
        ("t", text(facts.notes.as_deref())),
        ("md", text(facts.model.as_deref())),
        ("sn", text(facts.serial.as_deref())),
    ];
    let seconds = |date: &Option<Date>| seconds(date).map(|seconds| seconds.to_string()).unwrap_or_default();
    columns.extend(end(facts, seconds));
    columns.push(("dc", String::new()));
    let text = format!("3\n{}\n{EMPTY_CATEGORIES}", table(&columns, "\n"));
    text.encode_utf16().fold(vec![0xff, 0xfe], |mut bytes, unit| {
        bytes.extend_from_slice(&unit.to_le_bytes());
        bytes
    })
}

/// Returns the text of `header`, which has only ASCII characters, and times in UTC.
pub(super) fn header(facts: &Acquisition) -> Vec<u8> {
    let ascii = |field: &Option<String>| text(field.as_deref()).replace(|char: char| !char.is_ascii(), "?");
    let mut columns: Vec<(&str, String)> = vec![
        ("c", ascii(&facts.case_number)),
        ("n", ascii(&facts.evidence_number)),
        ("a", ascii(&facts.description)),
        ("e", ascii(&facts.examiner)),
        ("t", ascii(&facts.notes)),
    ];
    columns.extend(end(facts, |date| seconds(date).map(civil).unwrap_or_default()));
    format!("1\r\n{}\r\n", table(&columns, "\r\n")).into_bytes()
}

/// Returns the columns that both texts have after their own.
fn end(facts: &Acquisition, date: impl Fn(&Option<Date>) -> String) -> [(&'static str, String); 5] {
    [
        ("av", text(facts.software_version.as_deref())),
        ("ov", text(facts.operating_system.as_deref())),
        ("m", date(&facts.acquired)),
        ("u", date(&facts.system_date)),
        ("p", "0".to_string()),
    ]
}

/// Returns the category `main`: a line of tags, and one of values.
fn table(columns: &[(&str, String)], end: &str) -> String {
    let (tags, values): (Vec<&str>, Vec<&str>) =
        columns.iter().map(|(tag, value)| (*tag, value.as_str())).unzip();
    format!("main{end}{}{end}{}{end}", tags.join("\t"), values.join("\t"))
}

/// Returns a text without the characters that separate fields.
fn text(field: Option<&str>) -> String {
    field.unwrap_or_default().replace(char::is_control, " ")
}

fn seconds(date: &Option<Date>) -> Option<i64> {
    if let Some(Date::Unix(seconds)) = date { Some(*seconds) } else { None }
}

/// Returns a time in UTC as year, month, day, hour, minute and second.
fn civil(seconds: i64) -> String {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Years begin in March here, so that leap days come last.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + i64::from(month <= 2);
    let mut text = format!("{year}");
    for part in [month, day, second / 3600, second / 60 % 60, second % 60] {
        // Writing to a string can't fail.
        let _ = write!(text, " {part}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, wanted) in [
            (0, "1970 1 1 0 0 0"),
            (951_782_399, "2000 2 28 23 59 59"),
            (951_782_400, "2000 2 29 0 0 0"),
            (1_709_251_199, "2024 2 29 23 59 59"),
            (1_796_047_107, "2026 11 30 13 58 27"),
            (4_107_542_400, "2100 3 1 0 0 0"),
        ] {
            assert_eq!(civil(seconds), wanted);
        }
    }

    #[test]
    fn no_value_gets_into_another_column() {
        let facts = Acquisition { notes: Some("a\tb\nc".into()), ..Acquisition::default() };
        let text = String::from_utf8(header(&facts)).unwrap();
        assert_eq!(text, "1\r\nmain\r\nc\tn\ta\te\tt\tav\tov\tm\tu\tp\r\n\t\t\t\ta b c\t\t\t\t\t0\r\n\r\n");
    }
}
