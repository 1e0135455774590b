//! Compressed bytes: recognised by how they begin, and decoded as they are read.

mod bzip2;
mod compress;
mod decode;
mod filters;
mod format;
mod gzip;
mod lz4;
mod lzip;
mod lzma;
mod packed;
mod parted;
mod parts;
mod problems;
mod recognise;
#[cfg(test)]
mod tests;
mod xz;
mod zstandard;

use crate::{Limits, Problem};
use decode::{Decode, Decoded};
pub(crate) use filters::{Processor, lzma2_dictionary};
pub use format::Compression;
use packed::Packed;
pub use parts::{DecodingPlace, decoder_of_parts};
use std::io::Read;

/// Returns a reader of what was compressed, to the end of all members or frames. Its errors carry a [`Problem`].
///
/// # Errors
/// If the bytes are not in this format, or it needs more memory than the limit.
pub fn decoder(
    compression: Compression,
    packed: Box<dyn Read + Send>,
    limits: &Limits,
) -> Result<Box<dyn Read + Send>, Problem> {
    decode(compression, Packed::new(packed), limits)
}

/// Returns a reader of what was compressed.
fn decode(
    compression: Compression,
    packed: Packed,
    limits: &Limits,
) -> Result<Box<dyn Read + Send>, Problem> {
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
