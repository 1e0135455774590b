//! `spdx`: the files of an SPDX document in JSON: SPDX 2.2 and 2.3, and `software_File`s of SPDX 3. hashmill writes
//! 2.3.
//!
//! Source: the specifications of SPDX 2.3 (ISO/IEC 5962) and 3.0.

use super::objects::{ObjectRecords, Objects, has_keys, pairs, text};
use crate::Record;
use crate::format::file_list::FileList;
use crate::format::malformed::Bad;
use crate::format::values::naming::Naming;
use crate::format::values::tags::{TagRow, algorithms, write_digests};
use crate::format::writer::{cannot_carry, text_name};
use crate::format::{Hint, Layout, Made, Reader, Writer};
use serde_json::Value;
use std::io::{self, Read, Write};

/// The supported algorithms of SPDX 2.3, and its names for them. BLAKE3 is missing because spdx-tools, which validates
/// documents, requires digests of 256 digits for it.
pub(in crate::format) const ALGORITHMS: [TagRow; 13] = [
    ("sha1", "SHA1"),
    ("sha256", "SHA256"),
    ("md5", "MD5"),
    ("sha224", "SHA224"),
    ("sha384", "SHA384"),
    ("sha512", "SHA512"),
    ("sha3-256", "SHA3-256"),
    ("sha3-384", "SHA3-384"),
    ("sha3-512", "SHA3-512"),
    ("blake2b-256", "BLAKE2b-256"),
    ("blake2b-512", "BLAKE2b-512"),
    ("md4", "MD4"),
    ("adler32", "ADLER32"),
];

/// hashmill's names of these algorithms.
pub(in crate::format) const HOLDS: &[&str] = &algorithms(&ALGORITHMS);

/// The algorithms that the specification requires for every file.
pub(in crate::format) const NEEDS: &[&str] = &["sha1"];

pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    has_keys(first, &["spdxVersion"])
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Objects { list: b"files", read: |file, naming| vec![read(file, naming)] }.reader(input)
}

fn read(file: &Value, naming: &mut Naming) -> Result<Record, Bad> {
    let path = text(file, "fileName")?;
    let sums = file.get("checksums").map(|list| pairs(list, ["algorithm", "checksumValue"], naming));
    sums.transpose()?.unwrap_or_default().record_or_bare(path.as_bytes(), None)
}

/// Recognises a document of version 3.
pub(in crate::format) fn sniff3(first: &[u8]) -> bool {
    let context = memchr::memmem::find(first, b"spdx.org/rdf/3").is_some();
    context && has_keys(first, &["@context", "@graph"])
}

pub(in crate::format) fn reader3<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Objects { list: b"@graph", read: read3 }.reader(input)
}

fn read3(element: &Value, naming: &mut Naming) -> ObjectRecords {
    let kind = element.get("type").or_else(|| element.get("@type")).and_then(Value::as_str);
    if !kind.is_some_and(|kind| kind == "software_File" || kind.ends_with("/Software/File")) {
        return Vec::new();
    }
    let mut file = || {
        let path = text(element, "name")?;
        let sums = element.get("verifiedUsing").map(|list| pairs(list, ["algorithm", "hashValue"], naming));
        sums.transpose()?.unwrap_or_default().record_or_bare(path.as_bytes(), None)
    };
    vec![file()]
}

/// The properties of the document itself in both forms of version 2.3.
pub(in crate::format) const VERSION: &str = "SPDX-2.3";
pub(in crate::format) const LICENCE: &str = "CC0-1.0";
pub(in crate::format) const NAME: &str = "files";

/// The creator of a document.
pub(in crate::format) const CREATOR: &str = concat!("Tool: hashmill-", env!("CARGO_PKG_VERSION"));

/// Returns the unique namespace of a document.
pub(in crate::format) fn namespace(made: &Made) -> String {
    format!("https://spdx.org/spdxdocs/{NAME}-{}", made.id())
}

/// Returns the name of a file in a document.
///
/// # Errors
/// If the format can't carry the record.
pub(in crate::format) fn file_name(record: &Record) -> io::Result<&str> {
    let path = text_name(&record.path, "SPDX")?;
    if path.is_empty() || path.starts_with('/') {
        return Err(cannot_carry("SPDX has names below a folder only: hash from within it"));
    }
    if !record.digests.iter().any(|named| NEEDS.contains(&named.algorithm.name)) {
        return Err(cannot_carry("SPDX 2 needs the SHA-1 of each file"));
    }
    Ok(path)
}

pub(in crate::format) fn writer(_: Layout) -> Box<dyn Writer> {
    FileList { holds: HOLDS, begin, between: ",\n", item, end }.writer()
}

fn begin(made: &Made, text: &mut Vec<u8>) -> io::Result<()> {
    write!(
        text,
        "{{\"spdxVersion\":\"{VERSION}\",\"dataLicense\":\"{LICENCE}\",\"SPDXID\":\"SPDXRef-DOCUMENT\",\
         \"name\":\"{NAME}\",\n\"documentNamespace\":\"{}\",\n\"creationInfo\":{{\"created\":\"{}\",\"creators\":[\"{CREATOR}\"]}},\n\
         \"files\":[\n",
        namespace(made),
        made.date()
    )
}

fn item(record: &Record, number: u64, text: &mut Vec<u8>) -> io::Result<()> {
    let path = Value::from(file_name(record)?);
    write!(text, "{{\"SPDXID\":\"SPDXRef-File-{number}\",\"fileName\":{path},\"checksums\":[")?;
    let form = ["{\"algorithm\":\"", "\",\"checksumValue\":\"", "\"}"];
    write_digests(record, &ALGORITHMS, form, text)?;
    text.extend_from_slice(b"]}");
    Ok(())
}

/// Writes the relationships, by which a document must state that it describes its files.
fn end(files: u64, out: &mut dyn Write) -> io::Result<()> {
    let feed = if files > 0 { "\n" } else { "" };
    write!(out, "{feed}],{feed}\"relationships\":[{feed}")?;
    for file in 1..=files {
        let comma = if file > 1 { ",\n" } else { "" };
        write!(
            out,
            "{comma}{{\"spdxElementId\":\"SPDXRef-DOCUMENT\",\"relationshipType\":\"DESCRIBES\",\
             \"relatedSpdxElement\":\"SPDXRef-File-{file}\"}}"
        )?;
    }
    writeln!(out, "{feed}]}}")
}
