//! Compressed files whose parts are decoded by several threads: frames of Zstandard and LZ4, blocks of xz, members
//! of BGZF.
//!
//! The parts are found without decoding them, as they are needed. A file's statements about its parts are not
//! believed: a part counts only if it was decoded without a problem from its start to its end, and the start is
//! where the part before ended.
//!
//! Before damage both decoders yield the same content, as far as it was asked for in calls that end before it: what
//! else libraries do with a buffer that reaches behind it depends on its length.

mod ahead;
mod bytes;
mod frames;
mod groups;
mod gzip;
mod headers;
mod lz4;
mod place;
mod reader;
#[cfg(test)]
mod tests;
mod zstandard;

use super::decode::Decoded;
use super::format::Compression;
use super::parted::{FilePart, Parted};
use super::xz::{BlockPlaces, Xz};
use super::{gzip as gzip_decoder, lz4 as lz4_decoder, zstandard as zstandard_decoder};
use crate::{Limits, Problem};
use frames::Frames;
use groups::Groups;
use hashmill_disk::Medium;
pub(super) use headers::Headers;
pub use place::DecodingPlace;
use place::Followed;
use reader::PartsDecoder;
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

/// The compressed bytes that are worth a thread's attention.
const ENOUGH: u64 = 256 << 10;

/// A reader of content.
type Content = Box<dyn Read + Send>;

/// Returns a reader of what was compressed in a range of a medium, as [`decoder`](crate::decoder) does, while
/// threads decode ahead what can be decoded independently. Decoders and waiting content together stay within the
/// limit of memory. The threads end when the reader is dropped. The place is that in the range of what is read.
///
/// # Errors
/// If the bytes are not in this format, or it needs more memory than the limit.
pub fn decoder_of_parts(
    compression: Compression,
    medium: Arc<dyn Medium>,
    range: Range<u64>,
    limits: &Limits,
    threads: usize,
    place: &Arc<DecodingPlace>,
) -> Result<Box<dyn Read + Send>, Problem> {
    let size = range.end.saturating_sub(range.start);
    let medium: Arc<dyn Medium> = Arc::new(hashmill_disk::Range::new(medium, range.start, size));
    PartsOptions { limits, threads, enough: ENOUGH, place: Arc::clone(place) }.decoder(compression, &medium)
}

/// The way in which parts are decoded.
struct PartsOptions<'a> {
    limits: &'a Limits,
    threads: usize,
    /// The compressed bytes that are decoded together.
    enough: u64,
    place: Arc<DecodingPlace>,
}

impl PartsOptions<'_> {
    /// Returns a reader of what was compressed in a medium.
    fn decoder(&self, compression: Compression, medium: &Arc<dyn Medium>) -> Result<Content, Problem> {
        let place = Arc::clone(&self.place);
        let followed: Arc<dyn Medium> = Arc::new(Followed { medium: Arc::clone(medium), place });
        let whole = || ahead::packed(&followed, 0, medium.size());
        let headers = Headers::new(Arc::clone(medium));
        match compression {
            _ if self.threads == 0 => {}
            Compression::Gzip => {
                let decoder = gzip_decoder::Gzip::new(whole())?;
                return Ok(self.reader(decoder, medium, Frames::new(headers, gzip::find_end)));
            }
            Compression::Zstandard => {
                let decoder = zstandard_decoder::Zstandard::new(whole(), self.limits)?;
                return Ok(self.reader(decoder, medium, Frames::new(headers, zstandard::find_end)));
            }
            Compression::Lz4 => {
                let decoder = lz4_decoder::Lz4::new(whole(), self.limits)?;
                return Ok(self.reader(decoder, medium, Frames::new(headers, lz4::find_end)));
            }
            Compression::Xz => {
                let decoder = Xz::new(whole(), self.limits)?;
                return Ok(self.reader(decoder, medium, BlockPlaces::new(headers).into_iter().flatten()));
            }
            // Blocks of bzip2 begin at any bit; the others have no parts, or none that state their length.
            Compression::Bzip2 | Compression::Lzma | Compression::Lzip | Compression::Compress => {}
        }
        super::decode(compression, whole(), self.limits)
    }

    /// Returns a reader whose parts are decoded ahead, or the decoder itself if there are fewer than two.
    fn reader<D: Parted>(
        &self,
        decoder: D,
        medium: &Arc<dyn Medium>,
        parts: impl Iterator<Item = FilePart<D::Setting>> + Send + 'static,
    ) -> Content {
        let mut parts = Groups::new(parts, self.enough);
        let (Some(first), Some(second)) = (parts.next(), parts.next()) else {
            return Box::new(Decoded::new(decoder));
        };
        let parts = Box::new([first, second].into_iter().chain(parts));
        let followed = Followed { medium: Arc::clone(medium), place: Arc::clone(&self.place) };
        match PartsDecoder::new(decoder, followed, self.limits, self.threads, parts) {
            Ok(decoder) => Box::new(Decoded::new(decoder)),
            Err(decoder) => Box::new(Decoded::new(decoder)),
        }
    }
}
