//! Where a stream may be cut, found for many bytes at once.
//!
//! The rolling hash is the sum of its last seven bytes b0 (the newest) to b6, weighted by 8 to 2, and of an exclusive or
//! of the bytes, each shifted by five bits more than the one after it. So its lowest five bits are those of
//! 9 b0 + 7 b1 + ... + 2 b6, which need no more than bytes. A cut has all of them set; one place in 32 is marked for that,
//! and only there is the hash worked out.

use crate::roll::{WINDOW, value};

/// The expected length of a piece beyond the bytes that are left out.
const PIECE: u32 = 160;

/// Places that are marked at once.
const PLACES: usize = 64;

/// Bytes whose hashes tell of that many places.
const READ: usize = PLACES + WINDOW - 1;

/// Places whose last seven bytes may make a cut: a bit for each, from the seventh byte on, as far as whole blocks go.
pub(super) struct Marks(Vec<u64>);

/// Whether the stream is cut behind the byte with which the rolling hash has this value.
#[inline(always)]
pub(super) fn is_cut(value: u32) -> bool {
    // The lowest five bits decide most often.
    value % 32 == 31 && value % PIECE == PIECE - 1
}

impl Marks {
    /// The marks of bytes that follow each other.
    pub(super) fn of(bytes: &[u8]) -> Marks {
        let blocks = bytes.len().saturating_sub(WINDOW - 1) / PLACES;
        let blocks = (0..blocks).filter_map(|block| bytes[block * PLACES..].first_chunk());
        Marks(blocks.map(mark).collect())
    }

    /// The place behind the first cut that is made by a byte at `from` or behind it; none if the bytes have no such. The
    /// window must not reach back behind their start.
    #[inline]
    pub(super) fn next_cut(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let first = from.saturating_sub(WINDOW - 1);
        let (block, skipped) = (first / PLACES, first % PLACES);
        let cut = |start: usize| bytes[start..].first_chunk().is_some_and(|window| is_cut(value(window)));
        let mut start = first;
        if let Some(mark) = self.0.get(block) {
            let words =
                std::iter::once(mark >> skipped << skipped).chain(self.0[block + 1..].iter().copied());
            for (block, mut word) in (block..).zip(words) {
                while word != 0 {
                    let start = block * PLACES + word.trailing_zeros() as usize;
                    if cut(start) {
                        return Some(start + WINDOW);
                    }
                    word &= word - 1;
                }
            }
            start = self.0.len() * PLACES;
        }
        let end = bytes.len().saturating_sub(WINDOW - 1);
        (start..end).find(|start| cut(*start)).map(|start| start + WINDOW)
    }
}

/// The marks of a block.
#[inline(always)]
fn mark(bytes: &[u8; READ]) -> u64 {
    // A sum of sums from the newest byte on counts that byte most often.
    let (mut sum, mut sums) = ([0_u8; PLACES], [0_u8; PLACES]);
    for age in 0..WINDOW {
        for place in 0..PLACES {
            sum[place] = sum[place].wrapping_add(bytes[place + WINDOW - 1 - age]);
            sums[place] = sums[place].wrapping_add(sum[place]);
        }
    }
    let mut marked = [0; PLACES];
    for place in 0..PLACES {
        // The sum once more makes the weights 8 to 2; the newest byte counts once more in the exclusive or.
        let all = sums[place].wrapping_add(sum[place]).wrapping_add(bytes[place + WINDOW - 1]);
        marked[place] = u8::from(all & 31 == 31);
    }
    // The product gathers the lowest bits of eight bytes in its highest byte.
    let eights = marked.as_chunks().0.iter().map(|eight| u64::from_le_bytes(*eight));
    let gathered = eights.map(|eight| eight.wrapping_mul(0x0102_0408_1020_4080) >> 56);
    gathered.rev().fold(0, |marks, eight| marks << 8 | eight)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_lead_to_every_cut() {
        let mut state = 7_u64;
        let mut bytes: Vec<u8> = Vec::new();
        for number in 0..30_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            bytes.push(if number % 5000 < 4000 { (state >> 56) as u8 } else { 7 });
        }
        for length in [0, 6, 7, 69, 70, 71, 134, 135, 30_000] {
            let bytes = &bytes[..length];
            let cuts: Vec<usize> = (WINDOW..=bytes.len())
                .filter(|end| is_cut(value(bytes[end - WINDOW..].first_chunk().unwrap())))
                .collect();
            let marks = Marks::of(bytes);
            for from in (WINDOW..bytes.len()).step_by(13) {
                let wanted = cuts.iter().find(|end| **end > from).copied();
                assert_eq!(marks.next_cut(bytes, from), wanted, "{length} {from}");
            }
        }
    }
}
