//! All against all, or one input against another.

use super::event::{Observer, Summary, pairs_of};
use super::members::Job;
use crate::error::{Error, SimilarityError};
use crate::flow::Flow;
use hashloom_similar::{Clusters, Named, Pair};
use std::ops::ControlFlow;

/// Two digests that are similar.
#[derive(Debug, Clone, Copy)]
pub struct Match<'a> {
    /// One of them.
    pub a: Side<'a>,
    /// The other.
    pub b: Side<'a>,
    /// The score, or by TLSH the distance, of `a` and `b` in this order.
    pub score: i32,
}

/// One of two similar digests.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// It holds too little to mean much.
    pub sparse: bool,
}

/// Takes similar ones.
pub type OnMatch<'a> = dyn FnMut(&Match<'_>) -> Flow + 'a;

/// The order of pairs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PairOrder {
    /// By the first of each pair, then by the second.
    #[default]
    First,
    /// By the second of each pair, then by the first. All pairs wait in memory for that.
    Second,
}

/// Digests that are linked by similar pairs, and the others.
#[derive(Debug)]
pub struct Cluster {
    /// The digests.
    pub members: Vec<Named>,
    /// The linked ones, by their places among the members.
    pub groups: Vec<Vec<usize>>,
}

impl<'a> Side<'a> {
    /// The side that a digest is.
    pub(super) fn of(named: &'a Named) -> Self {
        Side { name: &named.name, sparse: named.digest.is_sparse() }
    }
}

impl Job {
    /// Gives every similar pair once, the one that comes first in the input as `a`, until `take` has enough.
    ///
    /// # Errors
    /// As [`Job::each`].
    pub fn pairs(
        self,
        order: PairOrder,
        observer: &mut Observer<'_>,
        take: &mut OnMatch<'_>,
    ) -> Result<Summary, Error> {
        let (row, search, cancel) = (self.algorithm, self.search_options(), self.cancel.clone());
        let (members, mut summary) = self.all(observer)?;
        if summary.interrupted {
            return Ok(summary);
        }
        let (count, comparing) = (pairs_of(members.len()), &mut summary.comparing);
        let mut take = between(&members, &members, take);
        match order {
            PairOrder::First => comparing
                .of(count, || (row.pairs)(&members, &search, &mut take))
                .map_err(SimilarityError::Member)?,
            PairOrder::Second => {
                let mut pairs = Vec::new();
                comparing
                    .of(count, || (row.pairs)(&members, &search, &mut collect(&mut pairs)))
                    .map_err(SimilarityError::Member)?;
                pairs.sort_by_key(|pair| (pair.b, pair.a));
                let _ = pairs.into_iter().filter(|_| !cancel.is_set()).try_for_each(take);
            }
        }
        summary.interrupted |= cancel.is_set();
        Ok(summary)
    }

    /// Gives every similar pair of one digest of this job and one of the other, until `take` has enough. This job says
    /// by which algorithm and limit.
    ///
    /// # Errors
    /// As [`Job::each`].
    pub fn between(
        self,
        other: Job,
        observer: &mut Observer<'_>,
        take: &mut OnMatch<'_>,
    ) -> Result<Summary, Error> {
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
            summary.comparing.of(count, against).map_err(SimilarityError::Member)?;
            summary.interrupted |= cancel.is_set();
        }
        Ok(summary)
    }

    /// The groups of digests that similar pairs link.
    ///
    /// # Errors
    /// As [`Job::each`].
    pub fn clusters(self, observer: &mut Observer<'_>) -> Result<(Cluster, Summary), Error> {
        let (row, search, cancel) = (self.algorithm, self.search_options(), self.cancel.clone());
        let (members, mut summary) = self.all(observer)?;
        let mut clusters = Clusters::new(members.len());
        if !summary.interrupted {
            let mut join = |pair: Pair| {
                clusters.join(pair.a, pair.b);
                ControlFlow::Continue(())
            };
            let pairs = || (row.pairs)(&members, &search, &mut join);
            summary.comparing.of(pairs_of(members.len()), pairs).map_err(SimilarityError::Member)?;
            summary.interrupted |= cancel.is_set();
        }
        Ok((Cluster { members, groups: clusters.groups() }, summary))
    }
}

/// Shows pairs by their places as pairs of digests.
pub(super) fn between<'a>(
    members: &'a [Named],
    others: &'a [Named],
    take: &'a mut OnMatch<'_>,
) -> impl FnMut(Pair) -> Flow {
    |pair| take(&Match { a: Side::of(&members[pair.a]), b: Side::of(&others[pair.b]), score: pair.score })
}

/// Keeps pairs.
pub(super) fn collect(pairs: &mut Vec<Pair>) -> impl FnMut(Pair) -> Flow {
    |pair| {
        pairs.push(pair);
        ControlFlow::Continue(())
    }
}
