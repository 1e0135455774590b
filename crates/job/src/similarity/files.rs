//! Hashing of files to records with similarity digests.

use super::event::{SimilarityEvent, SimilarityObserver, SimilaritySummary};
use crate::algorithms::Algorithms;
use crate::error::Error;
use crate::hash::{self, Ended};
use crate::labels::{self, Labels, Purpose, Show};
use hashmill_content::resources::Resources;
use hashmill_content::selection::Selection;
use hashmill_engine::Cancel;
use hashmill_engine::flow::{Flow, heed};
use hashmill_known::Sets;
use hashmill_manifest::Record;
use hashmill_similar::Similar;
use std::ops::ControlFlow;

/// Files to compute similarity digests of, and the algorithms.
pub struct DigestsJob {
    /// The files.
    pub selection: Selection,
    /// The algorithms, in the order of the digests in each record.
    pub algorithms: Vec<&'static Similar>,
    /// Sets of known digests: files that they call good are left out.
    pub sets: Option<Sets>,
    /// Resources that the job may use.
    pub resources: Resources,
    /// Ends the job soon after it is set.
    pub cancel: Cancel,
}

impl DigestsJob {
    /// Makes a job for the files of a selection, by these algorithms.
    pub fn new(selection: Selection, algorithms: Vec<&'static Similar>) -> DigestsJob {
        let (resources, cancel) = (Resources::default(), Cancel::default());
        DigestsJob { selection, algorithms, sets: None, resources, cancel }
    }

    /// Passes the record of every entry to `take`, in the order of the walk, until `take` stops it. An entry without
    /// digests has a record with the reason.
    ///
    /// # Errors
    /// If the options do not fit together, the list of paths can't be opened, or a set is damaged.
    pub fn run(
        self,
        observer: &mut SimilarityObserver<'_>,
        take: &mut dyn FnMut(&Record) -> Flow,
    ) -> Result<SimilaritySummary, Error> {
        let cancel = self.cancel.clone();
        let run = self.job().start()?;
        heed(observer(SimilarityEvent::Reading(&run.live())), &cancel);
        let mut summary = SimilaritySummary::default();
        let done = run.run(&mut |event| summary.take(event, observer, take))?;
        summary.interrupted = done.ended != Ended::Whole;
        summary.stats = done.stats;
        summary.skipped = done.skipped;
        summary.list_problem = done.list_problem;
        Ok(summary)
    }

    fn job(self) -> hash::HashJob {
        let digests = self.sets.as_ref().map_or(Vec::new(), labels::algorithms);
        let likeness = self.algorithms.into_iter().enumerate().collect();
        let labels = self.sets.map(|sets| Labels::new(sets, Show::NotGood, Purpose::Record));
        let (resources, cancel) = (self.resources, self.cancel);
        let job = hash::HashJob::new(self.selection, Algorithms { digests, likeness });
        hash::HashJob { labels, resources, cancel, ..job }
    }
}

impl SimilaritySummary {
    fn take(
        &mut self,
        event: hash::HashEvent<'_>,
        observer: &mut SimilarityObserver<'_>,
        take: &mut dyn FnMut(&Record) -> Flow,
    ) -> Flow {
        match event {
            hash::HashEvent::Hashed(record) => {
                for likeness in &record.likeness {
                    if let Err(lack) = likeness.digest {
                        *self.lacking.entry((likeness.algorithm.name, lack.word())).or_insert(0) += 1;
                    }
                }
                if !Show::NotGood.takes(record) {
                    self.known_good += 1;
                    return ControlFlow::Continue(());
                }
                take(record)
            }
            hash::HashEvent::Failed(error, record) => {
                observer(SimilarityEvent::Failed(error))?;
                take(record)
            }
            hash::HashEvent::Skipped(record, _) => take(record),
            hash::HashEvent::AllRead => observer(SimilarityEvent::AllRead),
            hash::HashEvent::Notice(notice) => observer(SimilarityEvent::Notice(notice)),
            hash::HashEvent::Piece(_)
            | hash::HashEvent::KnownBad(_)
            | hash::HashEvent::Differs(..)
            | hash::HashEvent::Unlike(..)
            | hash::HashEvent::Renamed(_)
            | hash::HashEvent::Missing(_) => ControlFlow::Continue(()),
        }
    }
}
