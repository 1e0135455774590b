//! Sets of sdhash digests, with all filters in one allocation.

use super::score::{Newer, Scoring, View, filters, score_views, weights};
use crate::bloom::Filter;
use crate::kernel::Features;
use crate::pairs::{Columns, Foreign, Pair, Set as Pairable};
use crate::{LikenessDigest, Measure, Named};
use std::marker::PhantomData;
use std::ops::Range;

/// The number of filters compared with a batch of rows while they are in the cache: 64 KiB.
const TILE: usize = 256;

/// Digests of one segment each, prepared for comparison.
pub struct Set<S = Newer> {
    scoring: PhantomData<S>,
    filters: Vec<Filter>,
    weights: Vec<u16>,
    counts: Vec<u8>,
    members: Vec<Member>,
}

/// A digest of the set.
struct Member {
    /// The end of its filters.
    end: usize,
    name: Vec<u8>,
}

impl<S: Scoring> Set<S> {
    fn empty() -> Self {
        let (filters, weights, counts) = (Vec::new(), Vec::new(), Vec::new());
        Set { scoring: PhantomData, filters, weights, counts, members: Vec::new() }
    }

    fn view(&self, at: usize) -> View<'_> {
        let from = if at == 0 { 0 } else { self.members[at - 1].end };
        let Member { end, name } = &self.members[at];
        let of = from..*end;
        View {
            name,
            filters: &self.filters[of.clone()],
            weights: &self.weights[of.clone()],
            counts: &self.counts[of],
        }
    }

    /// Returns the members starting with `from` whose filters fill a tile.
    fn tile(&self, from: usize) -> Range<usize> {
        let start = if from == 0 { 0 } else { self.members[from - 1].end };
        let more = self.members[from..].partition_point(|member| member.end <= start + TILE);
        from..from + more.max(1)
    }

    #[inline(always)]
    fn scan_tile(&self, a: usize, others: &Self, tile: Tile, found: &mut Vec<Pair>) {
        let row = self.view(a);
        for b in tile.columns {
            let score = score_views::<S>(&row, &others.view(b));
            if score >= tile.limit {
                found.push(Pair { a, b, score });
            }
        }
    }
}

/// Some columns, and the minimum score of interest.
struct Tile {
    columns: Range<usize>,
    limit: i32,
}

impl<S: Scoring> Pairable for Set<S> {
    const MEASURE: Measure = Measure::Score;

    fn gather(members: &[Named]) -> Result<Self, Foreign> {
        let mut set = Set::<S>::empty();
        for (at, named) in members.iter().enumerate() {
            let LikenessDigest::Sdhash(segments) = &named.digest else { return Err(Foreign { at }) };
            let [digest] = segments.as_slice() else { return Err(Foreign { at }) };
            let filters = filters::<S>(digest);
            set.weights.extend(weights(&filters));
            set.filters.extend(filters);
            set.counts.extend_from_slice(&digest.counts);
            set.members.push(Member { end: set.filters.len(), name: named.name.clone() });
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
        score_views::<S>(&self.view(a), &others.view(b))
    }
}
