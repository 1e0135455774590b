//! Scores of two ssdeep digests, as version 2.14 computes them.
//!
//! Two parts of one block size must share seven characters in a row; then their edit distance (1 for an insertion or
//! deletion, 2 for a replacement, so it follows from the longest common subsequence) is scaled to 0..100. All 64
//! positions of a part are compared at once, one bit each.

use super::stream::SMALLEST;
use crate::digest::ssdeep::{COMMON, SsdeepDigest, cut_runs};

/// The maximum length of a part that can be compared.
pub(super) const MAXIMUM: usize = 64;
/// The block size from which the score is not capped.
const UNCAPPED: u64 = (99 + COMMON as u64) / COMMON as u64 * SMALLEST;

/// A digest prepared for many comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prepared {
    pub(super) block: u64,
    pub(super) parts: [ScoredPart; 2],
}

/// A part without long runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ScoredPart {
    length: u8,
    characters: [u8; MAXIMUM],
}

/// For each character, its positions in both parts of a digest: a digest prepared for comparison with many others.
pub(super) struct Places {
    digest: Prepared,
    places: [[u64; 256]; 2],
}

impl ScoredPart {
    /// Returns `None` if the text is too long to be compared.
    fn new(text: &[u8]) -> Option<Self> {
        let cut = cut_runs(text);
        let mut characters = [0; MAXIMUM];
        characters.get_mut(..cut.len())?.copy_from_slice(&cut);
        Some(ScoredPart { length: cut.len() as u8, characters })
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.characters[..usize::from(self.length)]
    }
}

impl Prepared {
    /// Returns `None` if a part is longer than 64 characters after its runs are cut.
    pub fn new(digest: &SsdeepDigest) -> Option<Self> {
        let parts = [ScoredPart::new(&digest.first)?, ScoredPart::new(&digest.second)?];
        Some(Prepared { block: digest.block, parts })
    }

    /// Returns the score, 0 to 100.
    pub fn score(&self, other: &Prepared) -> u32 {
        Places::new(self).score(other)
    }
}

impl Places {
    pub(super) fn new(digest: &Prepared) -> Self {
        let mut places = [[0; 256]; 2];
        for (places, part) in places.iter_mut().zip(&digest.parts) {
            for (i, character) in part.bytes().iter().enumerate() {
                places[usize::from(*character)] |= 1 << i;
            }
        }
        Places { digest: *digest, places }
    }

    /// Returns the score of this digest and another, 0 to 100.
    pub(super) fn score(&self, other: &Prepared) -> u32 {
        let (block, others) = (self.digest.block, &other.parts);
        if block == other.block {
            if self.digest.parts == *others {
                return 100;
            }
            let first = self.part_score(0, &others[0], block);
            first.max(self.part_score(1, &others[1], block.wrapping_mul(2)))
        } else if block.wrapping_mul(2) == other.block {
            self.part_score(1, &others[0], other.block)
        } else if other.block.wrapping_mul(2) == block {
            self.part_score(0, &others[1], block)
        } else {
            0
        }
    }

    fn part_score(&self, mine: usize, other: &ScoredPart, block: u64) -> u32 {
        let (places, part) = (&self.places[mine], &self.digest.parts[mine]);
        if !share_seven(places, other.bytes()) {
            return 0;
        }
        let (mine, others) = (u32::from(part.length), u32::from(other.length));
        let edits = mine + others - 2 * common_subsequence(places, other.bytes());
        let score = 100 - 100 * (edits * 64 / (mine + others)) / 64;
        if block >= UNCAPPED {
            return score;
        }
        // Small blocks are weak evidence, so the score is limited by the shorter part's length in units of the smallest
        // block.
        score.min((block / SMALLEST) as u32 * mine.min(others))
    }
}

/// Returns whether both parts contain the same seven characters in a row: runs of matches along the diagonals, composed
/// of runs of two, four, and two overlapping runs of four.
#[inline]
fn share_seven(places: &[u64; 256], other: &[u8]) -> bool {
    let (mut one, mut two, mut four) = (0_u64, [0_u64; 2], [0_u64; 3]);
    let mut found = 0;
    for character in other {
        let ones = places[usize::from(*character)];
        let twos = ones & one << 1;
        let fours = twos & two[1] << 2;
        found |= fours & four[2] << 3;
        (one, two, four) = (ones, [twos, two[0]], [fours, four[0], four[1]]);
    }
    found != 0
}

/// Returns the length of the longest common subsequence (Hyyrö 2004: a zero bit for each step in a row of the table).
#[inline]
fn common_subsequence(places: &[u64; 256], other: &[u8]) -> u32 {
    let mut row = !0_u64;
    for character in other {
        let matches = row & places[usize::from(*character)];
        row = row.wrapping_add(matches) | (row - matches);
    }
    row.count_zeros()
}
