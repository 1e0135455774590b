//! `bag-info.txt`: metadata for people, and the size of the payload.

use crate::Oxum;
use crate::text::lines;
use std::fmt;

/// Fields in order; labels may repeat.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Info {
    /// Labels and values. Folded lines are joined.
    pub fields: Vec<(String, String)>,
}

/// A field that can't be written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadField {
    /// The label is empty, or has a colon or surrounding white space.
    Label(String),
    /// The value has a control character, such as a line break, or surrounding white space.
    Value(String),
}

impl Info {
    /// Reads the fields. Also returns the numbers of malformed lines.
    pub fn parse(text: &str) -> (Info, Vec<u64>) {
        let (mut info, mut bad) = (Info::default(), Vec::new());
        for (number, line) in lines(text) {
            let folded = line.starts_with([' ', '\t']);
            match (info.fields.last_mut(), line.split_once(':')) {
                (Some((_, value)), _) if folded => {
                    value.push(' ');
                    value.push_str(line.trim());
                }
                (_, Some((label, value))) if !folded && !label.trim().is_empty() => {
                    info.fields.push((label.trim().to_string(), value.trim().to_string()));
                }
                _ => bad.push(number),
            }
        }
        (info, bad)
    }

    /// Returns the first value of a label, whose case is ignored.
    pub fn get(&self, label: &str) -> Option<&str> {
        self.fields
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(label))
            .map(|(_, value)| value.as_str())
    }

    /// Returns the number of fields with a label, whose case is ignored.
    pub fn count(&self, label: &str) -> usize {
        self.fields.iter().filter(|(known, _)| known.eq_ignore_ascii_case(label)).count()
    }

    /// Adds a field.
    ///
    /// # Errors
    /// [`BadField`] if reading would not give the same field back.
    pub fn add(&mut self, label: &str, value: &str) -> Result<(), BadField> {
        if label.is_empty() || label.trim() != label || label.contains([':', '\n', '\r']) {
            return Err(BadField::Label(label.into()));
        }
        if value.chars().any(char::is_control) || value.trim() != value {
            return Err(BadField::Value(value.into()));
        }
        self.fields.push((label.into(), value.into()));
        Ok(())
    }

    /// Returns the stated size of the payload; `Err` with its text if it is malformed.
    pub fn oxum(&self) -> Option<Result<Oxum, &str>> {
        self.get("Payload-Oxum").map(|text| text.parse().map_err(|()| text))
    }

    /// Returns the text of the file.
    pub fn text(&self) -> String {
        self.fields.iter().map(|(label, value)| format!("{label}: {value}\n")).collect()
    }
}

impl fmt::Display for BadField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadField::Label(label) => write!(f, "'{}' can't be a label", label.escape_debug()),
            BadField::Value(value) => {
                write!(f, "'{}' can't be a value: it must be one line", value.escape_debug())
            }
        }
    }
}

impl std::error::Error for BadField {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_lines_are_one_value() {
        let (info, bad) = Info::parse("A: one\n  two\n\tthree\nno field\nB:4\nb: 5\n");
        assert_eq!((info.get("a"), info.get("b"), info.get("c")), (Some("one two three"), Some("4"), None));
        assert_eq!((info.fields.len(), bad), (3, vec![4]));
    }

    #[test]
    fn what_is_written_is_read() {
        let mut info = Info::default();
        info.add("Contact-Name", "A: B").unwrap();
        info.add("Payload-Oxum", "12.3").unwrap();
        assert_eq!(Info::parse(&info.text()), (info.clone(), vec![]));
        assert_eq!(info.oxum(), Some(Ok(Oxum { octets: 12, streams: 3 })));
        for label in ["", " a", "a:b", "a\nb"] {
            assert!(info.add(label, "x").is_err(), "{label}");
        }
        assert!(info.add("a", "x\ny").is_err());
    }
}
