//! `azure`: the blobs of a container as `az storage blob list` writes them, in JSON. Only read. A Content-MD5 is what the
//! client said; blobs without one, such as those of several blocks, are not checked.

use super::objects::{ObjectRecords, Objects, has_key, text};
use crate::Record;
use crate::format::malformed::{Bad, Why};
use crate::format::values::naming::{Naming, named_as};
use crate::format::values::several::Several;
use crate::format::{Hint, Reader};
use serde_json::Value;
use std::io::Read;

pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    first.trim_ascii_start().starts_with(b"[")
        && ["name", "contentSettings"].iter().all(|key| has_key(first, key))
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Objects { list: b"", read }.reader(input)
}

fn read(object: &Value, _: &mut Naming) -> ObjectRecords {
    let is_true = |key| object.get(key) == Some(&Value::Bool(true));
    let is_other = object.get("snapshot").is_some_and(|snapshot| !snapshot.is_null())
        || object.get("isCurrentVersion") == Some(&Value::Bool(false))
        || is_true("deleted");
    if is_other { Vec::new() } else { vec![blob(object)] }
}

fn blob(object: &Value) -> Result<Record, Bad> {
    let path = text(object, "name")?.as_bytes();
    let properties = object.get("properties").unwrap_or(object);
    let size = properties.get("contentLength");
    let size = size.map(|size| size.as_u64().ok_or(Bad::new("contentLength", Why::Number))).transpose()?;
    let settings = properties.get("contentSettings");
    let md5 = settings.and_then(|settings| settings.get("contentMd5").or(settings.get("contentMD5")));
    let mut several = Several::default();
    if let Some(md5) = md5.filter(|md5| !md5.is_null()) {
        let md5 = md5.as_str().ok_or(Bad::new("contentMd5", Why::Type))?;
        several.add(named_as("md5", md5.as_bytes()))?;
    }
    several.record_or_bare(path, size)
}
