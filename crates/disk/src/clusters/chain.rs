//! Chains of clusters.

use super::geometry::Clusters;
use super::table::{ClusterTable, Link, Window};
use crate::{ByteRun, ByteRuns, Problem};
use std::collections::BTreeMap;

/// The places of a chain.
#[derive(Debug, Default)]
pub(crate) struct Chain {
    /// The places up to its end, or up to where it goes wrong.
    pub runs: ByteRuns,
    /// The reason why it ends too early, if it does.
    pub problem: Option<Problem>,
}

/// Follows a chain for at most `most` clusters, and never for more than there are.
pub(crate) fn chain(table: &ClusterTable, clusters: Clusters, first: u32, most: u64) -> Chain {
    let mut chain = Chain::default();
    let mut window = Window::default();
    let mut next = Some(first);
    let mut left = most.min(u64::from(clusters.count).saturating_add(1));
    let mut watch = Watch::new(first);
    while let Some(cluster) = next
        && left > 0
    {
        left -= 1;
        let place = clusters.place(cluster).ok_or(Problem::Beyond);
        if let Err(problem) =
            place.and_then(|place| chain.runs.push(Some(place), clusters.size, clusters.end()))
        {
            chain.problem = Some(problem);
            break;
        }
        if left == 0 {
            break;
        }
        next = match table.link(cluster, &mut window) {
            Ok(Link::Next(next)) if watch.is_met(next) => {
                chain.problem = Some(Problem::Loop);
                None
            }
            Ok(Link::Next(next)) => Some(next),
            Ok(Link::End) => None,
            Ok(Link::Free | Link::Bad) => {
                chain.problem = Some(Problem::damaged("a chain of clusters leads to one that is in none"));
                None
            }
            Err(problem) => {
                chain.problem = Some(problem);
                None
            }
        };
    }
    cut(chain)
}

/// A cluster of a chain that is watched for, to end loops (Brent, "An improved Monte Carlo factorization algorithm", 1980).
/// It is replaced after 1, 2, 4 … steps, so that a loop ends after a few rounds.
#[derive(Debug)]
struct Watch {
    cluster: u32,
    steps: u64,
    until: u64,
}

impl Watch {
    fn new(first: u32) -> Watch {
        Watch { cluster: first, steps: 0, until: 1 }
    }

    /// Returns whether the next cluster was there before. A loop is not always noticed in its first round.
    fn is_met(&mut self, next: u32) -> bool {
        if next == self.cluster {
            return true;
        }
        self.steps += 1;
        if self.steps == self.until {
            *self = Watch { cluster: next, steps: 0, until: self.until.saturating_mul(2) };
        }
        false
    }
}

/// Ends a chain before the first cluster that it has twice.
fn cut(chain: Chain) -> Chain {
    match first_repeated(chain.runs.as_slice()) {
        None => chain,
        Some((number, length)) => {
            let mut runs = ByteRuns::default();
            let kept = chain.runs.as_slice().iter().take(number).map(|run| (run.place, run.length));
            let last = chain.runs.as_slice().get(number).map(|run| (run.place, length));
            for (place, length) in kept.chain(last) {
                // These were pushed before with the same places.
                let _ = runs.push(place, length, u64::MAX);
            }
            Chain { runs, problem: Some(Problem::Loop) }
        }
    }
}

/// Returns the first run that overlaps an earlier one, and the number of its bytes before the overlap.
fn first_repeated(runs: &[ByteRun]) -> Option<(usize, u64)> {
    // The ends of the runs so far by their starts; they don't overlap.
    let mut seen: BTreeMap<u64, u64> = BTreeMap::new();
    for (number, run) in runs.iter().enumerate() {
        let start = run.place?;
        let end = start.saturating_add(run.length);
        if seen.range(..=start).next_back().is_some_and(|(_, earlier)| *earlier > start) {
            return Some((number, 0));
        }
        if let Some((next, _)) = seen.range(start..end).next() {
            return Some((number, next - start));
        }
        seen.insert(start, end);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clusters::table::Width;
    use std::sync::Arc;

    /// Follows the chain from 2 in a table of 16-bit entries.
    fn followed(links: &[u16], most: u64) -> (Vec<(u64, u64)>, Option<&'static str>) {
        let bytes: Vec<u8> =
            [0xfff8, 0xffff].iter().chain(links).flat_map(|link| link.to_le_bytes()).collect();
        let length = bytes.len() as u64;
        let table = ClusterTable::new(Arc::new(bytes), vec![0], length, Width::Sixteen);
        let clusters = Clusters { start: 0, size: 10, count: links.len() as u32 };
        let Chain { runs, problem } = chain(&table, clusters, 2, most);
        let places = runs.as_slice().iter().map(|run| (run.place.unwrap(), run.length)).collect();
        (places, problem.map(|problem| problem.word()))
    }

    #[test]
    fn a_chain_ends_at_its_end_or_where_it_goes_wrong() {
        assert_eq!(followed(&[3, 5, 0xffff, 0xfff8], 9), (vec![(0, 20), (30, 10)], None));
        assert_eq!(followed(&[3, 5, 0xffff, 0xfff8], 2), (vec![(0, 20)], None));
        assert_eq!(followed(&[3, 0], 9), (vec![(0, 20)], Some("damaged")));
        assert_eq!(followed(&[3, 9], 9), (vec![(0, 20)], Some("beyond-the-end")));
        assert_eq!(followed(&[3, 4, 3], 9), (vec![(0, 30)], Some("loop")));
        assert_eq!(followed(&[2], 9), (vec![(0, 10)], Some("loop")));
        let places = vec![(0, 10), (20, 10), (10, 10), (30, 10)];
        assert_eq!(followed(&[4, 5, 3, 4], 9), (places, Some("loop")));
        assert_eq!(followed(&[4, 0xffff, 5, 3], 9).1, None);
    }
}
