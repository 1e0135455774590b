//! Pieces or leaves side by side, if only their own digests are wanted. A thread takes one for each lane, reads the
//! next strip of each, and hashes all strips at once while they are in its cache.

use crate::hash::{RowHasher, Rows, StreamBytes};
use crate::memory::LINE;
use hashmill_source::{Error, Reader};

/// Bytes of all strips together. With the kernels' data they fit into a level 2 cache of 512 KiB.
const STRIPS: usize = 256 << 10;

/// The minimum size of a strip, for any number of lanes.
const LEAST_STRIP: usize = 8 << 10;

#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    /// The number of the chunk.
    pub(super) index: u64,
    /// The group's offset in the file, and its length; the file's last piece may be shorter.
    pub(super) offset: u64,
    pub(super) bytes: u64,
    pub(super) piece: u64,
}

impl Group {
    fn pieces(self) -> usize {
        self.bytes.div_ceil(self.piece) as usize
    }

    /// Returns the bytes of a strip.
    fn strip(self) -> usize {
        let strip = (STRIPS / self.pieces()).max(LEAST_STRIP) / LINE * LINE;
        usize::try_from(self.piece).map_or(strip, |piece| strip.min(piece))
    }

    /// Returns the distance of rows in the buffer. Rows that start at multiples of a page would compete for the same
    /// cache sets.
    fn stride(self) -> usize {
        self.strip().next_multiple_of(LINE) + LINE
    }

    /// Returns the buffer size for this group, and for groups with fewer pieces, whose strips may be longer.
    pub(super) fn room(self) -> usize {
        STRIPS.max(self.pieces() * LEAST_STRIP) + self.pieces() * 2 * LINE
    }

    /// Returns the length of a piece of the group.
    fn length(self, number: usize) -> u64 {
        self.piece.min(self.bytes - number as u64 * self.piece)
    }
}

/// Reads a group and hashes its pieces with every hasher. Returns the bytes read. If the file ended early, these are
/// fewer than the group has, and there are no digests.
pub(super) fn hash_group(
    hashers: &[&dyn RowHasher],
    reader: &Reader,
    group: Group,
    buffer: &mut [u8],
) -> Result<u64, Error> {
    let rows = Rows { offset: group.offset, bytes: group.bytes, row: group.piece };
    let opened = hashers.iter().map(|hasher| hasher.open_rows(rows));
    let mut opened: Vec<_> = opened.collect();
    let (pieces, strip, stride) = (group.pieces(), group.strip(), group.stride());
    let mut read = 0;
    for at in (0..group.length(0)).step_by(strip) {
        let mut rows = Vec::with_capacity(pieces);
        for (piece, row) in buffer.chunks_mut(stride).take(pieces).enumerate() {
            let length = group.length(piece);
            let wanted = (strip as u64).min(length.saturating_sub(at)) as usize;
            if wanted == 0 {
                // This piece is shorter and has ended.
                continue;
            }
            let got = reader.read_at(group.offset + piece as u64 * group.piece + at, &mut row[..wanted])?;
            read += got as u64;
            if got < wanted {
                return Ok(read);
            }
            rows.push(StreamBytes { row: piece, bytes: &row[..wanted], last: at + wanted as u64 == length });
        }
        opened.iter_mut().for_each(|opened| opened.update(&rows));
    }
    opened.into_iter().for_each(|opened| opened.close_chunk(group.index));
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_are_no_longer_than_pieces_and_fit() {
        for (piece, bytes) in [(1, 1), (1, 32), (100, 250), (1 << 20, 16 << 20), (1 << 30, 32 << 30), (3, 7)]
        {
            let group = Group { index: 0, offset: 0, bytes, piece };
            assert!(group.strip() > 0 && group.strip() as u64 <= piece);
            assert!(group.room() <= STRIPS + group.pieces() * (LEAST_STRIP + 2 * LINE), "{group:?}");
            for pieces in 1..=group.pieces() {
                let fewer = Group { bytes: bytes.min(piece * pieces as u64), ..group };
                assert!(
                    fewer.pieces() * fewer.stride() <= group.room(),
                    "{fewer:?} in the room of {group:?}"
                );
            }
            let total: u64 = (0..group.pieces()).map(|number| group.length(number)).sum();
            assert_eq!(total, bytes);
        }
    }
}
