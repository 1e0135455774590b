//! Tables of CRC-32 that cfv and programs for collections of pictures write without a header: `NAME,SIZE,CRC,` (`.csv`),
//! `NAME,SIZE,CRC,FOLDER,` (`.csv4`) and `NAME,SIZE,` (`.csv2`, whose sizes alone prove nothing). Only read.
//!
//! Source: cfv's samples and manual.

use super::fields::Fields;
use crate::Record;
use crate::format::malformed::{Bad, Why};
use crate::format::read::content::content;
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::read::text::{is_comment, without_cr};
use crate::format::values::naming::{named_as, number};
use crate::format::values::several::without_digest;
use crate::format::{Hint, Reader};
use std::io::Read;

pub(in crate::format) fn starts(first: &[u8]) -> bool {
    let mut lines = content(first).peekable();
    let mut fields = Fields::divided_by(b',');
    lines.peek().is_some() && lines.all(|line| fields.split(line) && is_row(&fields))
}

/// Returns whether a line is a name, a size, possibly a CRC-32 and a folder, and a comma at its end.
fn is_row(fields: &Fields) -> bool {
    let mut texts = fields.iter().skip(1);
    let is_size = texts.next().is_some_and(|text| number(text).is_some());
    let is_crc = |text: &[u8]| text.len() == 8 && text.iter().all(u8::is_ascii_hexdigit);
    let is_end = fields.iter().last().is_some_and(<[u8]>::is_empty);
    is_end
        && is_size
        && (fields.len() == 3 || matches!(fields.len(), 4 | 5) && texts.next().is_some_and(is_crc))
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Box::new(LineReader::new(input, Rows { fields: Fields::divided_by(b',') }))
}

struct Rows {
    fields: Fields,
}

impl Parse for Rows {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        let line = without_cr(line);
        (!is_comment(line)).then(|| self.record(line))
    }
}

impl Rows {
    fn record(&mut self, line: &[u8]) -> Result<Record, Bad> {
        if !self.fields.split(line) || !is_row(&self.fields) {
            return Err(Bad::new("line", Why::Unrecognised));
        }
        let texts: Vec<&[u8]> = self.fields.iter().collect();
        let folder = texts.get(3).filter(|_| texts.len() == 5).copied().unwrap_or_default();
        let folder = folder.strip_suffix(b"\\").or(folder.strip_suffix(b"/")).unwrap_or(folder);
        let folder = folder.strip_prefix(b"\\").or(folder.strip_prefix(b"/")).unwrap_or(folder);
        let mark: &[u8] = if folder.contains(&b'\\') { b"\\" } else { b"/" };
        let path = if folder.is_empty() { texts[0].to_vec() } else { [folder, mark, texts[0]].concat() };
        if texts[0].is_empty() {
            return Err(Bad::new("name", Why::Missing));
        }
        let size = number(texts[1]);
        match texts.len() {
            3 => Ok(Record { size, ..without_digest(&path) }),
            _ => Ok(Record::hashed(path.into(), size, vec![named_as("crc32", texts[2])?])),
        }
    }
}
