//! The digest of a stream of unknown length.
//!
//! A piece ends where the rolling hash is -1 modulo the block size. All block sizes are 3 · 2^k, so the end of a piece
//! at one size ends a piece at every smaller one. The block size of the digest is only known at the end, so all
//! possible ones (*levels*) are computed in parallel. A level is added when the one below ends its first piece; the
//! lowest level is dropped when it can't be chosen any more.
//!
//! Source: Kornblum (2006); the rule for sizes since 2.10 was derived from experiments and test vectors.

use super::lanes::step;
use crate::digest::ssdeep::SsdeepDigest;
use crate::kernel::Features;
use crate::likeness::{Likeness, Refusal};
use crate::roll::Roll;

/// The maximum length of a digest's first part; the second part has half as many characters unless it is long.
pub(super) const LENGTH: usize = 64;
/// The smallest block size.
pub(super) const SMALLEST: u64 = 3;
/// The number of block sizes, and one more that no rolling hash can reach, for the second part of the largest.
const LEVELS: usize = 32;
/// The low bits of the initial piece hash (0x28021967).
const START: u16 = 0x67;
/// The maximum length of a stream in bytes: 64 blocks of the largest size.
const MAXIMUM: u64 = (SMALLEST << (LEVELS - 2)) * LENGTH as u64;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The maximum length of the second part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecondPart {
    /// 32 characters, as written by `ssdeep`.
    Normal,
    /// 64 characters, which matches more of long files; the library's flag "no truncation".
    Long,
}

/// The pieces of one block size.
#[derive(Debug, Clone, Copy)]
struct Level {
    /// Characters of finished pieces. The last position is overwritten by each further piece.
    text: [u8; LENGTH],
    /// The number of final positions, at most 63.
    count: usize,
    /// Whether position 63 is in use.
    full: bool,
    /// The character at position 31 of a short second part, overwritten by each further piece.
    half: Option<u8>,
}

const EMPTY: Level = Level { text: [0; LENGTH], count: 0, full: false, half: None };

/// The hash of a stream.
pub(crate) struct SsdeepStream {
    form: SecondPart,
    roll: Roll,
    /// Piece hashes at the positions `whole_at` and `half_at`.
    hashes: [u16; 2 * LEVELS],
    levels: [Level; LEVELS],
    low: usize,
    high: usize,
    length: u64,
}

/// Returns the position of a level's piece hash.
fn whole_at(level: usize) -> usize {
    level / 16 * 32 + level % 16
}

/// Returns the position of the piece hash for a level's short second part, which is not reset from the 31st piece on.
fn half_at(level: usize) -> usize {
    whole_at(level) + 16
}

/// Returns the character of a piece hash, as its index in the alphabet.
fn character(hash: u16) -> u8 {
    hash as u8 & 63
}

impl SsdeepStream {
    pub(crate) fn new(form: SecondPart) -> Self {
        let (roll, hashes, levels) = (Roll::default(), [START; 2 * LEVELS], [EMPTY; LEVELS]);
        SsdeepStream { form, roll, hashes, levels, low: 0, high: 1, length: 0 }
    }

    /// Takes bytes up to the end of a piece of the lowest level; returns their number.
    fn run(&mut self, bytes: &[u8]) -> usize {
        let below = (1_u32 << self.low) - 1;
        let hashes = self.hashes.as_mut_slice();
        let (roll, features) = (&mut self.roll, Features::best());
        // Usually the upper or the lower sixteen levels are unused.
        let half = if self.high <= 16 { hashes.first_chunk_mut() } else { hashes.last_chunk_mut() };
        match half.filter(|_| self.high <= 16 || self.low >= 16) {
            Some(half) => features.run(
                #[inline(always)]
                || run::<LEVELS>(roll, half, below, bytes),
            ),
            None => features.run(
                #[inline(always)]
                || run::<{ 2 * LEVELS }>(roll, &mut self.hashes, below, bytes),
            ),
        }
    }

    /// Ends the pieces of all levels with a block size that divides the rolling hash + 1.
    fn end_pieces(&mut self) {
        let value = self.roll.value().wrapping_add(1);
        if !ends(value) {
            return;
        }
        let top = value.trailing_zeros() as usize;
        let mut level = self.low;
        while level < self.high && level <= top {
            self.end_piece(level);
            level += 1;
        }
        self.drop_lowest();
    }

