//! The formats of compressed bytes.

use super::recognise::recognise;
use super::zstandard;
use crate::Medium;

/// A format of compressed bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names of formats")]
pub enum Compression {
    Gzip,
    Zstandard,
    Xz,
    Bzip2,
    Lz4,
    Lzma,
    Lzip,
    Compress,
}

impl Compression {
    /// The bytes that it takes to recognise every format.
    pub const FIRST: usize = 32;

    /// Returns the format of bytes that begin so.
    pub fn of(first: &[u8]) -> Option<Compression> {
        recognise(first)
    }

    /// Returns whether what was compressed is known to reach to the end of the bytes: then something that is recognised there lies
    /// within. Only Zstandard can have bytes as they were at its end.
    pub fn reaches_end(self, medium: &dyn Medium) -> bool {
        self == Compression::Zstandard && zstandard::reaches_end(medium).unwrap_or(false)
    }

    /// Returns the name of the format in records.
    pub fn word(self) -> &'static str {
        match self {
            Compression::Gzip => "gzip",
            Compression::Zstandard => "zstd",
            Compression::Xz => "xz",
            Compression::Bzip2 => "bzip2",
            Compression::Lz4 => "lz4",
            Compression::Lzma => "lzma",
            Compression::Lzip => "lzip",
            Compression::Compress => "compress",
        }
    }
}
