//! The formats of compressed bytes.

use super::recognise::recognise;

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