    fn end_piece(&mut self, level: usize) {
        if self.levels[level].count == 0 && level + 1 == self.high && self.high < LEVELS {
            self.hashes[whole_at(self.high)] = self.hashes[whole_at(level)];
            self.hashes[half_at(self.high)] = self.hashes[half_at(level)];
            self.high += 1;
        }
        let state = &mut self.levels[level];
        state.text[state.count] = character(self.hashes[whole_at(level)]);
        state.half = Some(character(self.hashes[half_at(level)]));
        if state.count == LENGTH - 1 {
            state.full = true;
            return;
        }
        state.count += 1;
        self.hashes[whole_at(level)] = START;
        if state.count < LENGTH / 2 {
            self.hashes[half_at(level)] = START;
            state.half = None;
        }
    }

    /// Drops the lowest levels that can't be chosen any more: too small for the length, with a sufficient level above.
    fn drop_lowest(&mut self) {
        while self.high - self.low >= 2
            && self.length > (SMALLEST << self.low) * LENGTH as u64
            && self.levels[self.low + 1].count >= LENGTH / 2
        {
            self.low += 1;
        }
    }

    /// Returns the level of the digest: the smallest block size that fits the length, or the next lower one with 32
    /// pieces.
    fn chosen(&self) -> usize {
        let fits = |level: &usize| (SMALLEST << level) * LENGTH as u64 >= self.length;
        let mut level = (self.low..LEVELS - 1).find(fits).unwrap_or(LEVELS - 2).min(self.high - 1);
        while level > self.low && self.levels[level].count < LENGTH / 2 {
            level -= 1;
        }
        level
    }

    /// Returns the first part, or a long second one, from the pieces of a level.
    fn whole_part(&self, level: usize) -> Vec<u8> {
        let state = &self.levels[level];
        let mut part = state.text[..state.count].to_vec();
        if self.roll.value() != 0 {
            part.push(character(self.hashes[whole_at(level)]));
        } else if state.full {
            part.push(state.text[LENGTH - 1]);
        }
        part
    }

    /// Returns a short second part from the pieces of a level.
    fn half_part(&self, level: usize) -> Vec<u8> {
        let state = &self.levels[level];
        let mut part = state.text[..state.count.min(LENGTH / 2 - 1)].to_vec();
        if self.roll.value() != 0 {
            part.push(character(self.hashes[half_at(level)]));
        } else {
            part.extend(state.half);
        }
        part
    }

    /// Returns the second part. A level that was not added has the hash of the one below, which ended no piece.
    fn second_part(&self, level: usize) -> Vec<u8> {
        if level >= self.high {
            return self.whole_part(level - 1);
        }
        match self.form {
            SecondPart::Normal => self.half_part(level),
            SecondPart::Long => self.whole_part(level),
        }
    }
}

/// Feeds bytes into the hashes, up to one at which a piece ends and the rolling hash + 1 has none of the bits of
/// `below`; returns the number of bytes.
#[inline(always)]
fn run<const N: usize>(roll: &mut Roll, hashes: &mut [u16; N], below: u32, bytes: &[u8]) -> usize {
    let (mut rolling, mut lanes) = (*roll, *hashes);
    let mut taken = bytes.len();
    for (i, byte) in bytes.iter().enumerate() {
        step(&mut lanes, *byte);
        let value = rolling.feed(*byte).wrapping_add(1);
        if value & below == 0 && ends(value) {
            taken = i + 1;
            break;
        }
    }
    (*roll, *hashes) = (rolling, lanes);
    taken
}

/// Returns whether a piece ends at some level, given the rolling hash + 1. The hash 2^32 - 1 is not -1 modulo 3.
#[inline(always)]
fn ends(value: u32) -> bool {
    value.is_multiple_of(3) && value != 0
}

impl Likeness for SsdeepStream {
    fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let taken = self.run(bytes);
            self.length += taken as u64;
            self.end_pieces();
            bytes = &bytes[taken..];
        }
    }

    fn finish(&mut self) -> Result<crate::LikenessDigest, Refusal> {
        if self.length > MAXIMUM {
            return Err(Refusal::TooLarge { maximum: MAXIMUM });
        }
        let level = self.chosen();
        let letters = |part: Vec<u8>| part.iter().map(|six| ALPHABET[usize::from(*six)]).collect();
        let (first, second) = (letters(self.whole_part(level)), letters(self.second_part(level + 1)));
        Ok(crate::LikenessDigest::Ssdeep(SsdeepDigest { block: SMALLEST << level, first, second }))
    }
}
