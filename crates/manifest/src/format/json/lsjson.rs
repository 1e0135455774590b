//! `rclone`: the files of a remote, as listed by `rclone lsjson --hash`.
//!
//! Source: rclone's documentation, "rclone lsjson".

use super::objects::{ObjectRecords, Objects, has_key, map, text};
use crate::format::file_list::FileList;
use crate::format::malformed::{Bad, Why};
use crate::format::values::naming::Naming;
use crate::format::values::tags::write_digests;
use crate::format::writer::text_name;
use crate::format::{Hint, Layout, Made, Reader, Writer};
use crate::{Record, Time};
use serde_json::Value;
use std::io::{self, Read, Write};

/// The algorithms of rclone, and its names for those with other names here.
pub(in crate::format) const HOLDS: &[&str] = &[
    "md5",
    "sha1",
    "sha256",
    "sha512",
    "whirlpool",
    "crc32",
    "blake3",
    "xxh3",
    "xxh128",
    "dropbox",
    "hidrive",
    "mailru",
    "quickxor",
];

pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    let text = first.trim_ascii();
    let empty = text.strip_prefix(b"[").is_some_and(|rest| rest.trim_ascii() == b"]");
    empty || text.starts_with(b"[") && has_key(text, "Path") && has_key(text, "IsDir")
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Objects { list: b"", read }.reader(input)
}

fn read(object: &Value, naming: &mut Naming) -> ObjectRecords {
    file(object, naming).transpose().into_iter().collect()
}

/// Returns the record of a file; `None` for a folder.
fn file(object: &Value, naming: &mut Naming) -> Result<Option<Record>, Bad> {
    if object.get("IsDir") == Some(&Value::Bool(true)) {
        return Ok(None);
    }
    let path = text(object, "Path")?.as_bytes();
    let size = match object.get("Size") {
        None => None,
        Some(size) if size.as_i64() == Some(-1) => None,
        Some(size) => Some(size.as_u64().ok_or(Bad::new("Size", Why::Number))?),
    };
    let mtime = match object.get("ModTime").and_then(Value::as_str) {
        None | Some("") => None,
        Some(text) => Some(Time::from_rfc3339(text).ok_or(Bad::new("ModTime", Why::Time))?),
    };
    let several = object.get("Hashes").map(|hashes| map(hashes, naming)).transpose()?.unwrap_or_default();
    Ok(Some(Record { mtime, ..several.record_or_bare(path, size)? }))
}

pub(in crate::format) fn writer(_: Layout) -> Box<dyn Writer> {
    FileList { holds: HOLDS, begin, between: ",\n", item, end }.writer()
}

fn begin(_: &Made, text: &mut Vec<u8>) -> io::Result<()> {
    text.extend_from_slice(b"[\n");
    Ok(())
}

fn item(record: &Record, _: u64, text: &mut Vec<u8>) -> io::Result<()> {
    let path = text_name(&record.path, "JSON of rclone")?;
    let name = path.rsplit('/').next().unwrap_or(path);
    let time = record.mtime.and_then(Time::to_rfc3339).unwrap_or_default();
    let size = record.size.map_or("-1".to_string(), |size| size.to_string());
    write!(
        text,
        "{{\"Path\":{},\"Name\":{},\"Size\":{size},\"ModTime\":\"{time}\",\"IsDir\":false,\"Hashes\":{{",
        Value::from(path),
        Value::from(name)
    )?;
    write_digests(record, &[], ["\"", "\":\"", "\""], text)?;
    text.extend_from_slice(b"}}");
    Ok(())
}

fn end(items: u64, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(if items > 0 { b"\n]\n" } else { b"]\n" })
}
