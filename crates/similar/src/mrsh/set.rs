//! Sets of mrsh-v2 digests, with all filters in one allocation.

use super::score::{Denominator, WeighedDigest, score_weighed, weights};
use crate::bloom::Filter;
use crate::kernel::Features;
use crate::pairs::{Columns, Foreign, Pair, Set as Pairable};
use crate::{LikenessDigest, Measure, Named};
use std::ops::Range;

/// The number of filters compared with a batch of rows while they are in the cache: 64 KiB.
const TILE: usize = 256;

/// Digests prepared for comparison.
pub struct Set {
    filters: Vec<Filter>,
    weights: Vec<u16>,
    /// For each member, the end of its filters, and the number of pieces of the last one.
    members: Vec<(usize, u32)>,
    denominator: Denominator,
}

impl Set {
    /// Sets another divisor for scores.
    #[must_use]
    fn by(mut self, denominator: Denominator) -> Self {
        self.denominator = denominator;
        self
    }

    fn empty() -> Self {
        let denominator = Denominator::Smaller;
        Set { filters: Vec::new(), weights: Vec::new(), members: Vec::new(), denominator }
    }

    fn member(&self, at: usize) -> WeighedDigest<'_> {
        let from = if at == 0 { 0 } else { self.members[at - 1].0 };
        let (to, last) = self.members[at];
        WeighedDigest { filters: &self.filters[from..to], weights: &self.weights[from..to], last }
    }

    #[inline(always)]
    fn scan_tile(&self, a: usize, others: &Self, tile: Tile, found: &mut Vec<Pair>) {
        let row = self.member(a);
        for b in tile.columns {
            let score = score_weighed(&row, &others.member(b), self.denominator) as i32;
            if score >= tile.limit {
                found.push(Pair { a, b, score });
            }
        }
    }

    /// Returns the members starting with `from` whose filters fill a tile.
    fn tile(&self, from: usize) -> Range<usize> {
        let start = if from == 0 { 0 } else { self.members[from - 1].0 };
        let more = self.members[from..].partition_point(|(end, _)| *end <= start + TILE);
        from..from + more.max(1)
    }
}

/// Some columns, and the minimum score of interest.
struct Tile {
    columns: Range<usize>,
    limit: i32,
}

impl Pairable for Set {
    const MEASURE: Measure = Measure::Score;

    fn gather(members: &[Named]) -> Result<Self, Foreign> {
        let mut set = Set::empty();
        for (at, named) in members.iter().enumerate() {
            let LikenessDigest::Mrsh(digest) = &named.digest else { return Err(Foreign { at }) };
            set.filters.extend_from_slice(&digest.filters);
            set.weights.extend(weights(digest));
            set.members.push((set.filters.len(), digest.last));
        }
        Ok(set)
    }

    fn len(&self) -> usize {
        self.members.len()
    }

    fn scan(&self, rows: Range<usize>, others: &Self, columns: Columns, limit: i32) -> Vec<Pair> {
        let (mut found, mut tile) = (Vec::new(), 0..0);
        while tile.end < others.len() {
            tile = others.tile(tile.end);
            for row in rows.clone() {
                let wanted = columns.range(row, others.len());
                let tile = Tile { columns: tile.start.max(wanted.start)..tile.end, limit };
                Features::best().run(
                    #[inline(always)]
                    || self.scan_tile(row, others, tile, &mut found),
                );
            }
        }
        found.sort_unstable();
        found
    }

    fn score(&self, a: usize, others: &Self, b: usize) -> i32 {
        score_weighed(&self.member(a), &others.member(b), self.denominator) as i32
    }
}

/// Digests with scores divided by the filters of the larger one (`-f`).
pub struct Whole(Set);

impl Pairable for Whole {
    const MEASURE: Measure = Set::MEASURE;

    fn gather(members: &[Named]) -> Result<Self, Foreign> {
        Ok(Whole(Set::gather(members)?.by(Denominator::Larger)))
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn scan(&self, rows: Range<usize>, others: &Self, columns: Columns, limit: i32) -> Vec<Pair> {
        self.0.scan(rows, &others.0, columns, limit)
    }

    fn score(&self, a: usize, others: &Self, b: usize) -> i32 {
        self.0.score(a, &others.0, b)
    }
}
