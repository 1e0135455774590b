//! Compressed bytes: recognised by how they begin, and decoded as they are read.

mod bzip2;
mod compress;
mod decode;
mod gzip;
mod lz4;
mod lzip;
mod lzma;
mod packed;
mod recognise;
#[cfg(test)]
mod tests;
mod xxh32;
mod xz;
mod zstandard;

use crate::{Limits, Problem};
use decode::{Decode, Decoded};
use packed::Packed;
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
    pub fn of(first: &[u8]) -> Option<Compression> {
        recognise::recognise(first)
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
    compression: Compression,
    packed: Box<dyn Read + Send>,
    limits: &Limits,
) -> Result<Box<dyn Read + Send>, Problem> {
    let packed = Packed::new(packed);
    match compression {
        Compression::Gzip => gzip::Gzip::new(packed).map(reader),
        Compression::Zstandard => zstandard::Zstandard::new(packed, limits).map(reader),
        Compression::Xz => xz::Xz::new(packed, limits).map(reader),
        Compression::Bzip2 => bzip2::Bzip2::new(packed, limits).map(reader),
        Compression::Lz4 => lz4::Lz4::new(packed, limits).map(reader),
        Compression::Lzma => lzma::Lzma::new(packed, limits).map(reader),
        Compression::Lzip => lzip::Lzip::new(packed, limits).map(reader),
        Compression::Compress => compress::Compress::new(packed).map(reader),
    }
}

/// Returns a reader of what a decoder yields.
fn reader<D: Decode + 'static>(decoder: D) -> Box<dyn Read + Send> {
    Box::new(Decoded::new(decoder))
}

/// Returns the problem of bytes behind the end of the last member.
fn trailing() -> Problem {
    Problem::damaged("other bytes follow the compressed ones")
}

/// Refuses what takes more memory than the limit.
fn within(limits: &Limits, bytes: u64) -> Result<(), Problem> {
    if bytes > limits.memory { Err(Problem::Memory(bytes)) } else { Ok(()) }
}
