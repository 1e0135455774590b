//! The clusters that are in use, one bit each.

use super::geometry::Clusters;
use crate::ByteRun;

/// The clusters that are in use. It takes a bit of memory for each cluster: 32 MiB for the most that FAT32 can have.
#[derive(Debug)]
pub(crate) struct Used {
    /// The least bit of the first word is the first cluster. Bits behind the last cluster are set.
    words: Vec<u64>,
    count: u32,
}

/// The most clusters that are kept: those of the largest FAT32.
const MAX_CLUSTERS: u32 = 1 << 28;

impl Used {
    /// Creates the bits of that many clusters, all in use; none if there are more than are kept.
    pub fn new(count: u32) -> Option<Used> {
        (count <= MAX_CLUSTERS).then(|| Used { words: vec![u64::MAX; count.div_ceil(64) as usize], count })
    }

    /// Marks a cluster, counted from 0, as free.
    pub fn free(&mut self, index: u32) {
        if index < self.count
            && let Some(word) = self.words.get_mut((index / 64) as usize)
        {
            *word &= !(1 << (index % 64));
        }
    }

    /// Returns whether a cluster is in use; those that don't exist are.
    pub fn is_used(&self, index: u32) -> bool {
        self.words.get((index / 64) as usize).is_none_or(|word| word >> (index % 64) & 1 == 1)
    }

    /// Returns the first cluster from `from` on that is free, or the number of clusters.
    pub fn next_free(&self, from: u32) -> u32 {
        self.next(from, |word| !word)
    }

    /// Returns the first cluster from `from` on that is in use, or the number of clusters.
    pub fn next_used(&self, from: u32) -> u32 {
        self.next(from, |word| word)
    }

    fn next(&self, from: u32, wanted: impl Fn(u64) -> u64) -> u32 {
        let start = (from / 64) as usize;
        let words = self.words.get(start..).unwrap_or_default();
        for (number, word) in words.iter().enumerate() {
            let mask = if number == 0 { u64::MAX << (from % 64) } else { u64::MAX };
            let found = wanted(*word) & mask;
            if found != 0 {
                return (((start + number) * 64) as u32 + found.trailing_zeros()).min(self.count);
            }
        }
        self.count
    }
}

/// The runs of free clusters.
#[derive(Debug)]
pub(crate) struct FreeRuns<'a> {
    used: &'a Used,
    clusters: Clusters,
    at: u32,
}

impl<'a> FreeRuns<'a> {
    /// Begins with the first cluster.
    pub fn new(used: &'a Used, clusters: Clusters) -> FreeRuns<'a> {
        FreeRuns { used, clusters, at: 0 }
    }
}

impl Iterator for FreeRuns<'_> {
    type Item = ByteRun;

    fn next(&mut self) -> Option<ByteRun> {
        let first = self.used.next_free(self.at);
        let end = self.used.next_used(first);
        self.at = end;
        if first >= end {
            return None;
        }
        let (at, end) = (self.clusters.place_of_index(first), self.clusters.place_of_index(end));
        Some(ByteRun { at, length: end - at, place: Some(at) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_clusters_are_found_across_words() {
        let mut used = Used::new(200).unwrap();
        for index in (3..5).chain(60..130).chain(199..260) {
            used.free(index);
        }
        let clusters = Clusters { start: 1000, size: 10, count: 200 };
        let free: Vec<_> = FreeRuns::new(&used, clusters).map(|run| (run.at, run.length)).collect();
        assert_eq!(free, [(1030, 20), (1600, 700), (2990, 10)]);
        assert!(used.is_used(200) && used.is_used(u32::MAX) && !used.is_used(199));
        assert_eq!((used.next_free(200), used.next_used(u32::MAX)), (200, 200));
    }
}
