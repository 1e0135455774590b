//! Sets of TLSH digests.
//!
//! They are sorted by length: each step of the length alone adds 12 to the distance, so that for a given limit only a
//! narrow band of lengths is examined; then the quartiles; then the buckets.

use super::distance::PreparedDigest;
use crate::pairs::{Columns, Foreign, Pair, Set as Pairable};
use crate::{LikenessDigest, Measure, Named};
use std::ops::Range;

/// Digests prepared for comparison.
pub struct Set {
    members: Vec<PreparedDigest>,
    /// For each encoded length, its members in order.
    by_length: Vec<Vec<(u32, PreparedDigest)>>,
}

impl Pairable for Set {
    const MEASURE: Measure = Measure::Distance;

    fn gather(members: &[Named]) -> Result<Self, Foreign> {
        let bars = |(at, named): (usize, &Named)| match &named.digest {
            LikenessDigest::Tlsh(digest) => Ok(PreparedDigest::new(digest)),
            _ => Err(Foreign { at }),
        };
        let members = members.iter().enumerate().map(bars).collect::<Result<Vec<_>, _>>()?;
        let mut by_length = vec![Vec::new(); 256];
        for (at, bars) in members.iter().enumerate() {
            by_length[usize::from(bars.length)].push((at as u32, *bars));
        }
        Ok(Set { members, by_length })
    }

    fn len(&self) -> usize {
        self.members.len()
    }

    fn scan(&self, rows: Range<usize>, others: &Self, columns: Columns, limit: i32) -> Vec<Pair> {
        let Ok(limit) = u32::try_from(limit) else { return Vec::new() };
        let mut found = Vec::new();
        for row in rows {
            let from = found.len();
            for members in &others.by_length {
                self.scan_length(row, members, columns, limit, &mut found);
            }
            found[from..].sort_unstable();
        }
        found
    }

    fn score(&self, a: usize, others: &Self, b: usize) -> i32 {
        let (bars, other) = (&self.members[a], &others.members[b]);
        let head = bars.length_distance(other) + bars.head_distance(other);
        (head + bars.code_distance(other)) as i32
    }
}

impl Set {
    /// Compares a row with the members of one length.
    fn scan_length(
        &self,
        a: usize,
        others: &[(u32, PreparedDigest)],
        columns: Columns,
        limit: u32,
        found: &mut Vec<Pair>,
    ) {
        let bars = &self.members[a];
        let Some((_, first)) = others.first() else { return };
        let length = bars.length_distance(first);
        if length > limit {
            return;
        }
        for (b, other) in others {
            let b = *b as usize;
            let head = length + bars.head_distance(other);
            if head > limit || !columns.wants(a, b) {
                continue;
            }
            let score = head + bars.code_distance(other);
            if score <= limit {
                found.push(Pair { a, b, score: score as i32 });
            }
        }
    }
}

/// Digests compared without their lengths (`-xlen`).
pub struct Lengthless(Vec<PreparedDigest>);

impl Pairable for Lengthless {
    const MEASURE: Measure = Measure::Distance;

    fn gather(members: &[Named]) -> Result<Self, Foreign> {
        Ok(Lengthless(Set::gather(members)?.members))
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn scan(&self, rows: Range<usize>, others: &Self, columns: Columns, limit: i32) -> Vec<Pair> {
        self.scan_all(rows, others, columns, limit)
    }

    fn score(&self, a: usize, others: &Self, b: usize) -> i32 {
        let (bars, other) = (&self.0[a], &others.0[b]);
        (bars.head_distance(other) + bars.code_distance(other)) as i32
    }
}
