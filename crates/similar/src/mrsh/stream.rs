//! The digest of a stream.
//!
//! The stream is cut where the rolling hash is -1 modulo 160, and each piece is hashed by FNV-1a. After a cut the
//! rolling hash skips 40 bytes, unless the stream ends within them. Each step of FNV depends on the previous product;
//! so the cuts in a part of the stream are found first, and then several pieces are hashed at once. The rolling hash
//! has no such dependency: see [`super::marks`].

use super::marks::{Marks, is_cut};
use crate::bloom::Filter;
use crate::digest::mrsh::{FULL, MrshDigest};
use crate::likeness::{Likeness, Refusal};
use crate::roll::{Roll, WINDOW};

/// The number of bytes that the rolling hash skips after a cut.
const SKIP: usize = 40;
/// The offset basis and the prime of 64-bit FNV-1a.
const FNV: (u64, u64) = (0xcbf2_9ce4_8422_2325, 0x0100_0000_01b3);
/// The number of pieces hashed at once.
const LANES: usize = 4;

/// The build of the reference program to reproduce.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// Every piece is hashed.
    Regular,
    /// The first piece and the remainder after the last cut are skipped (compiled with `network`).
    Network,
}

/// The hash of a stream.
pub(crate) struct MrshStream {
    variant: Variant,
    roll: Roll,
    /// The hash of the unfinished piece.
    open: u64,
    /// Bytes after a cut, which are skipped by the rolling hash if 40 follow.
    held: Option<Vec<u8>>,
    cuts: usize,
    digest: MrshDigest,
}

impl MrshStream {
    pub(crate) fn new(variant: Variant) -> Self {
        let digest = MrshDigest { size: 0, filters: vec![Filter::EMPTY], last: 0 };
        MrshStream { variant, roll: Roll::default(), open: FNV.0, held: None, cuts: 0, digest }
    }

    /// Takes bytes of which none must be skipped because of an earlier cut. Fewer than 40 bytes after a cut are held.
    fn cut(&mut self, bytes: &[u8]) {
        let (mut pieces, mut from, mut at) = (Vec::new(), 0, 0);
        let marks = Marks::from_bytes(bytes);
        while at <= bytes.len()
            && let Some(end) = next_cut(&mut self.roll, bytes, at, &marks)
        {
            pieces.push(&bytes[from..end]);
            from = end;
            at = from + SKIP;
        }
        self.add_pieces(&pieces);
        if at > bytes.len() {
            self.held = Some(bytes[from..].to_vec());
        } else {
            self.open = fnv(self.open, &bytes[from..]);
        }
    }

    /// Adds pieces; the first one continues the unfinished piece.
    fn add_pieces(&mut self, pieces: &[&[u8]]) {
        let Some((first, rest)) = pieces.split_first() else { return };
        let hash = fnv(self.open, first);
        self.open = FNV.0;
        self.add(hash);
        fnv_of_each(rest).into_iter().for_each(|hash| self.add(hash));
    }

    /// Adds the hash of a piece to the last filter, or to a new one if that is full.
    fn add(&mut self, hash: u64) {
        self.cuts += 1;
        if self.variant == Variant::Network && self.cuts == 1 {
            return;
        }
        let digest = &mut self.digest;
        if digest.last == FULL {
            digest.filters.push(Filter::EMPTY);
            digest.last = 0;
        }
        if let Some(filter) = digest.filters.last_mut() {
            let new = filter.insert(std::array::from_fn(|i| (hash >> (11 * i)) as u32 & 0x7ff));
            digest.last += u32::from(new > 0);
        }
    }

    /// Takes the held bytes, fewer than 40 before the end of the stream, none of which is skipped.
    fn take_held(&mut self) {
        let mut held = self.held.take().unwrap_or_default();
        while let Some(length) = feed_to_cut(&mut self.roll, &held) {
            let hash = fnv(self.open, &held[..length]);
            self.open = FNV.0;
            self.add(hash);
            held.drain(..length);
        }
        self.open = fnv(self.open, &held);
    }
}

