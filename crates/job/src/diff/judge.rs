//! Judgement of the second operand by the first.

use super::DiffJob;
use super::event::{DiffEvent, DiffObserver};
use super::folder::Folder;
use super::old::{Old, is_filtered};
use crate::audit::AuditSummary;
use crate::audit::{Ground, Manifests, OpenLists, Others, Tally, added, here, is_file};
use crate::error::Error;
use crate::notice::Notice;
use hashmill_content::selection::Bytes;
use hashmill_digest::Algorithm;
use hashmill_engine::flow::{Flow, heed};
use hashmill_engine::{self as engine, Cancel, Plan, Trouble};
use hashmill_lists::entries::List;
use hashmill_lists::history::Patterns;
use hashmill_manifest::audit::{Audit, Category, Content, Counts, Places, Sides, Unjudged, Verdict};
use hashmill_manifest::{Record, Status};
use hashmill_source::Skip;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// A comparison in progress.
pub(super) struct Judge {
    audit: Audit,
    tally: Tally,
    summary: AuditSummary,
    /// The files that could not be read on the first side, by their path on the second, and whether they were met
    /// there.
    unread: BTreeMap<Bytes, bool>,
    apart: Vec<Bytes>,
    /// Whether verdicts include the content of both sides.
    sides: bool,
    /// Patterns by which the first side excludes new files.
    ignoring: Vec<Patterns>,
    /// Links, FIFOs and the like of the first side; `None` if it can't list them.
    others: Option<Others>,
    /// The list, if the algorithm of some of its digests is unknown.
    open: OpenLists,
    /// Entries that filters left out on each side.
    filtered: [u64; 2],
    /// Whether the first side is a folder, and the second one a manifest.
    is_folder_old: bool,
    cancel: Cancel,
}

