//! `spdx`: the files of an SPDX document in JSON: SPDX 2.2 and 2.3, and `software_File`s of SPDX 3. hashmill writes
//! 2.3.
//!
//! Source: the specifications of SPDX 2.3 (ISO/IEC 5962) and 3.0.

use super::malformed::Bad;
use super::naming::{Naming, write_digest};
use super::objects::{ObjectRecords, Objects, has_keys, pairs, text};
use super::several::{Several, without_digest};
use super::writer::{cannot_carry, check_whole, text_name};
use super::{Hint, Layout, Made, Reader, Writer};
use crate::{Record, Status};
use serde_json::Value;
use std::io::{self, Read, Write};

/// The supported algorithms of SPDX 2.3, and its names for them. BLAKE3 is missing because spdx-tools, which validates
/// documents, requires digests of 256 digits for it.
const ALGORITHMS: &[(&str, &str)] = &[
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
pub(super) const HOLDS: &[&str] = &[
    "sha1",
    "sha256",
    "md5",
    "sha224",
    "sha384",
    "sha512",
    "sha3-256",
    "sha3-384",
    "sha3-512",
    "blake2b-256",
    "blake2b-512",
    "md4",
    "adler32",
];

/// The algorithms that the specification requires for every file.
pub(super) const NEEDS: &[&str] = &["sha1"];

pub(super) fn sniff(first: &[u8]) -> bool {
    has_keys(first, &["spdxVersion"])
}

pub(super) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Objects { list: b"files", read: |file, naming| vec![read(file, naming)] }.reader(input)
}

fn read(file: &Value, naming: &mut Naming) -> Result<Record, Bad> {
    let path = text(file, "fileName")?;
    let sums = file.get("checksums").map(|list| pairs(list, ["algorithm", "checksumValue"], naming));
    record(path.as_bytes(), sums.transpose()?)
}

/// Returns the record of a file with these digests.
pub(super) fn record(path: &[u8], several: Option<Several>) -> Result<Record, Bad> {
    match several.filter(|several| !several.is_empty()) {
        Some(several) => several.record(path, None),
        None => Ok(without_digest(path)),
    }
}

/// Recognises a document of version 3.
pub(super) fn sniff3(first: &[u8]) -> bool {
    let context = memchr::memmem::find(first, b"spdx.org/rdf/3").is_some();
    context && has_keys(first, &["@context", "@graph"])
}

pub(super) fn reader3<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
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
        record(path.as_bytes(), sums.transpose()?)
    };
    vec![file()]
}

/// The properties of the document itself in both forms of version 2.3.
pub(super) const VERSION: &str = "SPDX-2.3";
pub(super) const LICENCE: &str = "CC0-1.0";
pub(super) const NAME: &str = "files";

/// The creator of a document.
pub(super) const CREATOR: &str = concat!("Tool: hashmill-", env!("CARGO_PKG_VERSION"));

/// Returns the unique namespace of a document.
pub(super) fn namespace(made: &Made) -> String {
    format!("https://spdx.org/spdxdocs/{NAME}-{}", made.id())
}

/// Returns the path and digests of a file, each digest with the name of its algorithm.
///
/// # Errors
/// If the format can't carry the record.
pub(super) fn file(record: &Record) -> io::Result<(&str, Vec<(&'static str, String)>)> {
    check_whole(record, HOLDS)?;
    let path = text_name(&record.path, "SPDX")?;
    if path.is_empty() || path.starts_with('/') {
        return Err(cannot_carry("SPDX has names below a folder only: hash from within it"));
    }
    if !record.digests.iter().any(|named| NEEDS.contains(&named.algorithm.name)) {
        return Err(cannot_carry("SPDX 2 needs the SHA-1 of each file"));
    }
    let digests = record.digests.iter().map(|named| {
        let row = ALGORITHMS.iter().find(|(name, _)| *name == named.algorithm.name);
        let mut digest = Vec::new();
        write_digest(named, &mut digest);
        (row.map_or("", |(_, tag)| *tag), String::from_utf8_lossy(&digest).into_owned())
    });
    Ok((path, digests.collect()))
}

pub(super) fn writer(_: Layout) -> Box<dyn Writer> {
    Box::new(Document { made: Made::default(), text: Vec::new(), files: 0 })
}

struct Document {
    made: Made,
    text: Vec<u8>,
    /// The number of files written.
    files: u64,
}

impl Writer for Document {
    fn made(&mut self) -> Option<&mut Made> {
        Some(&mut self.made)
    }

    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        write!(
            self.text,
            "{{\"spdxVersion\":\"{VERSION}\",\"dataLicense\":\"{LICENCE}\",\"SPDXID\":\"SPDXRef-DOCUMENT\",\
             \"name\":\"{NAME}\",\n\"documentNamespace\":\"{}\",\n\"creationInfo\":{{\"created\":\"{}\",\"creators\":[\"{CREATOR}\"]}},\n\
             \"files\":[\n",
            namespace(&self.made),
            self.made.date()
        )?;
        out.write_all(&self.text)
    }

    fn record(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        if record.status != Status::Hashed {
            return Ok(());
        }
        let (path, digests) = file(record)?;
        let comma = if self.files > 0 { ",\n" } else { "" };
        self.text.clear();
        write!(
            self.text,
            "{comma}{{\"SPDXID\":\"SPDXRef-File-{}\",\"fileName\":{},\"checksums\":[",
            self.files + 1,
            Value::from(path)
        )?;
        for (place, (tag, digest)) in digests.iter().enumerate() {
            let comma = if place > 0 { "," } else { "" };
            write!(self.text, "{comma}{{\"algorithm\":\"{tag}\",\"checksumValue\":\"{digest}\"}}")?;
        }
        self.text.extend_from_slice(b"]}");
        out.write_all(&self.text)?;
        self.files += 1;
        Ok(())
    }

    /// Writes the relationships, by which a document must state that it describes its files.
    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(if self.files > 0 {
            b"\n],\n\"relationships\":[\n"
        } else {
            b"],\"relationships\":["
        })?;
        for file in 1..=self.files {
            let comma = if file > 1 { ",\n" } else { "" };
            self.text.clear();
            write!(
                self.text,
                "{comma}{{\"spdxElementId\":\"SPDXRef-DOCUMENT\",\"relationshipType\":\"DESCRIBES\",\
                 \"relatedSpdxElement\":\"SPDXRef-File-{file}\"}}"
            )?;
            out.write_all(&self.text)?;
        }
        out.write_all(if self.files > 0 { b"\n]}\n" } else { b"]}\n" })
    }
}
