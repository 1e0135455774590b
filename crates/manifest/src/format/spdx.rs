//! `spdx`: the files of an SPDX document in JSON: those of SPDX 2.2 and 2.3, and `software_File`s of SPDX 3. Only read.
//!
//! Source: the specifications of SPDX 2.3 (ISO/IEC 5962) and 3.0.

use super::malformed::Bad;
use super::naming::Naming;
use super::objects::{Found, Objects, has_keys, pairs, text};
use super::several::{Several, without_digest};
use super::{Hint, Reader};
use crate::Record;
use serde_json::Value;
use std::io::Read;

pub(super) fn sniff(first: &[u8]) -> bool {
    has_keys(first, &["spdxVersion"])
}

pub(super) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Objects { list: b"files", read: |file, naming| vec![read(file, naming)] }.reader(input)
}

fn read(file: &Value, naming: &mut Naming) -> Result<Record, Bad> {
    let path = text(file, "fileName")?;
    let sums = file.get("checksums").map(|list| pairs(list, ["algorithm", "checksumValue"], naming));
    record(path, sums.transpose()?)
}

fn record(path: &str, several: Option<Several>) -> Result<Record, Bad> {
    match several.filter(|several| !several.is_empty()) {
        Some(several) => several.record(path.as_bytes(), None),
        None => Ok(without_digest(path.as_bytes())),
    }
}

/// A document of version 3.
pub(super) fn sniff3(first: &[u8]) -> bool {
    let context = memchr::memmem::find(first, b"spdx.org/rdf/3").is_some();
    context && has_keys(first, &["@context", "@graph"])
}

pub(super) fn reader3<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Objects { list: b"@graph", read: read3 }.reader(input)
}

fn read3(element: &Value, naming: &mut Naming) -> Found {
    let kind = element.get("type").or_else(|| element.get("@type")).and_then(Value::as_str);
    if !kind.is_some_and(|kind| kind == "software_File" || kind.ends_with("/Software/File")) {
        return Vec::new();
    }
    let mut file = || {
        let path = text(element, "name")?;
        let sums = element.get("verifiedUsing").map(|list| pairs(list, ["algorithm", "hashValue"], naming));
        record(path, sums.transpose()?)
    };
    vec![file()]
}
