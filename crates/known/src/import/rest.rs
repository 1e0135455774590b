//! What is not taken in, and why.

use hashloom_digest::of_bits;
use std::fmt;

/// Why a member of an archive is not taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rest {
    /// It has no bytes.
    Empty,
    /// A symbolic link.
    Link,
    /// No digest list of a known format, and nothing in its beginning looks like a digest.
    NoList,
    /// No digest list of a known format, though it has what looks like a digest.
    Unknown,
    /// A list of the checksums of the archive's other members.
    OwnChecksums,
    /// A table of products, which is read with the `NSRLFile.txt` beside it.
    Table,
    /// Encrypted.
    Encrypted,
    /// Compressed by a method that is not read here.
    Method,
    /// An archive itself, or a compressed file.
    Archive,
    /// A delta, which must stand in an input of its own behind its database.
    Delta,
    /// No delta, in an archive of deltas.
    NoDelta,
}

impl Rest {
    /// Whether data may have been lost.
    pub fn is_data(self) -> bool {
        !matches!(self, Rest::Empty | Rest::Link | Rest::NoList | Rest::OwnChecksums | Rest::Table)
    }
}

impl fmt::Display for Rest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rest::Empty => "it is empty",
            Rest::Link => "it is a symbolic link",
            Rest::NoList => "it is not a list of digests",
            Rest::Unknown => "it has digests, but its format is not known",
            Rest::OwnChecksums => "it lists checksums of the archive's own files",
            Rest::Table => "it has products, which are read with NSRLFile.txt",
            Rest::Encrypted => "it is encrypted",
            Rest::Method => "it is compressed by a method that is not known",
            Rest::Archive => "it is an archive itself, or compressed: unpack it first",
            Rest::Delta => "it is a delta: name it behind the archive of its database",
            Rest::NoDelta => "it is not a delta, but lies in an archive of deltas",
        })
    }
}

/// The first bytes of archives and of compressed files.
const ARCHIVES: [&[u8]; 8] = [
    b"\x1f\x8b",
    b"BZh",
    b"\xfd7zXZ\0",
    b"7z\xbc\xaf\x27\x1c",
    b"\x28\xb5\x2f\xfd",
    b"Rar!\x1a\x07",
    b"\x04\x22\x4d\x18",
    b"PK\x05\x06",
];

/// What a file is that starts with these bytes and is no list.
pub(super) fn unrecognised(first: &[u8]) -> Rest {
    let tar = first.get(257..262) == Some(b"ustar");
    if tar || ARCHIVES.iter().any(|magic| first.starts_with(magic)) {
        return Rest::Archive;
    }
    let words = first.split(|byte| !byte.is_ascii_alphanumeric());
    if words.into_iter().any(is_digest) { Rest::Unknown } else { Rest::NoList }
}

/// Whether a word looks like a digest of an algorithm that indexes take.
pub(super) fn is_digest(word: &[u8]) -> bool {
    let bits = word.len() as u32 * 4;
    (128..=512).contains(&bits) && word.iter().all(u8::is_ascii_hexdigit) && of_bits(bits).next().is_some()
}
