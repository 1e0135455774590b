//! Hashing of files to records with similarity digests.

use super::event::{Event, Observer, Summary};
use crate::algorithms::Algorithms;
use crate::error::Error;
use crate::flow::Flow;
use crate::hash::{self, Ended};
use crate::labels::{self, Labels, Purpose, Show};
use crate::resources::Resources;
use crate::selection::Selection;
use hashloom_engine::Cancel;
use hashloom_known::Sets;
use hashloom_manifest::Record;
use hashloom_similar::Similar;
use std::ops::ControlFlow;

/// Files to compute similarity digests of, and the algorithms.
pub struct Digests {
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

impl Digests {
    /// Makes a job for the files of a selection, by these algorithms.
    pub fn new(selection: Selection, algorithms: Vec<&'static Similar>) -> Digests {
        let (resources, cancel) = (Resources::default(), Cancel::default());
        Digests { selection, algorithms, sets: None, resources, cancel }
    }

    /// Passes the record of every entry to `take`, in the order of the walk, until `take` stops it. An entry without
    /// digests has a record with the reason.
    ///
    /// # Errors
    /// If the options do not fit together, the list of paths can't be opened, or a set is damaged.
    pub fn run(
        self,
        observer: &mut Observer<'_>,
        take: &mut dyn FnMut(&Record) -> Flow,
    ) -> Result<Summary, Error> {
        let cancel = self.cancel.clone();
        let run = self.job().start()?;
        observer_stop(observer(Event::Reading(&run.live())), &cancel);
        let mut summary = Summary::default();
        let done = run.run(&mut |event| summary.take(event, observer, take))?;
        summary.interrupted = done.ended != Ended::Whole;
        summary.stats = done.stats;
        summary.skipped = done.skipped;
        summary.list_problem = done.list_problem;
        Ok(summary)
    }

    fn job(self) -> hash::Job {
        let digests = self.sets.as_ref().map_or(Vec::new(), labels::algorithms);
        let likeness = self.algorithms.into_iter().enumerate().collect();
        let labels = self.sets.map(|sets| Labels::new(sets, Show::NotGood, Purpose::Record));
        let (resources, cancel) = (self.resources, self.cancel);
        let job = hash::Job::new(self.selection, Algorithms { digests, likeness });
        hash::Job { labels, resources, cancel, ..job }
    }
}

/// Cancels the job if the observer stops it.
pub(super) fn observer_stop(flow: Flow, cancel: &Cancel) {
    if flow.is_break() {
        cancel.set();
    }
}

impl Summary {
    fn take(
        &mut self,
        event: hash::Event<'_>,
        observer: &mut Observer<'_>,
        take: &mut dyn FnMut(&Record) -> Flow,
    ) -> Flow {
        match event {
            hash::Event::Hashed(record) => {
                for likeness in &record.likeness {
                    if let Err(lack) = likeness.digest {
                        *self.lacking.entry((likeness.algorithm.name, lack.word())).or_insert(0) += 1;
                    }
                }
                if !Show::NotGood.takes(record.label.as_deref()) {
                    self.known_good += 1;
                    return ControlFlow::Continue(());
                }
                take(record)
            }
            hash::Event::Failed(error, record) => {
                observer(Event::Failed(error))?;
                take(record)
            }
            hash::Event::Skipped(record, _) => take(record),
            hash::Event::AllRead => observer(Event::AllRead),
            hash::Event::Notice(notice) => observer(Event::Notice(notice)),
            hash::Event::Piece(_)
            | hash::Event::KnownBad(_)
            | hash::Event::Differs(..)
            | hash::Event::Unlike(..)
            | hash::Event::Missing(_) => ControlFlow::Continue(()),
        }
    }
}
