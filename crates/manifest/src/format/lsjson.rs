//! `rclone`: the files of a remote, as listed by `rclone lsjson --hash`.
//!
//! Source: rclone's documentation, "rclone lsjson".

use super::malformed::{Bad, Why};
use super::naming::{Naming, write_digest};
use super::objects::{ObjectRecords, Objects, has_key, map, text};
use super::several::without_digest;
use super::writer::{check_whole, text_name};
use super::{Hint, Layout, Reader, Writer};
use crate::{Record, Status, Time};
use serde_json::Value;
use std::io::{self, Read, Write};

/// The algorithms of rclone, and its names for those with other names here.
pub(super) const HOLDS: &[&str] = &[
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

pub(super) fn sniff(first: &[u8]) -> bool {
    let text = first.trim_ascii();
    let empty = text.strip_prefix(b"[").is_some_and(|rest| rest.trim_ascii() == b"]");
    empty || text.starts_with(b"[") && has_key(text, "Path") && has_key(text, "IsDir")
}

pub(super) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
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
    if several.is_empty() {
        return Ok(Some(Record { size, mtime, ..without_digest(path) }));
    }
    Ok(Some(Record { mtime, ..several.record(path, size)? }))
}

pub(super) fn writer(_: Layout) -> Box<dyn Writer> {
    Box::new(List { text: Vec::new(), any: false })
}

struct List {
    text: Vec<u8>,
    any: bool,
}

impl Writer for List {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"[\n")
    }

    fn record(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        if record.status != Status::Hashed {
            return Ok(());
        }
        check_whole(record, HOLDS)?;
        let path = text_name(&record.path, "JSON of rclone")?;
        let name = path.rsplit('/').next().unwrap_or(path);
        let time = record.mtime.and_then(Time::to_rfc3339).unwrap_or_default();
        self.text.clear();
        self.text.extend_from_slice(if self.any { b",\n" } else { b"" });
        let size = record.size.map_or("-1".to_string(), |size| size.to_string());
        write!(
            self.text,
            "{{\"Path\":{},\"Name\":{},\"Size\":{size},\"ModTime\":\"{time}\",\"IsDir\":false,\"Hashes\":{{",
            Value::from(path),
            Value::from(name)
        )?;
        for (place, named) in record.digests.iter().enumerate() {
            let comma = if place > 0 { "," } else { "" };
            write!(self.text, "{comma}\"{}\":\"", named.algorithm.name)?;
            write_digest(named, &mut self.text);
            self.text.push(b'"');
        }
        self.text.extend_from_slice(b"}}");
        out.write_all(&self.text)?;
        self.any = true;
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(if self.any { b"\n]\n" } else { b"]\n" })
    }
}