/// Feeds the rolling hash up to the next cut; returns the number of bytes including the cut.
#[inline]
fn feed_to_cut(roll: &mut Roll, bytes: &[u8]) -> Option<usize> {
    let mut state = *roll;
    let end = bytes.iter().position(|byte| is_cut(state.feed(*byte)));
    *roll = state;
    end.map(|end| end + 1)
}

/// Feeds the rolling hash from a position on; returns the position after the next cut.
#[inline]
fn next_cut(roll: &mut Roll, bytes: &[u8], from: usize, marks: &Marks) -> Option<usize> {
    let Some(window) = bytes[from..].first_chunk::<WINDOW>() else {
        return feed_to_cut(roll, &bytes[from..]).map(|end| from + end);
    };
    // First a full window, so that no earlier byte affects the hash.
    if let Some(end) = feed_to_cut(roll, window) {
        return Some(from + end);
    }
    let end = marks.next_cut(bytes, from + WINDOW);
    let last = &bytes[..end.unwrap_or(bytes.len())];
    if let Some(window) = last.last_chunk() {
        *roll = Roll::after(window);
    }
    end
}

fn fnv(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(FNV.1))
}

/// Hashes pieces: each lane takes its share of them one after another, and all lanes step together until one of them
/// reaches the end of a piece.
fn fnv_of_each(pieces: &[&[u8]]) -> Vec<u64> {
    let share = (pieces.len() / LANES).max(1);
    let mut hashes: Vec<Vec<u64>> = vec![Vec::new(); LANES];
    let mut shares: Vec<_> = pieces.chunks(share).collect();
    let rest = shares.split_off(shares.len().min(LANES)).concat();
    let Some(shares) = shares.first_chunk::<LANES>() else {
        return pieces.iter().map(|piece| fnv(FNV.0, piece)).collect();
    };
    let mut left = shares.map(|share| share[0]);
    let mut lanes = [FNV.0; LANES];
    while hashes.iter().all(|hashes| hashes.len() < share) {
        let steps = left.iter().map(|left| left.len()).min().unwrap_or(0);
        step_lanes(&mut lanes, left.map(|left| &left[..steps]));
        for lane in 0..LANES {
            left[lane] = &left[lane][steps..];
            if left[lane].is_empty() {
                hashes[lane].push(std::mem::replace(&mut lanes[lane], FNV.0));
                left[lane] = shares[lane].get(hashes[lane].len()).copied().unwrap_or_default();
            }
        }
    }
    // The remainder of the other lanes after one has finished its share.
    for lane in 0..LANES {
        while hashes[lane].len() < share {
            hashes[lane].push(fnv(std::mem::replace(&mut lanes[lane], FNV.0), left[lane]));
            left[lane] = shares[lane].get(hashes[lane].len()).copied().unwrap_or_default();
        }
    }
    let mut hashes = hashes.concat();
    hashes.extend(rest.iter().map(|piece| fnv(FNV.0, piece)));
    hashes
}

/// Feeds equal numbers of bytes into the lanes.
#[inline(always)]
fn step_lanes(lanes: &mut [u64; LANES], bytes: [&[u8]; LANES]) {
    let [a, b, c, d] = bytes;
    for (((a, b), c), d) in a.iter().zip(b).zip(c).zip(d) {
        for (lane, byte) in lanes.iter_mut().zip([a, b, c, d]) {
            *lane = (*lane ^ u64::from(*byte)).wrapping_mul(FNV.1);
        }
    }
}

impl Likeness for MrshStream {
    fn update(&mut self, mut bytes: &[u8]) {
        self.digest.size += bytes.len() as u64;
        if let Some(mut held) = self.held.take() {
            let more = bytes.len().min(SKIP - held.len());
            held.extend_from_slice(&bytes[..more]);
            bytes = &bytes[more..];
            if held.len() < SKIP {
                self.held = Some(held);
                return;
            }
            self.open = fnv(self.open, &held);
        }
        self.cut(bytes);
    }

    fn finish(&mut self) -> Result<crate::LikenessDigest, Refusal> {
        self.take_held();
        if self.digest.size > 0 && self.variant == Variant::Regular {
            self.add(self.open);
        }
        let empty = MrshDigest { size: 0, filters: vec![Filter::EMPTY], last: 0 };
        Ok(crate::LikenessDigest::Mrsh(std::mem::replace(&mut self.digest, empty)))
    }
}
