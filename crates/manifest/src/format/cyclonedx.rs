//! `cyclonedx`: the components of a CycloneDX document (JSON) that are files.
//!
//! Other components are packages with digests of their archives, not files of a folder. Source: ECMA-424, the JSON
//! schema of CycloneDX 1.6.

use super::malformed::{Bad, Why};
use super::naming::{Naming, write_digest};
use super::objects::{ObjectRecords, Objects, has_keys, pairs, text};
use super::several::without_digest;
use super::writer::{check_whole, text_name};
use super::{Hint, Layout, Reader, Writer};
use crate::{Record, Status};
use serde_json::Value;
use std::io::{self, Read, Write};

/// The algorithms of the schema, and its names for them.
const ALGORITHMS: &[(&str, &str)] = &[
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

pub(super) const HOLDS: &[&str] = &[
    "md5",
    "sha1",
    "sha256",
    "sha384",
    "sha512",
    "sha3-256",
    "sha3-384",
    "sha3-512",
    "blake2b-256",
    "blake2b-512",
    "blake3",
];

/// The maximum depth of nested components.
const DEEPEST: usize = 32;

pub(super) fn sniff(first: &[u8]) -> bool {
    has_keys(first, &["bomFormat"])
}

pub(super) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
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
    match hashes.transpose()?.filter(|several| !several.is_empty()) {
        Some(several) => several.record(path, None),
        None => Ok(without_digest(path)),
    }
}

pub(super) fn writer(_: Layout) -> Box<dyn Writer> {
    Box::new(Bom { text: Vec::new(), any: false })
}

struct Bom {
    text: Vec<u8>,
    any: bool,
}

impl Writer for Bom {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(
            b"{\"bomFormat\":\"CycloneDX\",\"specVersion\":\"1.6\",\"version\":1,\"components\":[\n",
        )
    }

    fn record(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        if record.status != Status::Hashed {
            return Ok(());
        }
        check_whole(record, HOLDS)?;
        let path = text_name(&record.path, "CycloneDX")?;
        self.text.clear();
        self.text.extend_from_slice(if self.any { b",\n" } else { b"" });
        write!(self.text, "{{\"type\":\"file\",\"name\":{},\"hashes\":[", Value::from(path))?;
        for (place, named) in record.digests.iter().enumerate() {
            let row = ALGORITHMS.iter().find(|(name, _)| *name == named.algorithm.name);
            let comma = if place > 0 { "," } else { "" };
            write!(self.text, "{comma}{{\"alg\":\"{}\",\"content\":\"", row.map_or("", |(_, tag)| tag))?;
            write_digest(named, &mut self.text);
            self.text.extend_from_slice(b"\"}");
        }
        self.text.extend_from_slice(b"]}");
        out.write_all(&self.text)?;
        self.any = true;
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(if self.any { b"\n]}\n" } else { b"]}\n" })
    }
}
