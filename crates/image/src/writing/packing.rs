//! Chunks of EWF-E01 in their stored form.

use crate::bytes::checksums::add_adler;
use crate::export::is_zero;
use libdeflater::{CompressionLvl, Compressor};
use std::io;

/// The bytes of a chunk.
pub(super) const CHUNK: usize = 32 << 10;

/// The compression of chunks. A chunk that does not become smaller is stored as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Compression {
    /// All chunks are stored as they are.
    None,
    /// The fastest.
    #[default]
    Fast,
    /// The smallest that takes a reasonable time.
    Best,
}

impl Compression {
    /// Returns the level that images state.
    pub(super) fn number(self) -> u8 {
        self as u8
    }

    fn compressor(self) -> Option<Compressor> {
        // Level 0, the library's fastest, compresses nothing.
        let level = match self {
            Compression::None => return None,
            Compression::Fast => 1,
            Compression::Best => 9,
        };
        Some(Compressor::new(CompressionLvl::new(level).unwrap_or_default()))
    }
}

/// Media bytes in their stored form.
#[derive(Debug, Default)]
pub(super) struct PackedBatch {
    /// The stored bytes of all chunks.
    pub(super) stored: Vec<u8>,
    /// The end of each chunk in them, and whether it is compressed.
    pub(super) chunks: Vec<(usize, bool)>,
}

/// Packs chunks; keep one for each thread.
pub(super) struct Packer {
    compressor: Option<Compressor>,
    /// A compressed chunk of zeros.
    zeros: Vec<u8>,
    room: Vec<u8>,
}

impl Packer {
    pub(super) fn new(compression: Compression) -> Packer {
        let mut packer = Packer { compressor: compression.compressor(), zeros: Vec::new(), room: Vec::new() };
        packer.zeros = packer.compress(&[0; CHUNK]).map(<[u8]>::to_vec).unwrap_or_default();
        packer
    }

    /// Packs the chunks of which a batch consists, into an empty buffer. Only the last may be shorter than others.
    pub(super) fn pack(&mut self, plain: &[u8], mut stored: Vec<u8>) -> PackedBatch {
        let mut chunks = Vec::with_capacity(plain.len().div_ceil(CHUNK));
        for chunk in plain.chunks(CHUNK) {
            chunks.push(self.pack_chunk(chunk, &mut stored));
        }
        PackedBatch { stored, chunks }
    }

    fn pack_chunk(&mut self, chunk: &[u8], stored: &mut Vec<u8>) -> (usize, bool) {
        if !self.zeros.is_empty() && chunk.len() == CHUNK && is_zero(chunk) {
            stored.extend_from_slice(&self.zeros);
            return (stored.len(), true);
        }
        if let Some(packed) = self.compress(chunk) {
            stored.extend_from_slice(packed);
            return (stored.len(), true);
        }
        let start = stored.len();
        stored.extend_from_slice(chunk);
        add_adler(stored, start);
        (stored.len(), false)
    }

    /// Compresses a chunk; `None` if it does not become smaller.
    fn compress(&mut self, chunk: &[u8]) -> Option<&[u8]> {
        let compressor = self.compressor.as_mut()?;
        // A result that does not fit is no gain.
        self.room.resize(chunk.len().saturating_sub(1), 0);
        let length = compressor.zlib_compress(chunk, &mut self.room).ok()?;
        Some(&self.room[..length])
    }
}

/// Returns a whole text as a zlib stream.
pub(super) fn compress_text(text: &[u8]) -> io::Result<Vec<u8>> {
    let mut compressor = Compressor::new(CompressionLvl::default());
    let mut packed = vec![0; compressor.zlib_compress_bound(text.len())];
    let length = compressor.zlib_compress(text, &mut packed).map_err(io::Error::other)?;
    packed.truncate(length);
    Ok(packed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_testing::samples::mixed;

    #[test]
    fn chunks_take_no_more_room_than_they_must() {
        // Zeros, text, noise and a pattern, two chunks each.
        let media = [mixed(8 * CHUNK), vec![0; 100]].concat();
        let wanted = [true, true, true, true, false, false, true, true, true];
        for compression in [Compression::None, Compression::Fast, Compression::Best] {
            let packed = Packer::new(compression).pack(&media, Vec::new());
            let is_none = compression == Compression::None;
            let (mut start, mut sizes) = (0, Vec::new());
            for ((end, is_compressed), wanted) in packed.chunks.iter().zip(wanted) {
                assert_eq!(*is_compressed, wanted && !is_none, "{compression:?}");
                sizes.push(end - start);
                start = *end;
            }
            assert_eq!((sizes.len(), sizes[4], start), (9, CHUNK + 4, packed.stored.len()));
            assert!(is_none || sizes[0] < 200 && sizes[6] < 500 && sizes[2] < CHUNK / 3, "{sizes:?}");
        }
    }
}
