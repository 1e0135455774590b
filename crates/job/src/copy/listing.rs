//! The manifest of a destination, written by a thread of its own as copies get their names.

use super::bagged::CopiedBag;
use super::threads::{join, start};
use crate::algorithms::Algorithms;
use crate::error::Error;
use crate::hash::{HashEvent, HashJob, Input, Manifest};
use hashmill_content::Selection;
use hashmill_content::resources::Resources;
use hashmill_engine::{Cancel, EntryResult, RunItem, Trouble};
use hashmill_lists::history::next::Unlike;
use hashmill_manifest::{Record, Status};
use hashmill_source::Skip;
use hashmill_terminal::Shown;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

/// A manifest that is being written.
pub(super) struct CopyList {
    records: RecordSender,
    cancel: Cancel,
    writer: JoinHandle<Result<WrittenList, Error>>,
    /// Whether it is that of a bag, which is made when all copies are known to be there.
    pub(super) is_of_bag: bool,
}

/// The way of records into a manifest.
#[derive(Debug, Clone)]
pub(super) struct RecordSender(Sender<RunItem>);

/// A manifest that was written.
pub(super) struct WrittenList {
    /// Records that it lacks, and signatures.
    pub(super) unlisted: u64,
    /// Copies that are not what an earlier one says.
    pub(super) differing: u64,
    /// The bag, if that is what was written.
    pub(super) bag: Option<CopiedBag>,
    /// Remarks about it, for people.
    pub(super) remarks: Vec<String>,
}

impl CopyList {
    /// Begins the manifest of copies below a destination.
    ///
    /// # Errors
    /// If its options don't fit together, or its output can't be opened.
    pub(super) fn begin(
        manifest: Manifest,
        below: Box<[u8]>,
        algorithms: &Algorithms,
        resources: &Resources,
    ) -> Result<CopyList, Error> {
        let (records, results) = channel();
        let job = HashJob {
            input: Input::Results(vec![below], Box::new(results.into_iter())),
            resources: resources.clone(),
            ..HashJob::new(Selection::default(), algorithms.clone())
        };
        let cancel = job.cancel.clone();
        let run = job.start_writing(manifest)?;
        let writer = start("writing a manifest", move || {
            let mut remarks = Vec::new();
            let summary = run.run(&mut |event| {
                match event {
                    HashEvent::Notice(notice) => remarks.push(notice.to_string()),
                    HashEvent::Unlike(record, Unlike { algorithm, known }) => {
                        let why = format!("its {} is not the one in the history, {known}", algorithm.name);
                        remarks.push(format!("{}: {why}", Shown(&record.path)));
                    }
                    _ => {}
                }
                ControlFlow::Continue(())
            })?;
            let unlisted = summary.refused + u64::from(summary.unsigned);
            Ok(WrittenList { unlisted, differing: summary.differing, bag: None, remarks })
        })?;
        Ok(CopyList { records: RecordSender(records), cancel, writer, is_of_bag: false })
    }

    /// Begins the list of a bag, of whose records this is made.
    ///
    /// # Errors
    /// If a thread can't be started.
    pub(super) fn of_bag(
        write: impl FnOnce(Receiver<RunItem>, &Cancel) -> Result<WrittenList, Error> + Send + 'static,
    ) -> Result<CopyList, Error> {
        let (records, results) = channel();
        let cancel = Cancel::default();
        let given_up = cancel.clone();
        let writer = start("writing a bag", move || write(results, &given_up))?;
        Ok(CopyList { records: RecordSender(records), cancel, writer, is_of_bag: true })
    }

    /// Returns the way of records into the manifest, which ends when all are dropped.
    pub(super) fn records(&self) -> RecordSender {
        self.records.clone()
    }

    /// Gives the manifest up: it would look like one of all copies.
    pub(super) fn discard(&self) {
        self.cancel.set();
    }

    /// Ends the manifest, and gives it its name.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) fn end(self) -> Result<WrittenList, Error> {
        drop(self.records);
        join(self.writer)
    }
}

impl RecordSender {
    /// Adds the record of a copy.
    pub(super) fn add(&self, record: Record) {
        self.send(record, None);
    }

    /// Adds a symbolic link with this path.
    pub(super) fn add_link(&self, path: Box<[u8]>) {
        let record = Record::bare(path, Status::Skipped);
        let record = Record { reason: Some(Skip::Link.word().into()), ..record };
        self.send(record, Some(Trouble::Skipped(Skip::Link)));
    }

    fn send(&self, record: Record, trouble: Option<Trouble>) {
        let known = EntryResult { record, meta: None, opened: None, is_fresh: false, trouble };
        // A writer that is gone has failed, which its end tells.
        let _ = self.0.send(RunItem::Known(Box::new(known)));
    }
}
