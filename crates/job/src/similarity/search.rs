//! Search for digests that are similar to those of a list or of a saved index.

use super::event::{SimilarityObserver, SimilaritySummary};
use super::index::{self, Saved};
use super::lists;
use super::members::{Input, SimilarityJob};
use super::pairs::{Match, OnMatch, Side, between, collect};
use crate::error::{Error, SimilarityError};
use hashmill_content::stores::Stores;
use hashmill_engine::Cancel;
use hashmill_os::names;
use hashmill_similar::{Named, Search, Similar};
use std::ops::ControlFlow;
use std::path::Path;

/// A list or index to search in, and the settings.
struct Target<'a> {
    path: &'a Path,
    stores: Stores,
    row: &'static Similar,
    search: Search,
    no_sparse: bool,
    cancel: Cancel,
}

/// A similar digest that was found in an index.
struct Hit {
    a: usize,
    b: u64,
    score: i32,
    name: Vec<u8>,
    sparse: bool,
}

impl SimilarityJob {
    /// Passes, for every digest of this job in order, the similar ones of a list or a saved index to `take`, until
    /// `take` stops it. `-` is a list on standard input. The walk skips the searched file itself.
    ///
    /// # Errors
    /// As [`SimilarityJob::each`], and if the list or index is not usable; this is checked before anything is hashed.
    pub fn search(
        mut self,
        against: &Path,
        observer: &mut SimilarityObserver<'_>,
        take: &mut OnMatch<'_>,
    ) -> Result<SimilaritySummary, Error> {
        let (row, search, cancel) = (self.algorithm, self.search_options(), self.cancel.clone());
        let stores = self.resources.stores.clone();
        let target = Target { path: against, stores, row, search, no_sparse: self.no_sparse, cancel };
        if let Input::Files(selection) = &mut self.input {
            selection.own.add(against);
        }
        match index::open(against, row)? {
            Some(index) => {
                let (members, mut summary) = self.all(observer)?;
                if !summary.interrupted {
                    let digests = summary.comparing.measure(0, || target.in_index(index, &members, take))?;
                    summary.comparing.comparisons += members.len() as u64 * digests;
                    summary.interrupted |= target.cancel.is_set();
                }
                Ok(summary)
            }
            None => {
                let (others, malformed) = target.list(observer)?;
                let mut summary = self.search_among(&others, observer, take)?;
                summary.malformed += malformed;
                Ok(summary)
            }
        }
    }

    /// Searches among digests in memory: see [`literal`].
    ///
    /// # Errors
    /// As [`SimilarityJob::each`], and if the digests are by another algorithm.
    pub fn search_among(
        self,
        others: &[Named],
        observer: &mut SimilarityObserver<'_>,
        take: &mut OnMatch<'_>,
    ) -> Result<SimilaritySummary, Error> {
        let (row, search, cancel) = (self.algorithm, self.search_options(), self.cancel.clone());
        let (members, mut summary) = self.all(observer)?;
        if !summary.interrupted {
            let take = &mut between(&members, others, take);
            let count = members.len() as u64 * others.len() as u64;
            let against = || (row.against)(&members, others, &search, take);
            summary.comparing.measure(count, against).map_err(SimilarityError::Member)?;
            summary.interrupted |= cancel.is_set();
        }
        Ok(summary)
    }
}

/// Parses a digest as the reference program writes it, in segments if it has several. Its name is the text itself if
/// the digest has none. Returns `None` if the text is not a digest by this algorithm.
pub fn literal(text: &[u8], algorithm: &Similar) -> Option<Vec<Named>> {
    let named = (algorithm.parse)(text.trim_ascii()).ok()??;
    let name = if named.name.is_empty() { text.trim_ascii().to_vec() } else { named.name };
    Some(Named { name, ..named }.segments())
}

impl Target<'_> {
    /// Reads the digests of the list; also returns the number of its parts that have no digest.
    fn list(&self, observer: &mut SimilarityObserver<'_>) -> Result<(Vec<Named>, u64), Error> {
        let mut others = Vec::new();
        let malformed = lists::each(self.path, &self.stores, self.row, observer, &mut |named| {
            let kept = named.segments().into_iter();
            others.extend(kept.filter(|named| !(self.no_sparse && named.digest.is_sparse())));
            if self.cancel.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok((others, malformed))
    }

    /// Searches an index block by block, and passes all hits in the order in which those of a list would come. Returns
    /// the number of digests in the index, unless it is interrupted.
    fn in_index(&self, index: Saved, members: &[Named], take: &mut OnMatch<'_>) -> Result<u64, Error> {
        let path = &*names::path_bytes(&self.path);
        let (mut hits, mut digests) = (Vec::new(), 0);
        for block in index {
            let mut block = block.map_err(|why| Error::of_place(path, why))?;
            let (first, mut found) = (block.first(), Vec::new());
            let done = block.against(self.row, members, &self.search, &mut collect(&mut found));
            done.map_err(SimilarityError::Member)?;
            for pair in found {
                let named = &block.members()[pair.b];
                let sparse = named.digest.is_sparse();
                if !(sparse && self.no_sparse) {
                    let b = first + pair.b as u64;
                    hits.push(Hit { a: pair.a, b, score: pair.score, name: named.name.clone(), sparse });
                }
            }
            digests += block.members().len() as u64;
            if self.cancel.is_set() {
                return Ok(digests);
            }
        }
        hits.sort_unstable_by_key(|hit| (hit.a, hit.b));
        let _ = hits.iter().try_for_each(|Hit { a, score, name, sparse, .. }| {
            let b = Side { name, sparse: *sparse };
            take(&Match { a: Side::new(&members[*a]), b, score: *score })
        });
        Ok(digests)
    }
}
