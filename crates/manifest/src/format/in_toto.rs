//! `in-toto`: the subjects of an in-toto Statement. The signature around it tells who made the statement. hashmill
//! writes a predicate of its own type that only names the tool.
//!
//! Source: in-toto Attestation Framework, "Statement" v1 and v0.1, "ResourceDescriptor", "DigestSet".

use super::malformed::Bad;
use super::naming::{Naming, write_digest};
use super::objects::{Objects, has_keys, map, text};
use super::several::without_digest;
use super::writer::{check_whole, text_name};
use super::{Hint, Layout, Reader, Writer};
use crate::{Record, Status};
use serde_json::Value;
use std::io::{self, Read, Write};

/// The supported algorithms that a DigestSet has names for, and BLAKE3.
const ALGORITHMS: &[(&str, &str)] = &[
    ("sha256", "sha256"),
    ("sha512", "sha512"),
    ("sha1", "sha1"),
    ("md5", "md5"),
    ("sha224", "sha224"),
    ("sha384", "sha384"),
    ("sha512-256", "sha512_256"),
    ("sha3-224", "sha3_224"),
    ("sha3-256", "sha3_256"),
    ("sha3-384", "sha3_384"),
    ("sha3-512", "sha3_512"),
    ("blake2b-512", "blake2b"),
    ("blake2s-256", "blake2s"),
    ("ripemd160", "ripemd160"),
    ("sm3", "sm3"),
    ("git-blob", "gitBlob"),
    ("blake3", "blake3"),
];

/// hashmill's names of these algorithms.
pub(super) const HOLDS: &[&str] = &[
    "sha256",
    "sha512",
    "sha1",
    "md5",
    "sha224",
    "sha384",
    "sha512-256",
    "sha3-224",
    "sha3-256",
    "sha3-384",
    "sha3-512",
    "blake2b-512",
    "blake2s-256",
    "ripemd160",
    "sm3",
    "git-blob",
    "blake3",
];

pub(super) fn sniff(first: &[u8]) -> bool {
    has_keys(first, &["_type", "subject"]) && memchr::memmem::find(first, b"in-toto.io/Statement").is_some()
}

pub(super) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Objects { list: b"subject", read: |subject, naming| vec![read(subject, naming)] }.reader(input)
}

fn read(subject: &Value, naming: &mut Naming) -> Result<Record, Bad> {
    let path = text(subject, "name")?.as_bytes();
    let several = subject.get("digest").map(|digests| map(digests, naming)).transpose()?.unwrap_or_default();
    if several.is_empty() { Ok(without_digest(path)) } else { several.record(path, None) }
}

pub(super) fn writer(_: Layout) -> Box<dyn Writer> {
    Box::new(Statement { text: Vec::new(), any: false })
}

struct Statement {
    text: Vec<u8>,
    any: bool,
}

impl Writer for Statement {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"{\"_type\":\"https://in-toto.io/Statement/v1\",\"subject\":[\n")
    }

    fn record(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        if record.status != Status::Hashed {
            return Ok(());
        }
        check_whole(record, HOLDS)?;
        let path = text_name(&record.path, "in-toto")?;
        self.text.clear();
        self.text.extend_from_slice(if self.any { b",\n" } else { b"" });
        write!(self.text, "{{\"name\":{},\"digest\":{{", Value::from(path))?;
        for (place, named) in record.digests.iter().enumerate() {
            let row = ALGORITHMS.iter().find(|(name, _)| *name == named.algorithm.name);
            let comma = if place > 0 { "," } else { "" };
            write!(self.text, "{comma}\"{}\":\"", row.map_or("", |(_, key)| key))?;
            write_digest(named, &mut self.text);
            self.text.push(b'"');
        }
        self.text.extend_from_slice(b"}}");
        out.write_all(&self.text)?;
        self.any = true;
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let feed = if self.any { "\n" } else { "" };
        let version = env!("CARGO_PKG_VERSION");
        writeln!(
            out,
            "{feed}],\"predicateType\":\"urn:hashmill:files:v1\",\"predicate\":{{\"tool\":\"hashmill {version}\"}}}}"
        )
    }
}
