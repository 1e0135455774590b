//! `premis`: the files of a PREMIS document: objects of the category `file` with their fixity, size and formats, also inside of
//! METS documents.
//!
//! The formats of an object are those of PRONOM, else the type of the content. Facts about content and the time of the last
//! modification, for which there is no element, are in an extension of the object, as in [`super::dfxml`]. Source: PREMIS
//! Data Dictionary 3.0, its schema, and the vocabularies of the Library of Congress.

pub(in crate::format) mod events;
mod parts;
mod read;
mod write;

use super::has_element;
use crate::format::values::tags::{TagRow, algorithms};
pub(in crate::format) use read::reader;
pub(in crate::format) use write::writer;

/// The namespace of version 3, and the beginnings of those of older versions.
const NAMESPACE: &str = "http://www.loc.gov/premis/v3";
const OLDER: [&str; 2] = ["info:lc/xmlns/premis", "http://www.loc.gov/standards/premis"];

/// The algorithms that are written, and their names: the first five are those of the vocabulary.
const ALGORITHMS: [TagRow; 14] = [
    ("md5", "MD5"),
    ("sha1", "SHA-1"),
    ("sha256", "SHA-256"),
    ("sha384", "SHA-384"),
    ("sha512", "SHA-512"),
    ("sha224", "SHA-224"),
    ("sha3-256", "SHA3-256"),
    ("sha3-512", "SHA3-512"),
    ("blake2b-512", "BLAKE2b-512"),
    ("blake3", "BLAKE3"),
    ("crc32", "CRC32"),
    ("adler32", "Adler-32"),
    ("whirlpool", "WHIRLPOOL"),
    ("tiger", "TIGER"),
];

/// The number of the first algorithms that have an address in the vocabulary.
const IN_VOCABULARY: usize = 5;

pub(in crate::format) const HOLDS: &[&str] = &algorithms(&ALGORITHMS);

pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    let is_named = |name: &str| memchr::memmem::find(first, name.as_bytes()).is_some();
    let is_premis = is_named(NAMESPACE) || OLDER.iter().any(|name| is_named(name));
    let is_document = ["premis", "object", "mets"].iter().any(|name| has_element(first, name.as_bytes()));
    first.trim_ascii_start().starts_with(b"<") && is_premis && is_document
}
