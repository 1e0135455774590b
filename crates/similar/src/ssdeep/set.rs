//! Sets of ssdeep digests, with an index that finds possible matches of a digest without examining the others.
//!
//! A score above 0 requires seven characters in a row that both digests have at one block size, or two equal digests.
//! So every run of seven, with its block size, is an entry of the index, and digests without such a run are entered as
//! a whole. Only digests with a common entry are compared; others can't match.

use super::score::{Places, Prepared};
use super::stream::SMALLEST;
use crate::digest::ssdeep::COMMON;
use crate::pairs::{Columns, Foreign, Pair, Set as Pairable};
use crate::{LikenessDigest, Measure, Named};
use std::ops::Range;
use std::sync::OnceLock;

/// Digests prepared for comparison.
pub struct Set {
    members: Vec<Prepared>,
    index: OnceLock<Index>,
}

impl Set {
    /// Returns the entries of the index: key in the upper half, member in the lower half, sorted.
    pub(crate) fn candidates(&self) -> Vec<u64> {
        Index::entries(&self.members)
    }

    /// Sets the candidates, which an equal set returned earlier.
    #[must_use]
    pub(crate) fn with_candidates(self, entries: Vec<u64>) -> Self {
        Set { members: self.members, index: OnceLock::from(Index::from_entries(entries)) }
    }
}

impl Pairable for Set {
    const MEASURE: Measure = Measure::Score;

    fn gather(members: &[Named]) -> Result<Self, Foreign> {
        let prepare = |(at, named): (usize, &Named)| match &named.digest {
            LikenessDigest::Ssdeep(digest) => Prepared::new(digest).ok_or(Foreign { at }),
            _ => Err(Foreign { at }),
        };
        let members = members.iter().enumerate().map(prepare).collect::<Result<_, _>>()?;
        Ok(Set { members, index: OnceLock::new() })
    }

    fn len(&self) -> usize {
        self.members.len()
    }

    fn scan(&self, rows: Range<usize>, others: &Self, columns: Columns, limit: i32) -> Vec<Pair> {
        if limit <= 0 {
            return self.scan_all(rows, others, columns, limit);
        }
        let index = others.index.get_or_init(|| Index::new(&others.members));
        let (mut found, mut candidates) = (Vec::new(), Vec::new());
        for row in rows {
            index.candidates(&self.members[row], &mut candidates);
            candidates.retain(|column| columns.wants(row, *column as usize));
            if !candidates.is_empty() {
                let columns = candidates.iter().map(|column| *column as usize);
                score_row(row, &self.members[row], &others.members, columns, limit, &mut found);
            }
        }
        found
    }

    fn score(&self, a: usize, others: &Self, b: usize) -> i32 {
        self.members[a].score(&others.members[b]) as i32
    }

    fn scan_all(&self, rows: Range<usize>, others: &Self, columns: Columns, limit: i32) -> Vec<Pair> {
        let mut found = Vec::new();
        for row in rows {
            let columns = columns.range(row, others.len());
            score_row(row, &self.members[row], &others.members, columns, limit, &mut found);
        }
        found
    }
}

fn score_row(
    row: usize,
    digest: &Prepared,
    others: &[Prepared],
    columns: impl Iterator<Item = usize>,
    limit: i32,
    found: &mut Vec<Pair>,
) {
    let places = Places::new(digest);
    for column in columns {
        let score = places.score(&others[column]) as i32;
        if score >= limit {
            found.push(Pair { a: row, b: column, score });
        }
    }
}

/// An index from keys to digests.
struct Index {
    /// The entries: key in the upper half, member in the lower half, sorted.
    entries: Vec<u64>,
    /// For each value of the keys' highest bits, the position of the first entry.
    starts: Vec<u32>,
    /// The number of these bits.
    bits: u32,
}

impl Index {
    fn new(members: &[Prepared]) -> Self {
        Index::from_entries(Index::entries(members))
    }

    fn entries(members: &[Prepared]) -> Vec<u64> {
        let mut entries = Vec::new();
        for (member, digest) in members.iter().enumerate() {
            each_key(digest, |key| entries.push(u64::from(key) << 32 | member as u64));
        }
        entries.sort_unstable();
        entries.dedup();
        entries.shrink_to_fit();
        entries
    }

    fn from_entries(entries: Vec<u64>) -> Self {
        let bits = (entries.len() / 4 + 2).ilog2().clamp(1, 24);
        let starts = starts(&entries, bits);
        Index { entries, starts, bits }
    }

    /// Finds the members that share a key with the digest, sorted, without duplicates.
    fn candidates(&self, digest: &Prepared, found: &mut Vec<u32>) {
        found.clear();
        each_key(digest, |key| {
            let bucket = (key >> (32 - self.bits)) as usize;
            let bucket = self.starts[bucket] as usize..self.starts[bucket + 1] as usize;
            let entries = self.entries[bucket].iter();
            let same = entries.skip_while(|entry| (*entry >> 32) as u32 != key);
            found.extend(same.take_while(|entry| (*entry >> 32) as u32 == key).map(|entry| *entry as u32));
        });
        found.sort_unstable();
        found.dedup();
    }
}

fn starts(entries: &[u64], bits: u32) -> Vec<u32> {
    let mut starts = vec![0_u32; (1 << bits) + 1];
    for entry in entries {
        starts[(entry >> (64 - bits)) as usize + 1] += 1;
    }
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
    starts
}

/// Passes on every key of a digest: of each run of seven characters of each part, or of the whole if there is none. Two
/// digests with a score have a common key, but a common key does not imply a score.
fn each_key(digest: &Prepared, mut give: impl FnMut(u32)) {
    let level = (digest.block / SMALLEST).ilog2();
    let mut none = true;
    for (part, level) in digest.parts.iter().zip(u64::from(level) + 1..) {
        for run in part.bytes().windows(COMMON) {
            let text = run.iter().fold(0, |text, byte| text << 8 | u64::from(*byte));
            give(key(text | level << (8 * COMMON)));
            none = false;
        }
    }
    if none {
        let [first, second] = [0, 1].map(|part: usize| {
            let bytes = digest.parts[part].bytes().iter();
            bytes.fold(0, |text, byte| text << 8 | u64::from(*byte))
        });
        give(key(first.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ second << 5 ^ u64::from(level) << 58));
    }
}

/// Hashes a text: the upper half of a product with an odd number, after mixing the bits once.
fn key(text: u64) -> u32 {
    let spread = (text ^ text >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((spread ^ spread >> 32).wrapping_mul(0x94d0_49bb_1331_11eb) >> 32) as u32
}
