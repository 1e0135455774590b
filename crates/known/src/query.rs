//! Lookups in several indexes, with filters, and the union of their answers.

use crate::{Category, Claim, Detail, Error, Hit, Index};
use hashmill_digest::Digest;
use serde::Serialize;
use std::path::Path;

/// The number of bytes that one lookup loads into memory.
const PAGE: u64 = 4096;

/// A filter of claims. The default accepts all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only claims of these categories count; all if empty.
    pub categories: Vec<Category>,
    /// Claims that a digest is good or known do not count if it has one of these application types. Claims that it is
    /// bad, or of a user-defined category, still count. Letter case is ignored.
    pub exclude_types: Vec<Box<str>>,
    /// Claims that a digest is good or known count only if it has one of these application types; all if empty.
    pub only_types: Vec<Box<str>>,
}

/// The answer of the sets for a digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// The category that wins.
    pub category: Category,
    /// The set with that claim.
    pub set: Box<str>,
    /// The size of the file, if a set has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// All claims that count, from all sets.
    #[serde(flatten)]
    pub detail: Detail,
}

/// Indexes that are queried together.
#[derive(Debug, Default)]
pub struct Sets {
    indexes: Vec<Index>,
    filter: Filter,
}

impl Filter {
    /// Removes the claims that don't count from a detail; `None` if no claim is left.
    fn apply(&self, mut detail: Detail) -> Option<Detail> {
        let disregarded = self.disregards(&detail.types);
        detail.claims.retain(|claim| self.counts(claim, disregarded));
        (!detail.claims.is_empty()).then_some(detail)
    }

    fn counts(&self, claim: &Claim, disregarded: bool) -> bool {
        let wanted = self.categories.is_empty() || self.categories.contains(&claim.category);
        let harmless = matches!(claim.category, Category::Good | Category::Known);
        wanted && !(harmless && disregarded)
    }

    fn disregards(&self, types: &[Box<str>]) -> bool {
        let among = |list: &[Box<str>]| {
            types.iter().any(|kind| list.iter().any(|listed| listed.eq_ignore_ascii_case(kind)))
        };
        among(&self.exclude_types) || !(self.only_types.is_empty() || among(&self.only_types))
    }
}

impl Sets {
    /// Opens all of these indexes.
    ///
    /// # Errors
    /// Of the first that can't be opened.
    pub fn open<P: AsRef<Path>>(paths: &[P], filter: Filter) -> Result<Self, Error> {
        let indexes = paths.iter().map(|path| Index::open(path.as_ref())).collect::<Result<_, _>>()?;
        Ok(Sets { indexes, filter })
    }

    /// Returns the filter of claims.
    pub fn filter(&self) -> &Filter {
        &self.filter
    }

    /// Queries open indexes.
    pub fn new(indexes: Vec<Index>, filter: Filter) -> Self {
        Sets { indexes, filter }
    }

    /// Returns the indexes.
    pub fn indexes(&self) -> &[Index] {
        &self.indexes
    }

    /// Prepares for this many lookups: loads a whole index into memory if they would load most of it page by page,
    /// which takes several times as long.
    pub fn expect(&self, look_ups: u64) {
        let mostly = |index: &&Index| look_ups.saturating_mul(PAGE) >= index.file_bytes();
        self.indexes.iter().filter(mostly).for_each(Index::populate);
    }

    /// Returns the answer for a digest; `None` if it is unknown.
    ///
    /// # Errors
    /// If an index turns out to be damaged.
    pub fn query(&self, digest: &Digest) -> Result<Option<Answer>, Error> {
        let hits: Result<Vec<_>, _> = self.indexes.iter().map(|index| index.find(digest)).collect();
        let answer = hits.and_then(|hits| self.answer(hits.into_iter()));
        self.check().and(answer)
    }

    /// Returns the answer for each of many digests, in order.
    ///
    /// # Errors
    /// If an index turns out to be damaged.
    pub fn query_all(&self, digests: &[Digest]) -> Result<Vec<Option<Answer>>, Error> {
        let hits = self.find_all(digests)?;
        let answers = (0..digests.len()).map(|at| self.answer(hits.iter().map(|hits| hits[at]))).collect();
        self.check().and(answers)
    }

    /// Checks that all indexes are as long as when they were opened, like [`Index::check`].
    ///
    /// # Errors
    /// Of the first that is not.
    pub fn check(&self) -> Result<(), Error> {
        self.indexes.iter().try_for_each(Index::check)
    }

    /// Returns the hits of many digests, in order, for each index. Call [`Sets::check`] after using them.
    ///
    /// # Errors
    /// If an index turns out to be damaged.
    pub fn find_all(&self, digests: &[Digest]) -> Result<Vec<Vec<Option<Hit>>>, Error> {
        self.indexes.iter().map(|index| index.find_all(digests)).collect()
    }

    /// Returns the winning claim of an index about a hit; `None` if the filter leaves none.
    pub(crate) fn claim(&self, index: usize, hit: Hit) -> Result<Option<Claim>, Error> {
        let detail = self.filter.apply(self.indexes[index].detail(hit)?);
        Ok(detail.and_then(|detail| detail.claims.into_iter().next()))
    }

    /// Returns the answer for a digest, given its hit in each index.
    ///
    /// # Errors
    /// If an index turns out to be damaged.
    pub fn answer(&self, hits: impl Iterator<Item = Option<Hit>>) -> Result<Option<Answer>, Error> {
        let mut joined: Option<Answer> = None;
        for (index, hit) in self.indexes.iter().zip(hits) {
            let Some(hit) = hit else { continue };
            let detail = self.filter.apply(index.detail(hit)?);
            let size = index.size(hit)?;
            let answer = detail.and_then(|detail| Answer::new(detail, size));
            joined = match (joined, answer) {
                (Some(a), Some(b)) => Some(a.union(b)),
                (a, b) => a.or(b),
            };
        }
        Ok(joined)
    }
}

impl Answer {
    fn new(detail: Detail, size: Option<u64>) -> Option<Self> {
        let Claim { category, set } = detail.verdict()?.clone();
        Some(Answer { category, set, size, detail })
    }

    fn union(self, other: Answer) -> Answer {
        let detail = self.detail.union(&other.detail);
        let size = match (self.size, other.size) {
            (Some(a), Some(b)) => (a == b).then_some(a),
            (a, b) => a.or(b),
        };
        // Both have claims, so their union has.
        let Claim { category, set } =
            detail.verdict().cloned().unwrap_or(Claim { category: self.category, set: self.set });
        Answer { category, set, size, detail }
    }
}
