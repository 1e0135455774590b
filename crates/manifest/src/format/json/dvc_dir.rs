//! `dvc-dir`: a `.dir` file of DVC's cache, which lists a folder. hashmill writes the same bytes as DVC, so that their
//! MD5 is DVC's name for the folder.
//!
//! Source: DVC's documentation, "Internal Directories and Files", and files that DVC wrote.

use super::objects::{Objects, has_key, text};
use crate::Record;
use crate::format::file_list::FileList;
use crate::format::malformed::Bad;
use crate::format::values::naming::{Naming, write_digest};
use crate::format::writer::{below, cannot_carry, text_name};
use crate::format::{Hint, Layout, Made, Reader, Writer};
use serde_json::Value;
use std::io::{self, Read};

pub(in crate::format) const HOLDS: &[&str] = &["md5"];

pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    first.trim_ascii_start().starts_with(b"[") && has_key(first, "relpath")
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Objects { list: b"", read: |object, naming| vec![file(object, naming)] }.reader(input)
}

fn file(object: &Value, naming: &mut Naming) -> Result<Record, Bad> {
    let path = text(object, "relpath")?.as_bytes();
    naming
        .tagged(b"md5", text(object, "md5")?.as_bytes())
        .map(|named| Record::hashed(path.into(), None, vec![named]))
}

pub(in crate::format) fn writer(_: Layout) -> Box<dyn Writer> {
    FileList { holds: HOLDS, begin, between: ", ", item, end: |_, out| out.write_all(b"]") }.writer()
}

fn begin(_: &Made, text: &mut Vec<u8>) -> io::Result<()> {
    text.push(b'[');
    Ok(())
}

fn item(record: &Record, _: u64, text: &mut Vec<u8>) -> io::Result<()> {
    let path = text_name(below(&record.path), "DVC")?;
    let [named] = record.digests.as_slice() else {
        return Err(cannot_carry("DVC holds an MD5 of each file"));
    };
    text.extend_from_slice(b"{\"md5\": \"");
    write_digest(named, text);
    text.extend_from_slice(b"\", \"relpath\": \"");
    ascii(path, text);
    text.extend_from_slice(b"\"}");
    Ok(())
}

/// Appends a text as Python's `json` writes it: everything except visible ASCII is escaped.
fn ascii(name: &str, text: &mut Vec<u8>) {
    for letter in name.chars() {
        match letter {
            '"' => text.extend_from_slice(b"\\\""),
            '\\' => text.extend_from_slice(b"\\\\"),
            '\n' => text.extend_from_slice(b"\\n"),
            '\r' => text.extend_from_slice(b"\\r"),
            '\t' => text.extend_from_slice(b"\\t"),
            '\u{8}' => text.extend_from_slice(b"\\b"),
            '\u{c}' => text.extend_from_slice(b"\\f"),
            ' '..='~' => text.push(letter as u8),
            _ => letter
                .encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| text.extend_from_slice(format!("\\u{unit:04x}").as_bytes())),
        }
    }
}
