//! `in-toto`: the subjects of an in-toto Statement. The signature around it tells who made the statement. hashmill
//! writes a predicate of its own type that only names the tool.
//!
//! Source: in-toto Attestation Framework, "Statement" v1 and v0.1, "ResourceDescriptor", "DigestSet".

use super::objects::{Objects, has_keys, map, text};
use crate::Record;
use crate::format::file_list::FileList;
use crate::format::malformed::Bad;
use crate::format::values::naming::Naming;
use crate::format::values::tags::{TagRow, algorithms, write_digests};
use crate::format::writer::text_name;
use crate::format::{Hint, Layout, Made, Reader, Writer};
use serde_json::Value;
use std::io::{self, Read, Write};

/// The supported algorithms that a DigestSet has names for, and BLAKE3.
const ALGORITHMS: [TagRow; 17] = [
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
pub(in crate::format) const HOLDS: &[&str] = &algorithms(&ALGORITHMS);

pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    has_keys(first, &["_type", "subject"]) && memchr::memmem::find(first, b"in-toto.io/Statement").is_some()
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Objects { list: b"subject", read: |subject, naming| vec![read(subject, naming)] }.reader(input)
}

fn read(subject: &Value, naming: &mut Naming) -> Result<Record, Bad> {
    let path = text(subject, "name")?.as_bytes();
    let several = subject.get("digest").map(|digests| map(digests, naming)).transpose()?;
    several.unwrap_or_default().record_or_bare(path, None)
}

pub(in crate::format) fn writer(_: Layout) -> Box<dyn Writer> {
    FileList { holds: HOLDS, begin, between: ",\n", item, end }.writer()
}

fn begin(_: &Made, text: &mut Vec<u8>) -> io::Result<()> {
    text.extend_from_slice(b"{\"_type\":\"https://in-toto.io/Statement/v1\",\"subject\":[\n");
    Ok(())
}

fn item(record: &Record, _: u64, text: &mut Vec<u8>) -> io::Result<()> {
    let path = text_name(&record.path, "in-toto")?;
    write!(text, "{{\"name\":{},\"digest\":{{", Value::from(path))?;
    write_digests(record, &ALGORITHMS, ["\"", "\":\"", "\""], text)?;
    text.extend_from_slice(b"}}");
    Ok(())
}

fn end(items: u64, out: &mut dyn Write) -> io::Result<()> {
    let feed = if items > 0 { "\n" } else { "" };
    let version = env!("CARGO_PKG_VERSION");
    writeln!(
        out,
        "{feed}],\"predicateType\":\"urn:hashmill:files:v1\",\"predicate\":{{\"tool\":\"hashmill {version}\"}}}}"
    )
}
