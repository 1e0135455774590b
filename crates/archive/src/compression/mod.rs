//! Compressed bytes: recognised by how they begin, and decoded as they are read.

use crate::{Limits, Problem};
use std::io::Read;

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
    pub fn of(_first: &[u8]) -> Option<Compression> {
        None
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

/// Returns a reader of what was compressed, to the end of all members or frames. Its errors carry a [`Problem`].
///
/// # Errors
/// If the bytes are not in this format, or it needs more memory than the limit.
pub fn decoder(
    _compression: Compression,
    _packed: Box<dyn Read + Send>,
    _limits: &Limits,
) -> Result<Box<dyn Read + Send>, Problem> {
    Err(Problem::Unsupported("this compression".into()))
}
