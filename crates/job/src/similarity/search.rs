//! What is similar to something in a list or in a saved index.

use super::event::{Observer, Summary};
use super::index::{self, Saved};
use super::lists;
use super::members::{Input, Job};
use super::pairs::{Match, OnMatch, Side, between, collect};
use crate::error::{Error, SimilarityError};
use hashloom_engine::Cancel;
use hashloom_similar::{Named, Search, Similar};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// What is searched, and how.
struct Target<'a> {
    path: &'a Path,
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

impl Job {
    /// Gives, for every digest of this job in order, those of a list or a saved index that are similar, until `take`
    /// has enough. `-` is a list on standard input. The file itself is left out of the walk.
    ///
    /// # Errors
    /// As [`Job::each`]; and if the list or index is not usable, which is known before anything is hashed.
    pub fn search(
        mut self,
        against: &Path,
        observer: &mut Observer<'_>,
        take: &mut OnMatch<'_>,
    ) -> Result<Summary, Error> {
        let (row, search, cancel) = (self.algorithm, self.search_options(), self.cancel.clone());
        let target = Target { path: against, row, search, no_sparse: self.no_sparse, cancel };
        if let Input::Files(selection) = &mut self.input {
            selection.own.add(against);
        }
        match index::open(against, row)? {
            Some(index) => {
                let (members, mut summary) = self.all(observer)?;
                if !summary.interrupted {
                    let digests = summary.comparing.of(0, || target.in_index(index, &members, take))?;
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

    /// The same among digests that are at hand: see [`literal`].
    ///
    /// # Errors
    /// As [`Job::each`]; and if the digests are of another algorithm.
    pub fn search_among(
        self,
        others: &[Named],
        observer: &mut Observer<'_>,
        take: &mut OnMatch<'_>,
    ) -> Result<Summary, Error> {
        let (row, search, cancel) = (self.algorithm, self.search_options(), self.cancel.clone());
        let (members, mut summary) = self.all(observer)?;
        if !summary.interrupted {
            let take = &mut between(&members, others, take);
            let count = members.len() as u64 * others.len() as u64;
            let against = || (row.against)(&members, others, &search, take);
            summary.comparing.of(count, against).map_err(SimilarityError::Member)?;
            summary.interrupted |= cancel.is_set();
        }
        Ok(summary)
    }
}

/// The digest that a text is, in segments if it has some, as the reference program writes it; named by the text itself if
/// it holds no name. None if it is no digest by this algorithm.
pub fn literal(text: &[u8], algorithm: &Similar) -> Option<Vec<Named>> {
    let named = (algorithm.parse)(text.trim_ascii()).ok()??;
    let name = if named.name.is_empty() { text.trim_ascii().to_vec() } else { named.name };
    Some(Named { name, ..named }.segments())
}

impl Target<'_> {
    /// The digests of the list, and how many parts of it have none.
    fn list(&self, observer: &mut Observer<'_>) -> Result<(Vec<Named>, u64), Error> {
        let mut others = Vec::new();
        let malformed = lists::each(self.path, self.row, observer, &mut |named| {
            let kept = named.segments().into_iter();
            others.extend(kept.filter(|named| !(self.no_sparse && named.digest.is_sparse())));
            if self.cancel.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok((others, malformed))
    }

    /// Blocks come one after another, and each with its own hits; they are given in the order of a list's. How many digests
    /// the index has, if it is not interrupted.
    fn in_index(&self, index: Saved, members: &[Named], take: &mut OnMatch<'_>) -> Result<u64, Error> {
        let path = self.path.as_os_str().as_bytes();
        let (mut hits, mut digests) = (Vec::new(), 0);
        for block in index {
            let mut block = block.map_err(|why| SimilarityError::Index { path: path.into(), why })?;
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
            take(&Match { a: Side::of(&members[*a]), b, score: *score })
        });
        Ok(digests)
    }
}
