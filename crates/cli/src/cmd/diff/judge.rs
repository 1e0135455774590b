//! The second operand against the first.

use super::folder::Folder;
use super::old::Old;
use crate::cmd::audit::{Tally, here};
use crate::exit::Exit;
use crate::selection::Bytes;
use hashloom_digest::Algorithm;
use hashloom_engine::{Event, Trouble};
use hashloom_manifest::audit::{Audit, Category, Places, Verdict};
use hashloom_manifest::{Record, Status};
use std::collections::BTreeMap;

/// A comparison under way.
pub struct Judge {
    audit: Audit,
    tally: Tally,
    /// What could not be read on the first side, by its path on the second, and whether it was met there.
    unread: BTreeMap<Bytes, bool>,
    apart: Vec<Bytes>,
}

impl Judge {
    /// Against what is known; the records to come have digests of `algorithms`.
    pub fn new(old: Old, places: Places, algorithms: &[&'static Algorithm], tally: Tally) -> Judge {
        let unread = old.unread.iter().map(|path| (here(path, &places), false)).collect();
        Judge { audit: Audit::new(old.known, places, algorithms), tally, unread, apart: old.apart }
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
            Some(Trouble::Failed(error)) => self.tally.failed(&error, &record.path),
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
            Ok(Some(verdict)) => self.tally.count(&verdict, None),
            Ok(None) => Ok(()),
            Err(unjudged) => {
                self.tally.unjudged(&unjudged);
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
        self.tally.count(&verdict, None)
    }

    /// The verdicts that only the end tells, and what all mean.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn end(self) -> anyhow::Result<Exit> {
        let Judge { audit, mut tally, unread, .. } = self;
        for verdict in audit.finish() {
            tally.last(verdict)?;
        }
        for (path, _) in unread.into_iter().filter(|(_, met)| !met) {
            let known_path = Some(path.clone());
            let category = Category::Missing;
            tally.last(Verdict { category, path, known_path, piece: None, status: None })?;
        }
        tally.end()
    }
}
