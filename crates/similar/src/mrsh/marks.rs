//! Finds possible cuts of a stream, for many bytes at once.
//!
//! The rolling hash is the sum of its last seven bytes b0 (the newest) to b6, weighted by 8 to 2, and of the XOR of the
//! bytes, each shifted by five bits more than the next newer one. So its lowest five bits are those of 9 b0 + 7 b1 +
//! ... + 2 b6, for which byte arithmetic suffices. At a cut all of them are set; this marks one position in 32, and the
//! full hash is only computed there.

use crate::roll::{WINDOW, value};

/// The expected length of a piece, without the skipped bytes.
const PIECE: u32 = 160;

/// The number of positions marked at once.
const PLACES: usize = 64;

/// The number of bytes that determine these marks.
const READ: usize = PLACES + WINDOW - 1;

/// One bit for each position from the seventh byte to the last whole block: whether its last seven bytes may make a
/// cut.
pub(super) struct Marks(Vec<u64>);

/// Returns whether the stream is cut after a byte with this value of the rolling hash.
#[inline(always)]
pub(super) fn is_cut(value: u32) -> bool {
    // The lowest five bits usually decide.
    value % 32 == 31 && value % PIECE == PIECE - 1
}

impl Marks {
    /// Marks the possible cuts in these bytes.
    pub(super) fn from_bytes(bytes: &[u8]) -> Marks {
        let blocks = bytes.len().saturating_sub(WINDOW - 1) / PLACES;
        let blocks = (0..blocks).filter_map(|block| bytes[block * PLACES..].first_chunk());
        Marks(blocks.map(mark).collect())
    }

    /// Returns the position after the first cut caused by a byte at or after `from`; `None` if there is none. The
    /// window must not begin before the bytes.
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

#[inline(always)]
fn mark(bytes: &[u8; READ]) -> u64 {
    // Adding up the partial sums, starting with the newest byte, counts that byte most often.
    let (mut sum, mut sums) = ([0_u8; PLACES], [0_u8; PLACES]);
    for age in 0..WINDOW {
        for place in 0..PLACES {
            sum[place] = sum[place].wrapping_add(bytes[place + WINDOW - 1 - age]);
            sums[place] = sums[place].wrapping_add(sum[place]);
        }
    }
    let mut marked = [0; PLACES];
    for place in 0..PLACES {
        // Adding the sum again makes the weights 8 to 2; the newest byte counts once more for the XOR.
        let all = sums[place].wrapping_add(sum[place]).wrapping_add(bytes[place + WINDOW - 1]);
        marked[place] = u8::from(all & 31 == 31);
    }
    // The multiplication gathers the lowest bits of eight bytes in the highest byte.
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
            let marks = Marks::from_bytes(bytes);
            for from in (WINDOW..bytes.len()).step_by(13) {
                let wanted = cuts.iter().find(|end| **end > from).copied();
                assert_eq!(marks.next_cut(bytes, from), wanted, "{length} {from}");
            }
        }
    }
}
