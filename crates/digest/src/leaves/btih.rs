//! The info-hash of a torrent of one file: the SHA-1 of its `info`, which has the file's length and name, the piece
//! length, and the SHA-1 of every piece.
//!
//! BEP 3, "The BitTorrent Protocol Specification". It does not define the piece length. Here it is that of rhash: the
//! power of two above a 1,024th of the file's length, from 16 KiB to 8 MiB.

use super::fold::Fold;
use super::shape::{Empty, Keeping};
use super::{Folding, Leaves};
use crate::algorithms::sha1::Sha1;
use crate::bank::{StreamState, serial};
use crate::lanes::bank::lanes;
use crate::stream::Blocks;
use crate::{About, Digest};

/// The minimum and maximum bytes of a piece.
const PIECE: [u64; 2] = [16 << 10, 8 << 20];

/// The approximate number of pieces, if they are neither too short nor too long.
const PIECES: u64 = 1024;

/// Returns the way to cut a file and fold its digest.
pub(crate) fn folding(about: &About<'_>) -> Folding {
    let size = about.size.unwrap_or(0);
    let shape = Leaves {
        empty: Empty::None,
        keeping: Keeping::Nothing,
        ..Leaves::new(piece(size), 20, [lanes::<Sha1>, serial::<Blocks<Sha1>>], || {
            Box::new(Info::new(0, &[]))
        })
    };
    Folding::with(shape, Box::new(Info::new(size, about.name())))
}

/// Returns the piece length for a file size.
fn piece(size: u64) -> u64 {
    (size / PIECES + 1).next_power_of_two().clamp(PIECE[0], PIECE[1])
}

/// The hash of a torrent's `info`.
#[derive(Clone)]
struct Info(Blocks<Sha1>);

impl Info {
    /// Hashes everything before the digests of pieces.
    fn new(size: u64, name: &[u8]) -> Self {
        let piece = piece(size);
        let bytes = 20 * size.div_ceil(piece);
        let mut hash = Blocks::new();
        hash.update(format!("d6:lengthi{size}e4:name{}:", name.len()).as_bytes());
        hash.update(name);
        hash.update(format!("12:piece lengthi{piece}e6:pieces{bytes}:").as_bytes());
        Info(hash)
    }
}

impl Fold for Info {
    fn leaf(&mut self, digest: &[u8]) {
        self.0.update(digest);
    }

    fn finish(&mut self, _: u64) -> Digest {
        self.0.update(b"e");
        self.0.finish()
    }

    fn save(&self, into: &mut Vec<u8>) -> bool {
        self.0.save(into)
    }

    fn load(&mut self, from: &mut &[u8]) -> Option<()> {
        self.0.load(from)
    }
}

#[cfg(test)]
mod tests {
    use super::piece;

    #[test]
    fn a_file_has_up_to_1024_pieces_where_their_length_allows() {
        for (size, kib) in [
            (0, 16),
            ((16 << 20) - 1, 16),
            (16 << 20, 32),
            ((32 << 20) - 1, 32),
            (32 << 20, 64),
            ((8 << 30) - 1, 8 << 10),
            (8 << 30, 8 << 10),
            (u64::MAX, 8 << 10),
        ] {
            assert_eq!(piece(size), kib << 10, "{size}");
        }
    }
}
