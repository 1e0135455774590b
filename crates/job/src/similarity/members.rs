//! Digests to compare, from files or from lists.

use super::event::{SimilarityEvent, SimilarityObserver, SimilaritySummary};
use super::files::DigestsJob;
use super::lists;
use crate::error::Error;
use hashmill_content::resources::Resources;
use hashmill_content::selection::Selection;
use hashmill_engine::Cancel;
use hashmill_engine::flow::{Flow, heed};
use hashmill_known::Sets;
use hashmill_manifest::Record;
use hashmill_similar::{Named, Search, Similar};
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Digests by one algorithm, and the settings of comparing them.
pub struct SimilarityJob {
    /// The source of the digests.
    pub input: Input,
    /// The algorithm.
    pub algorithm: &'static Similar,
    /// The lowest score of similar digests (for TLSH: the greatest distance); `None` is the algorithm's own limit.
    pub limit: Option<i32>,
    /// Whether digests with too little content are left out: unrelated files may score 100 by them.
    pub no_sparse: bool,
    /// Sets of known digests: files that they call good are left out. Lists are not filtered.
    pub sets: Option<Sets>,
    /// Resources for reading files and comparing digests.
    pub resources: Resources,
    /// Ends the job soon after it is set.
    pub cancel: Cancel,
}

/// The source of digests.
pub enum Input {
    /// Files, which are hashed.
    Files(Box<Selection>),
    /// Lists of digests; `-` is standard input.
    Lists(Vec<PathBuf>),
}

impl SimilarityJob {
    /// Makes a job for the files of a selection.
    pub fn new(selection: Selection, algorithm: &'static Similar) -> SimilarityJob {
        SimilarityJob {
            input: Input::Files(Box::new(selection)),
            algorithm,
            limit: None,
            no_sparse: false,
            sets: None,
            resources: Resources::default(),
            cancel: Cancel::default(),
        }
    }

    /// Passes every digest to `take`, in the order of the walk or of the lists, until `take` stops it. Digests by
    /// sdhash of long files come in segments, each with its own name.
    ///
    /// # Errors
    /// If the options do not fit together, a list is not usable, or a set is damaged.
    pub fn each(
        self,
        observer: &mut SimilarityObserver<'_>,
        take: &mut dyn FnMut(Named) -> Flow,
    ) -> Result<SimilaritySummary, Error> {
        let SimilarityJob { input, algorithm, no_sparse, sets, resources, cancel, .. } = self;
        let (mut sparse, mut stopped) = (0, false);
        let mut each = |named: Named| {
            for segment in named.segments() {
                let is_sparse = segment.digest.is_sparse();
                sparse += u64::from(is_sparse);
                if !(is_sparse && no_sparse) && take(segment).is_break() {
                    stopped = true;
                    return ControlFlow::Break(());
                }
            }
            if cancel.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mut summary = match input {
            Input::Lists(paths) => {
                let mut summary = SimilaritySummary::default();
                for path in paths.iter().take_while(|_| !cancel.is_set()) {
                    summary.malformed +=
                        lists::each(path, &resources.stores, algorithm, observer, &mut each)?;
                }
                SimilaritySummary { interrupted: cancel.is_set(), ..summary }
            }
            Input::Files(selection) => {
                let (selection, algorithms) = (*selection, vec![algorithm]);
                let files = DigestsJob { selection, algorithms, sets, resources, cancel: cancel.clone() };
                let go_on = || ControlFlow::Continue(());
                files.run(observer, &mut |record| named(record).map_or_else(go_on, &mut each))?
            }
        };
        summary.sparse = sparse;
        summary.interrupted |= stopped;
        if !stopped {
            heed(observer(SimilarityEvent::Collected(&summary)), &cancel);
        }
        Ok(summary)
    }

    /// Collects all digests.
    ///
    /// # Errors
    /// As [`SimilarityJob::each`].
    pub fn all(
        self,
        observer: &mut SimilarityObserver<'_>,
    ) -> Result<(Vec<Named>, SimilaritySummary), Error> {
        let mut all = Vec::new();
        let summary = self.each(observer, &mut |named| {
            all.push(named);
            ControlFlow::Continue(())
        })?;
        Ok((all, summary))
    }

    /// Returns the options for finding pairs.
    pub(super) fn search_options(&self) -> Search {
        Search {
            limit: self.limit.unwrap_or(self.algorithm.threshold),
            threads: self.resources.threads().get(),
            stop: Some(self.cancel.flag()),
        }
    }
}

/// Returns the digest of a record's file, if it has one.
pub(super) fn named(record: &Record) -> Option<Named> {
    let digest = record.likeness.iter().find_map(|likeness| likeness.digest.as_ref().ok())?;
    Some(Named { name: record.path.to_vec(), digest: digest.clone() })
}
