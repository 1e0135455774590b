//! `cyclonedx`: the components of a CycloneDX document (JSON) that are files.
//!
//! Other components are packages with digests of their archives, not files of a folder. Source: ECMA-424, the JSON
//! schema of CycloneDX 1.6.

use super::objects::{ObjectRecords, Objects, has_keys, pairs, text};
use crate::Record;
use crate::format::file_list::FileList;
use crate::format::malformed::{Bad, Why};
use crate::format::values::naming::Naming;
use crate::format::values::tags::{TagRow, algorithms, write_digests};
use crate::format::writer::text_name;
use crate::format::{Hint, Layout, Made, Reader, Writer};
use serde_json::Value;
use std::io::{self, Read, Write};

/// The algorithms of the schema, and its names for them.
const ALGORITHMS: [TagRow; 11] = [
    ("md5", "MD5"),
    ("sha1", "SHA-1"),
    ("sha256", "SHA-256"),
    ("sha384", "SHA-384"),
    ("sha512", "SHA-512"),
    ("sha3-256", "SHA3-256"),
    ("sha3-384", "SHA3-384"),
    ("sha3-512", "SHA3-512"),
    ("blake2b-256", "BLAKE2b-256"),
    ("blake2b-512", "BLAKE2b-512"),
    ("blake3", "BLAKE3"),
];

pub(in crate::format) const HOLDS: &[&str] = &algorithms(&ALGORITHMS);

/// The maximum depth of nested components.
const DEEPEST: usize = 32;

pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    has_keys(first, &["bomFormat"])
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Objects { list: b"components", read }.reader(input)
}

fn read(component: &Value, naming: &mut Naming) -> ObjectRecords {
    let mut found = Vec::new();
    files(component, naming, 0, &mut found);
    found
}

/// Collects the files of a component and of its nested components.
fn files(component: &Value, naming: &mut Naming, depth: usize, found: &mut ObjectRecords) {
    if component.get("type").and_then(Value::as_str) == Some("file") {
        found.push(file(component, naming));
    }
    let inner = component.get("components").and_then(Value::as_array).filter(|inner| !inner.is_empty());
    let Some(inner) = inner else { return };
    if depth == DEEPEST {
        found.push(Err(Bad::new("components", Why::Deep(DEEPEST))));
        return;
    }
    inner.iter().for_each(|inner| files(inner, naming, depth + 1, found));
}

fn file(component: &Value, naming: &mut Naming) -> Result<Record, Bad> {
    let path = text(component, "name")?.as_bytes();
    let hashes = component.get("hashes").map(|hashes| pairs(hashes, ["alg", "content"], naming));
    hashes.transpose()?.unwrap_or_default().record_or_bare(path, None)
}

pub(in crate::format) fn writer(_: Layout) -> Box<dyn Writer> {
    FileList { holds: HOLDS, begin, between: ",\n", item, end }.writer()
}

fn begin(_: &Made, text: &mut Vec<u8>) -> io::Result<()> {
    text.extend_from_slice(
        b"{\"bomFormat\":\"CycloneDX\",\"specVersion\":\"1.6\",\"version\":1,\"components\":[\n",
    );
    Ok(())
}

fn item(record: &Record, _: u64, text: &mut Vec<u8>) -> io::Result<()> {
    let path = text_name(&record.path, "CycloneDX")?;
    write!(text, "{{\"type\":\"file\",\"name\":{},\"hashes\":[", Value::from(path))?;
    let form = ["{\"alg\":\"", "\",\"content\":\"", "\"}"];
    write_digests(record, &ALGORITHMS, form, text)?;
    text.extend_from_slice(b"]}");
    Ok(())
}

fn end(items: u64, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(if items > 0 { b"\n]}\n" } else { b"]}\n" })
}
