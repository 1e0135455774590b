//! The places of deleted files, whose chains are gone.

use super::geometry::Clusters;
use super::used::Used;
use crate::{ByteRuns, Problem, Recovery};

/// Returns where the bytes of a deleted file probably lie, of which the first cluster and the size are known.
///
/// A file is taken to lie in the free clusters from its first on, as sleuthkit does: clusters in use were so when the
/// file was written. This is told as overlapped. If the first cluster is in use again, the file is taken to lie in one
/// piece.
///
/// # Errors
/// If there is no such first cluster.
pub(crate) fn lost(
    clusters: Clusters,
    used: &Used,
    first: u32,
    size: u64,
) -> Result<(ByteRuns, Recovery), Problem> {
    let first = clusters.index(first).ok_or(Problem::Beyond)?;
    let needed = clusters.needed(size);
    if used.is_used(first) {
        return one_piece(clusters, used, first, needed);
    }
    let mut runs = ByteRuns::default();
    let (mut left, mut at, mut recovery) = (needed, first, Recovery::Intact);
    while left > 0 {
        let start = used.next_free(at);
        if start >= clusters.count {
            return Ok((runs, Recovery::Partial));
        }
        if start > at {
            recovery = Recovery::Overlapped;
        }
        at = used.next_used(start);
        let length = u64::from(at - start).min(left);
        runs.push(
            Some(clusters.place_of_index(start)),
            length.saturating_mul(clusters.size),
            clusters.end(),
        )?;
        left -= length;
    }
    Ok((runs, recovery))
}

/// Returns where the bytes of a deleted file lie that is known to be in one piece.
///
/// # Errors
/// If there is no such first cluster.
pub(crate) fn lost_in_one_piece(
    clusters: Clusters,
    used: &Used,
    first: u32,
    size: u64,
) -> Result<(ByteRuns, Recovery), Problem> {
    let first = clusters.index(first).ok_or(Problem::Beyond)?;
    one_piece(clusters, used, first, clusters.needed(size))
}

fn one_piece(
    clusters: Clusters,
    used: &Used,
    first: u32,
    needed: u64,
) -> Result<(ByteRuns, Recovery), Problem> {
    let there = needed.min(u64::from(clusters.count.saturating_sub(first)));
    let mut runs = ByteRuns::default();
    runs.push(Some(clusters.place_of_index(first)), there.saturating_mul(clusters.size), clusters.end())?;
    let free = if used.is_used(first) { 0 } else { used.next_used(first).saturating_sub(first) };
    let recovery = match () {
        () if there < needed => Recovery::Partial,
        () if u64::from(free) < needed => Recovery::Overlapped,
        () => Recovery::Intact,
    };
    Ok((runs, recovery))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(first: u32, size: u64) -> Option<(Vec<(u64, u64)>, Recovery)> {
        let mut used = Used::new(10).unwrap();
        for index in [2, 3, 6, 7, 9] {
            used.free(index);
        }
        let (runs, recovery) = lost(Clusters { start: 0, size: 10, count: 10 }, &used, first, size).ok()?;
        Some((runs.as_slice().iter().map(|run| (run.place.unwrap(), run.length)).collect(), recovery))
    }

    #[test]
    fn a_deleted_file_lies_in_free_clusters_from_its_first_on() {
        assert_eq!(found(4, 15), Some((vec![(20, 20)], Recovery::Intact)));
        assert_eq!(found(4, 21), Some((vec![(20, 20), (60, 10)], Recovery::Overlapped)));
        assert_eq!(found(8, 31), Some((vec![(60, 20), (90, 10)], Recovery::Partial)));
        assert_eq!(found(2, 31), Some((vec![(0, 40)], Recovery::Overlapped)));
        assert_eq!(found(10, 31), Some((vec![(80, 20)], Recovery::Partial)));
        assert_eq!(found(1, 31), None);
        assert_eq!(found(12, 31), None);
        assert_eq!(found(4, 0), Some((vec![], Recovery::Intact)));
    }
}