impl Judge {
    /// Prepares a comparison with known files; the records to come have digests of `algorithms`.
    pub(super) fn new(old: Old, places: Places, algorithms: &[&'static Algorithm], job: &DiffJob) -> Judge {
        let unread = old.unread.iter().map(|path| (here(path, &places), false)).collect();
        let (malformed, failed, mapped) = (old.malformed, old.failed, places.roots.clone());
        let summary = AuditSummary { malformed, failed, mapped, ..AuditSummary::default() };
        let others = old.others.map(|known| Others::new(known, &places));
        let audit = Audit::new(old.known, places, algorithms).with_sides(job.sides);
        let tally = Tally::new(&job.resources.stores, job.selection.inside);
        let (apart, ignoring) = (old.apart, old.ignoring);
        Judge {
            audit,
            tally,
            summary,
            unread,
            apart,
            sides: job.sides,
            ignoring,
            others,
            open: old.open,
            filtered: [old.filtered, 0],
            is_folder_old: false,
            cancel: job.cancel.clone(),
        }
    }

    /// Notes where the files lie.
    pub(super) fn of_files(&mut self, ground: Ground) {
        self.tally.ground = Some(ground);
        self.tally.counted.left_out.closed = self.audit.close(&|path| self.tally.is_closed(path));
    }

    /// Notes where the files of the first side lie, if it is a folder.
    pub(super) fn of_old_files(&mut self, ground: Ground) {
        self.tally.ground = Some(ground);
        self.is_folder_old = true;
    }

    /// Judges the files of a folder.
    ///
    /// # Errors
    /// If the walk of the folder can't begin.
    pub(super) fn folder(
        &mut self,
        folder: &Folder<'_>,
        plan: &Plan,
        observer: &mut DiffObserver<'_>,
    ) -> Result<(), Error> {
        folder.hash(plan, observer, &mut |event, observer| Ok(self.take(event, folder, observer)))
    }

    /// Marks known paths as present; their files matched.
    pub(super) fn see(&mut self, paths: &[Bytes]) {
        for path in paths {
            self.audit.leave_out(path);
        }
    }

    /// Counts files that matched.
    pub(super) fn matched(&mut self, files: u64) {
        self.tally.counted.counts.add_all(Category::Matched, files);
    }

    /// Judges the records of a manifest.
    pub(super) fn manifest(&mut self, new: &Manifests, cancel: &Cancel, observer: &mut DiffObserver<'_>) {
        self.unread_of(new, cancel, observer);
        for record in new.known.records().take_while(|_| !cancel.is_set()) {
            heed(self.observe(&record, observer), cancel);
        }
    }

    /// Judges the records of a manifest of which only those that differ are in memory. The others, of files that
    /// matched, are read from the list once more, so that verdicts come in its order.
    ///
    /// # Errors
    /// If the list was changed since it was read.
    pub(super) fn list(
        &mut self,
        new: &Manifests,
        list: &List,
        matched: u64,
        cancel: &Cancel,
        observer: &mut DiffObserver<'_>,
    ) -> Result<(), Error> {
        self.unread_of(new, cancel, observer);
        let mut records = new.known.records().peekable();
        let told =
            list.each_hashed(cancel, &mut |path| match records.next_if(|record| *record.path == *path) {
                Some(record) => heed(self.observe(&record, observer), cancel),
                None => heed(self.matches(path, observer), cancel),
            });
        let is_whole = told.is_ok_and(|hashed| hashed == matched + new.known.len() as u64);
        let is_whole = is_whole && records.peek().is_none() && list.is_unchanged();
        if is_whole || cancel.is_set() { Ok(()) } else { Err(list.changed().into()) }
    }

    fn unread_of(&mut self, new: &Manifests, cancel: &Cancel, observer: &mut DiffObserver<'_>) {
        self.summary.malformed += new.malformed;
        self.summary.failed += new.unread.len() as u64;
        for record in new.unread.iter().take_while(|_| !cancel.is_set()) {
            heed(observer(DiffEvent::Unread(&record.path)), cancel);
            heed(self.observe(record, observer), cancel);
        }
        for (path, kind) in new.others().into_iter().flatten().take_while(|_| !cancel.is_set()) {
            let shown = kind.as_deref().unwrap_or("no file");
            heed(self.other(path, kind.clone(), shown, observer), cancel);
        }
    }

    /// Reports a file that is the same on both sides.
    fn matches(&mut self, path: &[u8], observer: &mut DiffObserver<'_>) -> Flow {
        let (path, known_path, status) = (path.into(), Some(path.into()), Some(Status::Hashed));
        let (category, piece, strength) = (Category::Matched, None, None);
        self.count(&Verdict { category, path, known_path, piece, status, strength, sides: None }, observer)
    }

    /// Handles an event of a run over a folder.
    fn take(
        &mut self,
        event: engine::EngineEvent,
        folder: &Folder<'_>,
        observer: &mut DiffObserver<'_>,
    ) -> Flow {
        let (mut record, trouble) = match event {
            engine::EngineEvent::Piece(record) => (record, None),
            engine::EngineEvent::Done(outcome) => (outcome.record, outcome.trouble),
        };
        let is_output = matches!(trouble, Some(Trouble::Skipped(Skip::Output)));
        let is_own = is_output && folder.own.is_at(&record.path);
        let is_unfinished = is_output && folder.own.is_unfinished(&record.path);
        record.path = folder.below(&record.path).into();
        if let (true, Some(pattern)) = (is_file(trouble.as_ref()), self.ignored_by(&record.path)) {
            self.tally.ignored(&pattern);
            return ControlFlow::Continue(());
        }
        match trouble {
            Some(Trouble::Failed(error)) => {
                observer(DiffEvent::Failed(&error))?;
                self.tally.failed(&error, &record.path);
                if record.path.is_empty() {
                    // The archive, or the folder, that could not be read as a whole.
                    record.path = b".".as_slice().into();
                }
            }
            Some(Trouble::Skipped(Skip::EmptyFolder)) => {}
            Some(Trouble::Skipped(why)) if !why.has_bytes() => {
                return self.other(&record.path, record.reason, why.reason(), observer);
            }
            Some(Trouble::Skipped(why)) if is_filtered(why) => {
                let is_known = self.audit.leave_out(&record.path);
                self.tally.left_out(&record.path, is_known);
                self.filtered[1] += 1;
            }
            Some(Trouble::Skipped(Skip::Output)) if is_own => {
                let is_known = self.audit.leave_out(&record.path);
                self.tally.own(is_known);
            }
            Some(Trouble::Skipped(Skip::Output)) if is_unfinished => {}
            // Another name of a file of the comparison itself. A listed file that has become one counts as gone.
            Some(Trouble::Skipped(Skip::Output)) if self.audit.knows(&record.path) => {}
            Some(Trouble::Skipped(Skip::Output)) => {
                return self.count(&added(&record.path, record.reason, self.sides), observer);
            }
            Some(Trouble::Skipped(_)) => {
                self.audit.leave_out(&record.path);
            }
            None => {}
        }
        self.observe(&record, observer)
    }

    /// Takes a link, a FIFO or the like. One that the first side could have and has not is new; a file that has been
    /// replaced by one counts as gone.
    fn other(
        &mut self,
        path: &[u8],
        kind: Option<Box<str>>,
        shown: &str,
        observer: &mut DiffObserver<'_>,
    ) -> Flow {
        if self.audit.knows(path) || self.is_apart(path) {
            return ControlFlow::Continue(());
        }
        match self.others.as_mut().map(|others| others.has(path)) {
            None => self.tally.counted.unlisted += 1,
            // In memory, nothing can fail.
            Some(Ok(true) | Err(_)) => {}
            Some(Ok(false)) => {
                observer(DiffEvent::Other(path, shown))?;
                return self.count(&added(path, kind, self.sides), observer);
            }
        }
        ControlFlow::Continue(())
    }

    /// Returns the pattern of the first side that excludes a file which the first side does not list.
    fn ignored_by(&self, path: &[u8]) -> Option<Bytes> {
        let pattern = self.ignoring.iter().find_map(|patterns| patterns.leaving_out(path))?;
        (!self.audit.knows(path)).then(|| pattern.into())
    }

    /// Judges a record.
    fn observe(&mut self, record: &Record, observer: &mut DiffObserver<'_>) -> Flow {
        if record.status == Status::Skipped {
            return ControlFlow::Continue(());
        }
        if self.is_folder_old && self.tally.is_closed(&record.path) {
            self.tally.counted.left_out.closed += u64::from(record.piece.is_none());
            return ControlFlow::Continue(());
        }
        if self.is_unread(&record.path) {
            return match record.piece {
                None => self.unreadable(record, observer),
                Some(_) => ControlFlow::Continue(()),
            };
        }
        let unjudged = match self.audit.observe(record) {
            Ok(None) => return ControlFlow::Continue(()),
            Ok(Some(verdict)) => match self.other_reading(verdict, record, observer) {
                Ok(verdict) => return self.count(&verdict, observer),
                Err(unjudged) => unjudged,
            },
            Err(unjudged) => unjudged,
        };
        self.tally.unjudged(&unjudged);
        observer(DiffEvent::Unjudged(&unjudged))
    }

    /// Looks again at an image that seems changed. One side is a folder, where the image lies, and the other has a record of
    /// it.
    fn other_reading(
        &mut self,
        verdict: Verdict,
        record: &Record,
        observer: &mut DiffObserver<'_>,
    ) -> Result<Verdict, Unjudged> {
        if verdict.category != Category::Changed {
            return Ok(verdict);
        }
        let path = verdict.path.clone();
        let (judged, of) = match self.is_folder_old {
            false => {
                let known_size = self.audit.known_size(&path);
                let fits = |other: &Record| self.audit.has(other);
                self.tally.other_reading(verdict, &path, record, known_size, fits, &self.cancel)
            }
            true => {
                let local = self.tally.local(&path);
                let fits = |other: &Record| other.digests == record.digests;
                self.tally.other_reading(verdict, &local, record, record.size, fits, &self.cancel)
            }
        };
        if let Some(of) = of {
            self.audit.reveal_guesses(record);
            let _ = observer(DiffEvent::Notice(Notice::OtherReading { path: &path, of }));
        }
        judged
    }

    /// Returns whether the first side has the path, or may have it, without its content being known.
    fn is_unread(&mut self, path: &[u8]) -> bool {
        if let Some(met) = self.unread.get_mut(path) {
            *met = true;
            return true;
        }
        // Files that were listed before the listing failed are known.
        !self.audit.knows(path) && self.is_apart(path)
    }

    /// Returns whether a path is that of something that could not be listed on the first side, or lies in it.
    fn is_apart(&self, path: &[u8]) -> bool {
        let below =
            |root: &Bytes| path.strip_prefix(&**root).is_some_and(|rest| matches!(rest, [] | [b'/', ..]));
        self.apart.iter().any(|root| root.is_empty() || below(root))
    }

    fn unreadable(&mut self, record: &Record, observer: &mut DiffObserver<'_>) -> Flow {
        let (path, status) = (record.path.clone(), Some(record.status));
        let known_path = Some(path.clone());
        let (category, piece, strength) = (Category::Unreadable, None, None);
        let sides = || Sides {
            actual: Content::from_record(record),
            reason: record.reason.clone(),
            ..Sides::default()
        };
        let sides = self.sides.then(|| Box::new(sides()));
        let verdict = Verdict { category, path, known_path, piece, status, strength, sides };
        self.count(&verdict, observer)
    }

    fn count(&mut self, verdict: &Verdict, observer: &mut DiffObserver<'_>) -> Flow {
        self.tally.count(verdict);
        observer(DiffEvent::Verdict(verdict))
    }

    /// Returns the results so far of a cancelled comparison.
    pub(super) fn interrupted(self) -> AuditSummary {
        AuditSummary { interrupted: true, counted: self.tally.counted, ..self.summary }
    }

    /// Reports the verdicts that need all files, and returns the results.
    pub(super) fn end(self, observer: &mut DiffObserver<'_>) -> AuditSummary {
        let Judge { audit, mut tally, mut summary, unread, open, filtered, .. } = self;
        let revealed = audit.revealed().to_vec();
        let missing = unread.into_iter().filter(|(_, met)| !met).map(|(path, _)| {
            let known_path = Some(path.clone());
            let (category, piece, status, strength) = (Category::Missing, None, None, None);
            Verdict { category, path, known_path, piece, status, strength, sides: None }
        });
        for verdict in audit.finish().chain(missing) {
            if let Some(verdict) = tally.last(verdict)
                && observer(DiffEvent::Verdict(&verdict)).is_break()
            {
                return AuditSummary { interrupted: true, counted: tally.counted, ..summary };
            }
        }
        summary.guessed.extend(open.tell(&revealed, &mut |notice| {
            let _ = observer(DiffEvent::Notice(notice));
        }));
        let mut strangers = 0;
        for path in tally.strangers() {
            strangers += 1;
            let _ = observer(DiffEvent::Stranger(path));
        }
        let (mut counted, ignored) = (tally.counted, &tally.ignored);
        let filtered = filtered.into_iter().max().unwrap_or(0);
        counted.left_out.filtered = counted.left_out.filtered.max(filtered);
        counted.is_idle = filtered > 0 && counted.counts == Counts::default();
        if ignored.files() > 0 {
            let _ = observer(DiffEvent::Ignored(ignored));
        }
        let summary = AuditSummary { counted, failed: summary.failed + tally.failed, strangers, ..summary };
        let _ = observer(DiffEvent::AllJudged(&summary));
        summary
    }
}
