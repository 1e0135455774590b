//! Which clusters are in use ($Bitmap).

use super::table::read_all;
use crate::{ByteRun, ByteRuns, Content, Medium, Problem};
use std::ops::Range;
use std::sync::Arc;

/// The number of bytes of the bitmap that are read at once. They are read again for every free place, out of memory.
const PIECE: u64 = 1 << 10;

/// The bitmap of clusters.
#[derive(Debug)]
pub(super) struct Bitmap {
    medium: Arc<dyn Medium>,
    content: Content,
    clusters: u64,
    cluster: u64,
}

/// Whether free clusters may begin behind the first that is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seek {
    Yes,
    No,
}

impl Bitmap {
    /// Takes the content of `$Bitmap` for that of so many clusters of a size.
    pub(super) fn new(medium: Arc<dyn Medium>, content: Content, clusters: u64, cluster: u64) -> Bitmap {
        // Clusters that the medium has no room for take no time.
        let clusters = clusters.min(medium.size() / cluster);
        Bitmap { medium, content, clusters, cluster }
    }

    /// Returns whether no cluster is in use that has one of the first `size` bytes of a file.
    ///
    /// # Errors
    /// If the bitmap can't be read.
    pub(super) fn are_free(&self, runs: &ByteRuns, size: u64) -> Result<bool, Problem> {
        for run in runs.as_slice().iter().take_while(|run| run.at < size) {
            let Some(place) = run.place else { continue };
            let length = run.length.min(size - run.at);
            let (start, end) = (place / self.cluster, place.saturating_add(length).div_ceil(self.cluster));
            if end > self.clusters || self.next(start, end, Seek::No)? != Some(start..end) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the free places.
    pub(super) fn free(&self) -> impl Iterator<Item = Result<ByteRun, Problem>> + Send + '_ {
        let mut at = 0;
        std::iter::from_fn(move || {
            let next = self.next(at, self.clusters, Seek::Yes).transpose()?;
            // After a failure nothing more is known.
            at = next.as_ref().map_or(u64::MAX, |clusters| clusters.end);
            Some(next.map(|clusters| {
                let place = clusters.start * self.cluster;
                ByteRun {
                    at: place,
                    length: (clusters.end - clusters.start) * self.cluster,
                    place: Some(place),
                }
            }))
        })
    }

    /// Returns the next free clusters in a range.
    fn next(&self, from: u64, until: u64, seek: Seek) -> Result<Option<Range<u64>>, Problem> {
        let mut start = None;
        let mut at = from;
        let mut bytes = Vec::new();
        while at < until {
            let first = at / 8;
            let length = PIECE.min(until.div_ceil(8) - first);
            bytes.resize(length as usize, 0);
            read_all(&*self.medium, &self.content, first, &mut bytes)?;
            let end = until.min((first + length) * 8);
            while at < end {
                let bit = at - first * 8;
                let byte = bytes.get((bit / 8) as usize).copied().unwrap_or(0xff);
                let is_whole = bit.is_multiple_of(8) && at + 8 <= end;
                match (byte >> (bit % 8) & 1 == 0, start) {
                    (true, None) => start = Some(at),
                    (false, Some(start)) => return Ok(Some(start..at)),
                    (false, None) if seek == Seek::No => return Ok(None),
                    _ => {}
                }
                at += if is_whole && matches!(byte, 0 | 0xff) { 8 } else { 1 };
            }
        }
        Ok(start.map(|start| start..until))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bitmap(bytes: &[u8], clusters: u64) -> Bitmap {
        Bitmap::new(Arc::new(vec![0; 1 << 20]), Content::Inline(bytes.into()), clusters, 512)
    }

    #[test]
    fn free_places_are_those_whose_bit_is_not_set() {
        for seed in 0..hashmill_testing::cases(50) as u64 {
            let mut state = seed;
            let mut byte = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                [0, 0xff, (state >> 40) as u8, 0][(state >> 60) as usize % 4]
            };
            let bytes: Vec<u8> = (0..20).map(|_| byte()).collect();
            let clusters = 150 + seed % 10;
            let is_free = |at: u64| bytes[(at / 8) as usize] >> (at % 8) & 1 == 0;
            let mut found = vec![false; 160];
            for run in bitmap(&bytes, clusters).free() {
                let run = run.unwrap();
                (run.at / 512..run.end() / 512).for_each(|at| found[at as usize] = true);
            }
            assert_eq!(found, (0..160).map(|at| at < clusters && is_free(at)).collect::<Vec<_>>(), "{seed}");
        }
    }

    #[test]
    fn files_are_free_when_all_their_clusters_are() {
        let bitmap = bitmap(&[0b0000_0100, 0xff], 16);
        let are_free = |place: u64, length: u64, size: u64| {
            let mut runs = ByteRuns::default();
            runs.push(Some(place * 512), length * 512, u64::MAX).unwrap();
            bitmap.are_free(&runs, size).unwrap()
        };
        assert!(are_free(0, 2, 1024) && are_free(0, 4, 1024) && are_free(3, 5, 5 * 512));
        assert!(!are_free(0, 3, 1025) && !are_free(2, 1, 1) && !are_free(7, 2, 1024) && !are_free(40, 1, 1));
    }

    #[test]
    fn a_bitmap_that_ends_early_is_told_once() {
        let short = bitmap(&[0xf0], 16);
        assert_eq!(short.free().map(|run| run.is_ok()).collect::<Vec<_>>(), [false]);
    }
}
