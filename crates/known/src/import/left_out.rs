//! Reasons why a member of an archive is left out.

use hashmill_digest::of_bits;
use std::fmt;

/// The reason why a member of an archive is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeftOutReason {
    /// It is empty.
    Empty,
    /// It is a symbolic link.
    Link,
    /// It is not a list in a known format, and its first bytes contain nothing like a digest.
    NoList,
    /// It is not a list in a known format, but its first bytes contain something like a digest.
    Unknown,
    /// It is a list of checksums of the archive's other members.
    OwnChecksums,
    /// It is a table of products, which is read with the `NSRLFile.txt` beside it.
    Table,
    /// It is encrypted.
    Encrypted,
    /// Its compression method is not supported.
    Method,
    /// It is an archive or a compressed file.
    Archive,
    /// It is a delta, which must be a separate input after its database.
    Delta,
    /// It is not a delta, but is in an archive of deltas.
    NoDelta,
}

impl LeftOutReason {
    /// Returns whether data may have been lost.
    pub fn is_data(self) -> bool {
        !matches!(
            self,
            LeftOutReason::Empty
                | LeftOutReason::Link
                | LeftOutReason::NoList
                | LeftOutReason::OwnChecksums
                | LeftOutReason::Table
        )
    }
}

impl fmt::Display for LeftOutReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LeftOutReason::Empty => "it is empty",
            LeftOutReason::Link => "it is a symbolic link",
            LeftOutReason::NoList => "it is not a list of digests",
            LeftOutReason::Unknown => "it has digests, but not in a known format",
            LeftOutReason::OwnChecksums => "it lists checksums of the archive's own files",
            LeftOutReason::Table => "it has products, which are read with NSRLFile.txt",
            LeftOutReason::Encrypted => "it is encrypted",
            LeftOutReason::Method => "its compression method is not supported",
            LeftOutReason::Archive => "it is an archive itself, or compressed: unpack it first",
            LeftOutReason::Delta => "it is a delta: name it after the archive of its database",
            LeftOutReason::NoDelta => "it is not a delta, but lies in an archive of deltas",
        })
    }
}

/// Returns whether a word looks like a digest of an algorithm that indexes support.
pub(super) fn is_digest(word: &[u8]) -> bool {
    let bits = word.len() as u32 * 4;
    (128..=512).contains(&bits) && word.iter().all(u8::is_ascii_hexdigit) && of_bits(bits).next().is_some()
}
