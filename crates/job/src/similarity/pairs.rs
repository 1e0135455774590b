//! Pairs of similar digests: within one input, or between two.

use super::event::{SimilarityObserver, SimilaritySummary, pairs_of};
use super::members::SimilarityJob;
use crate::error::{Error, SimilarityError};
use hashmill_engine::flow::Flow;
use hashmill_similar::{Clusters, Named, Pair};
use std::ops::ControlFlow;

/// Two digests that are similar.
#[derive(Debug, Clone, Copy)]
pub struct Match<'a> {
    /// The first digest.
    pub a: Side<'a>,
    /// The second digest.
    pub b: Side<'a>,
    /// The score, or for TLSH the distance, of `a` and `b` in this order.
    pub score: i32,
}

/// One of two similar digests.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// Name of the digest.
    pub name: &'a [u8],
    /// Whether it has too little content to be reliable.
    pub sparse: bool,
}

/// A callback for similar pairs.
pub type OnMatch<'a> = dyn FnMut(&Match<'_>) -> Flow + 'a;

/// The order of pairs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PairOrder {
    /// By the first of each pair, then by the second.
    #[default]
    First,
    /// By the second of each pair, then by the first. All pairs are kept in memory to sort them.
    Second,
}

/// All digests, and the groups that similar pairs form.
#[derive(Debug)]
pub struct Cluster {
    /// All digests.
    pub members: Vec<Named>,
    /// Groups of linked digests, by their places in `members`.
    pub groups: Vec<Vec<usize>>,
}

impl<'a> Side<'a> {
    /// Makes the side of a digest.
    pub(super) fn new(named: &'a Named) -> Self {
        Side { name: &named.name, sparse: named.digest.is_sparse() }
    }
}

impl SimilarityJob {
    /// Passes every similar pair to `take` once, with the one that is earlier in the input as `a`, until `take` stops
    /// it.
    ///
    /// # Errors
    /// As [`SimilarityJob::each`].
    pub fn pairs(
        self,
        order: PairOrder,
        observer: &mut SimilarityObserver<'_>,
        take: &mut OnMatch<'_>,
    ) -> Result<SimilaritySummary, Error> {
        let (row, search, cancel) = (self.algorithm, self.search_options(), self.cancel.clone());
        let (members, mut summary) = self.all(observer)?;
        if summary.interrupted {
            return Ok(summary);
        }
        let (count, comparing) = (pairs_of(members.len()), &mut summary.comparing);
        let mut take = between(&members, &members, take);
        match order {
            PairOrder::First => comparing
                .measure(count, || (row.pairs)(&members, &search, &mut take))
                .map_err(SimilarityError::Member)?,
            PairOrder::Second => {
                let mut pairs = Vec::new();
                comparing
                    .measure(count, || (row.pairs)(&members, &search, &mut collect(&mut pairs)))
                    .map_err(SimilarityError::Member)?;
                pairs.sort_by_key(|pair| (pair.b, pair.a));
                let _ = pairs.into_iter().filter(|_| !cancel.is_set()).try_for_each(take);
            }
        }
        summary.interrupted |= cancel.is_set();
        Ok(summary)
    }

    /// Passes every similar pair of a digest of this job and a digest of the other to `take`, until `take` stops it.
    /// Algorithm and limit are those of this job.
    ///
    /// # Errors
    /// As [`SimilarityJob::each`].
    pub fn between(
        self,
        other: SimilarityJob,
        observer: &mut SimilarityObserver<'_>,
        take: &mut OnMatch<'_>,
    ) -> Result<SimilaritySummary, Error> {
        let (row, search, cancel) = (self.algorithm, self.search_options(), self.cancel.clone());
        let (members, mut summary) = self.all(observer)?;
        if summary.interrupted {
            return Ok(summary);
        }
        let (others, second) = other.all(observer)?;
        summary.add(second);
        if !summary.interrupted {
            let take = &mut between(&members, &others, take);
            let count = members.len() as u64 * others.len() as u64;
            let against = || (row.against)(&members, &others, &search, take);
            summary.comparing.measure(count, against).map_err(SimilarityError::Member)?;
            summary.interrupted |= cancel.is_set();
        }
        Ok(summary)
    }

    /// Finds the groups of digests that similar pairs link.
    ///
    /// # Errors
    /// As [`SimilarityJob::each`].
    pub fn clusters(
        self,
        observer: &mut SimilarityObserver<'_>,
    ) -> Result<(Cluster, SimilaritySummary), Error> {
        let (row, search, cancel) = (self.algorithm, self.search_options(), self.cancel.clone());
        let (members, mut summary) = self.all(observer)?;
        let mut clusters = Clusters::new(members.len());
        if !summary.interrupted {
            let mut join = |pair: Pair| {
                clusters.join(pair.a, pair.b);
                ControlFlow::Continue(())
            };
            let pairs = || (row.pairs)(&members, &search, &mut join);
            summary.comparing.measure(pairs_of(members.len()), pairs).map_err(SimilarityError::Member)?;
            summary.interrupted |= cancel.is_set();
        }
        Ok((Cluster { members, groups: clusters.groups() }, summary))
    }
}

/// Converts pairs of places to pairs of digests for `take`.
pub(super) fn between<'a>(
    members: &'a [Named],
    others: &'a [Named],
    take: &'a mut OnMatch<'_>,
) -> impl FnMut(Pair) -> Flow {
    |pair| take(&Match { a: Side::new(&members[pair.a]), b: Side::new(&others[pair.b]), score: pair.score })
}

/// Collects pairs in a vector.
pub(super) fn collect(pairs: &mut Vec<Pair>) -> impl FnMut(Pair) -> Flow {
    |pair| {
        pairs.push(pair);
        ControlFlow::Continue(())
    }
}
