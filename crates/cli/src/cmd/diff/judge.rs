//! The second operand against the first.

use super::folder::Folder;
use super::old::Old;
use crate::cmd::audit::{Reporter, unjudged};
use crate::exit::Exit;
use crate::message;
use hashloom_digest::Algorithm;
use hashloom_engine::{Event, Trouble};
use hashloom_job::Bytes;
use hashloom_job::audit::{Tally, here};
use hashloom_manifest::audit::{Audit, Category, Places, Verdict};
use hashloom_manifest::{Record, Status};
use hashloom_source::Skip;
use std::collections::BTreeMap;

/// A comparison under way.
pub struct Judge {
    audit: Audit,
    tally: Tally,
    reporter: Reporter,
    exit: Exit,
    /// What could not be read on the first side, by its path on the second, and whether it was met there.
    unread: BTreeMap<Bytes, bool>,
    apart: Vec<Bytes>,
}

impl Judge {
    /// Against what is known; the records to come have digests of `algorithms`.
    pub fn new(
        old: Old,
        places: Places,
        algorithms: &[&'static Algorithm],
        (reporter, exit): (Reporter, Exit),
    ) -> Judge {
        let unread = old.unread.iter().map(|path| (here(path, &places), false)).collect();
        let audit = Audit::new(old.known, places, algorithms);
        Judge { audit, tally: Tally::default(), reporter, exit, unread, apart: old.apart }
    }

    /// Takes what a run over a folder gives.
    ///
    /// # Errors
    /// If a verdict cannot be written.
    pub fn take(&mut self, event: Event, folder: &Folder<'_>) -> anyhow::Result<()> {
        let (mut record, trouble) = match event {
            Event::Piece(record) => (record, None),
            Event::Done(outcome) => (outcome.record, outcome.trouble),
        };
        record.path = folder.below(&record.path).into();
        match trouble {
            Some(Trouble::Failed(error)) => {
                message::about(&error.path, &error.problem);
                self.tally.failed(&error, &record.path);
            }
            // A file that is a link by now, or a FIFO, is not there any more.
            Some(Trouble::Skipped(Skip::Link | Skip::Loop | Skip::Fifo | Skip::Socket | Skip::Device)) => {}
            Some(Trouble::Skipped(why)) => {
                self.audit.leave_out(&record.path);
                self.tally.skipped(&record.path, why);
            }
            None => {}
        }
        self.observe(&record)
    }

    /// Judges a record.
    ///
    /// # Errors
    /// If the verdict cannot be written.
    pub fn observe(&mut self, record: &Record) -> anyhow::Result<()> {
        if record.status == Status::Skipped {
            return Ok(());
        }
        if self.is_unread(&record.path) {
            return match record.piece {
                None => self.unreadable(record),
                Some(_) => Ok(()),
            };
        }
        match self.audit.observe(record) {
            Ok(Some(verdict)) => self.count(&verdict),
            Ok(None) => Ok(()),
            Err(file) => {
                message::about(&file.path, unjudged(&file));
                self.tally.unjudged(&file);
                Ok(())
            }
        }
    }

    /// Whether the first side has the path, or may have it, but not what is in it.
    fn is_unread(&mut self, path: &[u8]) -> bool {
        if let Some(met) = self.unread.get_mut(path) {
            *met = true;
            return true;
        }
        let below = |root: &Bytes| path.strip_prefix(&**root).is_some_and(|rest| rest.starts_with(b"/"));
        self.apart.iter().any(|root| root.is_empty() || below(root))
    }

    fn unreadable(&mut self, record: &Record) -> anyhow::Result<()> {
        let (path, status) = (record.path.clone(), Some(record.status));
        let known_path = Some(path.clone());
        let verdict = Verdict { category: Category::Unreadable, path, known_path, piece: None, status };
        self.count(&verdict)
    }

    fn count(&mut self, verdict: &Verdict) -> anyhow::Result<()> {
        self.tally.count(verdict);
        Ok(self.reporter.verdict(verdict, None)?)
    }

    /// The verdicts that only the end tells, and what all mean.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn end(self) -> anyhow::Result<Exit> {
        let Judge { audit, mut tally, mut reporter, exit, unread, .. } = self;
        let mut last = |verdict| match tally.last(verdict) {
            Some(verdict) => reporter.verdict(&verdict, None),
            None => Ok(()),
        };
        for verdict in audit.finish() {
            last(verdict)?;
        }
        for (path, _) in unread.into_iter().filter(|(_, met)| !met) {
            let known_path = Some(path.clone());
            let category = Category::Missing;
            last(Verdict { category, path, known_path, piece: None, status: None })?;
        }
        for path in tally.strangers() {
            message::about(path, "is not there, and no manifest names it");
        }
        let counted = tally.counted();
        let lost = tally.failures() > 0 || tally.strangers().next().is_some() || counted.lacks();
        let reported = reporter.end(&counted)?;
        Ok(exit.and(reported).and(Exit::Differs.when(counted.differs())).and(Exit::Failed.when(lost)))
    }
}
