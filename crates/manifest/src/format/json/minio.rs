//! `mc`: the objects that `mc ls --json` (MinIO) and `s5cmd ls --json` list, a JSON object per line or a list of these. Only
//! read. ETags have the meaning that they have in [`super::s3`].

use super::objects::{ObjectRecords, Objects, has_key, text};
use super::s3::digest;
use crate::Record;
use crate::format::json;
use crate::format::malformed::{Bad, Why};
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::read::lines::peek;
use crate::format::values::naming::Naming;
use crate::format::values::several::without_digest;
use crate::format::{Hint, Reader};
use serde_json::Value;
use std::io::Read;

pub(in crate::format) fn starts(first: &[u8]) -> bool {
    first.trim_ascii_start().starts_with(b"[") && has_keys(first)
}

pub(in crate::format) fn sniff(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"{") && has_keys(line)
}

fn has_keys(text: &[u8]) -> bool {
    ["key", "etag", "type", "size"].iter().all(|key| has_key(text, key))
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    let (first, input) = peek(input);
    if first.trim_ascii_start().starts_with(b"[") {
        let read =
            |object: &Value, _: &mut Naming| -> ObjectRecords { object_of(object).into_iter().collect() };
        return Objects { list: b"", read }.reader(input);
    }
    Box::new(LineReader::new(input, ObjectLines))
}

struct ObjectLines;

impl Parse for ObjectLines {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return None;
        }
        match json::parse(line) {
            Ok(value) => object_of(&value),
            Err(source) => Some(Err(Bad::new("object", Why::Json(source)))),
        }
    }
}

/// Returns the record of an object; `None` for a folder or a deletion.
fn object_of(value: &Value) -> Option<Result<Record, Bad>> {
    let is_folder = value.get("type").and_then(Value::as_str).is_some_and(|kind| kind != "file");
    let is_failed = value.get("status").is_some_and(|status| status != "success");
    match () {
        _ if is_failed => Some(Err(Bad::new("answer", Why::Truncated))),
        _ if is_folder || value.get("isDeleteMarker") == Some(&Value::Bool(true)) => None,
        _ => Some(record(value)),
    }
}

fn record(value: &Value) -> Result<Record, Bad> {
    let path = key_of(text(value, "key")?).as_bytes();
    let size =
        value.get("size").map(|size| size.as_u64().ok_or(Bad::new("size", Why::Number))).transpose()?;
    let etag = text(value, "etag").unwrap_or_default().trim_matches('"');
    if etag.is_empty() {
        return Ok(Record { size, ..without_digest(path) });
    }
    let named = digest(etag, ["md5", "s3-etag"], size).map_err(|bad| bad.with_file(path))?;
    Ok(Record::hashed(path.into(), size, named.into_iter().collect()))
}

/// Returns the key of an object's location (`s3://BUCKET/KEY`), and any other name as it is.
pub(in crate::format) fn key_of(name: &str) -> &str {
    let below = ["s3://", "gs://"].iter().find_map(|scheme| name.strip_prefix(scheme));
    below.and_then(|below| below.split_once('/')).map_or(name, |(_, key)| key)
}
