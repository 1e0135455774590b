//! Case data as one line of JSON: an object whose only key is `case_start` or `case_end`.
//!
//! In `jsonl` it is a line of its own, in formats with comments it follows [`COMMENT`]. hashdeep rejects lines of 2048
//! bytes, so there it may be split into parts: all but the last one follow [`MORE`]. Characters that could end a line
//! or move a cursor are escaped.

use super::{About, Case};
use crate::format::MAX_LINE;
use crate::format::malformed::{Bad, Why};
use crate::format::read::text::without_cr;
use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter};
use std::io::{self, Write};
use std::mem::take;

/// The prefix of the object in a comment.
pub const COMMENT: &[u8] = b"# hashmill ";
/// The prefix of each part except the last.
pub const MORE: &[u8] = b"# hashmill+";
/// The maximum number of bytes of a part.
const PART: usize = 1900;

/// Serialises the object, without a line terminator.
///
/// # Errors
/// `InvalidInput` for a time that RFC 3339 can't express.
pub fn json(about: &About) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    write_json(&mut text, about).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
    Ok(text)
}

/// Writes a value as JSON in which hidden characters are escaped: some programs end a line at U+0085, U+2028 and U+2029.
pub(crate) fn write_json(text: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) -> serde_json::Result<()> {
    value.serialize(&mut serde_json::Serializer::with_formatter(text, Visible))
}

/// Returns a value as one line of JSON that no program cuts, without a line feed.
///
/// # Errors
/// If JSON can't hold the value.
pub fn json_line(value: &impl Serialize) -> serde_json::Result<String> {
    let mut text = Vec::new();
    write_json(&mut text, value)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

pub(crate) fn write_comment(about: &About, out: &mut dyn Write) -> io::Result<()> {
    let json = json(about)?;
    let mut rest = str::from_utf8(&json).map_err(io::Error::other)?;
    while rest.len() > PART {
        let end = (0..=PART).rfind(|at| rest.is_char_boundary(*at)).unwrap_or(PART);
        let (part, behind) = rest.split_at(end);
        out.write_all(&[MORE, part.as_bytes(), b"\n"].concat())?;
        rest = behind;
    }
    out.write_all(&[COMMENT, rest.as_bytes(), b"\n"].concat())
}

/// Reads an object and adds it to the case data.
pub(crate) fn read(json: &[u8], case: &mut Case) -> Result<(), Bad> {
    let about = serde_json::from_slice(json).map_err(|source| Bad::new("case data", Why::Json(source)))?;
    if case.take(about) { Ok(()) } else { Err(Bad::new("case data", Why::Twice)) }
}

/// The location of case data in a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CasePlace {
    /// Not supported.
    Nowhere,
    Comments,
    /// In lines that are objects.
    Objects,
}

/// Collects case data from the lines of a file.
#[derive(Debug, Default)]
pub(crate) struct CaseCollector {
    /// The parts so far of an object that is split over several lines.
    parts: Vec<u8>,
    case: Case,
}

impl CaseCollector {
    /// Returns the case data so far.
    pub fn case(&self) -> &Case {
        &self.case
    }

    /// Takes a line; returns `None` if it has no case data. A split object must be completed before any other line.
    pub fn line(&mut self, place: CasePlace, line: &[u8]) -> Option<Result<(), Bad>> {
        match place {
            CasePlace::Nowhere => None,
            CasePlace::Objects => is_object(line).then(|| self.take(line)),
            CasePlace::Comments => self.comment(without_cr(line)),
        }
    }

    /// Checks that no split object is incomplete at the end of the file.
    pub fn end(&mut self) -> Result<(), Bad> {
        if take(&mut self.parts).is_empty() { Ok(()) } else { Err(Bad::new("case data", Why::Truncated)) }
    }

    fn comment(&mut self, line: &[u8]) -> Option<Result<(), Bad>> {
        let begun = !self.parts.is_empty();
        let part = |mark: &[u8]| line.strip_prefix(mark).filter(|part| begun || part.starts_with(b"{"));
        if let Some(part) = part(MORE) {
            if self.parts.len() + part.len() > MAX_LINE {
                self.parts.clear();
                return Some(Err(Bad::new("case data", Why::TooLong(MAX_LINE))));
            }
            self.parts.extend_from_slice(part);
            return Some(Ok(()));
        }
        if let Some(part) = part(COMMENT) {
            self.parts.extend_from_slice(part);
            let json = take(&mut self.parts);
            return Some(self.take(&json));
        }
        self.end().err().map(Err)
    }

    fn take(&mut self, json: &[u8]) -> Result<(), Bad> {
        read(json, &mut self.case)
    }
}

/// Returns whether a comment holds case data.
pub(crate) fn is_comment(line: &[u8]) -> bool {
    [COMMENT, MORE].iter().any(|mark| line.strip_prefix(*mark).is_some_and(|json| json.starts_with(b"{")))
}

/// Returns whether the line is an object whose first key is `case_start` or `case_end`.
fn is_object(line: &[u8]) -> bool {
    let key = line.trim_ascii_start().strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    let ours = [&b"\"case_start\""[..], b"\"case_end\""];
    key.is_some_and(|key| ours.iter().any(|name| key.starts_with(name)))
}

/// Compact JSON in which control characters, and marks that reorder or break lines, are escaped.
struct Visible;

impl Formatter for Visible {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        if fragment.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') {
            return out.write_all(fragment.as_bytes());
        }
        for letter in fragment.chars() {
            if is_hidden(letter) {
                write!(out, "\\u{:04x}", letter as u32)?;
            } else {
                out.write_all(letter.encode_utf8(&mut [0; 4]).as_bytes())?;
            }
        }
        Ok(())
    }

    fn write_char_escape<W: ?Sized + Write>(&mut self, out: &mut W, escape: CharEscape) -> io::Result<()> {
        CompactFormatter.write_char_escape(out, escape)
    }
}

/// Returns whether a character is a control character or a mark: U+0085, Bidi_Control, line and paragraph separators.
pub(crate) fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_json_has_no_other_end() {
        let text = "a\u{85}b\u{2028}c\u{2029}d\u{7f}\u{20ac}é\n\"";
        let line = json_line(&text).unwrap();
        assert_eq!(line, "\"a\\u0085b\\u2028c\\u2029d\\u007f\u{20ac}é\\n\\\"\"");
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
    }
}
