//! Reading what is due, once or twice, and judging it.

use super::Run;
use super::event::{FileVerdict, ScrubEvent};
use super::ground::{self, Ground};
use super::pace::Pace;
use super::pending::Pending;
use super::progress::{LongFile, Progress};
use super::repair::RepairOutcome;
use crate::audit::is_missing;
use crate::error::Error;
use hashmill_content::stores::Stores;
use hashmill_engine::flow::Entries;
use hashmill_engine::{self as engine, EngineEvent, EntryResult, Plan, ReadSoFar, Trouble};
use hashmill_keep::{Content, Kept, Known, Reading, Step, Verdict, judge};
use hashmill_manifest::{Piece, Record};
use hashmill_source::{Meta, Problem, WalkItem};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long verdicts wait to be written together.
const WAIT: Duration = Duration::from_millis(20);

/// The same, if each time is signed.
const WAIT_TO_SIGN: Duration = Duration::from_secs(1);

/// A file of a part, and what was read of it.
struct File {
    kept: Kept,
    first: Option<Outcome>,
}

/// The result of one reading.
struct Outcome {
    reading: Reading,
    bad: Box<[Piece]>,
    failure: Option<hashmill_source::Error>,
}

impl Run<'_, '_> {
    /// Reads what is due until all is read or the budget is used up.
    pub(super) fn read(&mut self, ground: &Ground, mut pace: Pace) -> Result<(), Error> {
        while !self.is_over() {
            let Some(part) = pace.next() else {
                self.summary.used_up = true;
                break;
            };
            let kept = self.state.next(part, &mut |path| ground.size(path))?;
            if kept.is_empty() {
                break;
            }
            let (began, before) = (Instant::now(), self.summary.read);
            self.part(kept, ground, pace.bytes_left())?;
            let read = self.summary.read;
            pace.add(read.files - before.files, read.bytes - before.bytes, began.elapsed());
            self.repair_damaged(ground)?;
        }
        self.summary.used_up |= !self.is_over() && self.summary.read.files < self.summary.due.files;
        Ok(())
    }

    /// Reads the files of a part, and those once more whose content differs for no visible reason.
    fn part(&mut self, kept: Vec<Kept>, ground: &Ground, most: u64) -> Result<(), Error> {
        let mut order: Vec<Box<[u8]>> = kept.iter().map(|kept| kept.path.clone()).collect();
        let progress = Arc::new(Progress::new(most, self.stop.clone()));
        let mut part = Part { files: HashMap::with_capacity(order.len()), again: HashMap::new(), progress };
        for kept in kept {
            let begun = self.state.begun(&kept.path)?;
            begun.iter().for_each(|begun| part.progress.add(begun));
            let first = begun
                .and_then(|begun| begun.first)
                .map(|(content, is_fresh)| Outcome::of_first(content, is_fresh));
            part.files.insert(kept.path.clone(), File { kept, first });
        }
        while !part.files.is_empty() && !self.is_over() {
            order.retain(|path| part.files.contains_key(path));
            let entries = ground.entries(order.iter().map(|path| (&**path, part.files[path].device())));
            let progress = Arc::clone(&part.progress);
            let announced = entries.inspect(move |item| {
                if let WalkItem::File(entry) = item {
                    progress.announce(entry);
                }
            });
            self.pass(Box::new(announced), &mut part)?;
            if self.is_over() {
                return self.leave(part);
            }
            part.files = std::mem::take(&mut part.again);
        }
        Ok(())
    }

    /// Keeps what was read of files that another run goes on with.
    fn leave(&mut self, part: Part) -> Result<(), Error> {
        for (path, File { first, .. }) in part.files.into_iter().chain(part.again) {
            let long = part.progress.take(&path).unwrap_or_default();
            self.summary.read.bytes += long.read();
            if let Some(begun) = long.begun(&path, first.and_then(Outcome::into_first)) {
                self.state.keep_begun(&begun)?;
            }
        }
        Ok(self.state.commit()?)
    }

    /// Reads files once and judges them. Puts those that are to be read again into `again`.
    fn pass(&mut self, entries: Entries, part: &mut Part) -> Result<(), Error> {
        let saving = self.is_resumable.then(|| Arc::clone(&part.progress) as _);
        let (plan, live) = (Plan { saving, ..self.plan.clone() }, self.live.clone());
        let wait = if self.is_signed { WAIT_TO_SIGN } else { WAIT };
        let (mut pending, mut failed, mut written) = (Vec::new(), None, Instant::now());
        let stats = engine::run(&plan, entries, &live, &mut |event| {
            let EngineEvent::Done(outcome) = event else { return ControlFlow::Continue(()) };
            let taken = self.take(outcome, part, &mut pending);
            let told = taken.and_then(|()| match written.elapsed() >= wait {
                true => {
                    let told = self.tell_all(&mut pending);
                    written = Instant::now();
                    told
                }
                false => Ok(()),
            });
            failed = told.err();
            if failed.is_some() || self.stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        self.summary.stats.add(&stats);
        failed.map_or(Ok(()), Err)?;
        self.tell_all(&mut pending)
    }

    fn take(
        &mut self,
        outcome: EntryResult,
        part: &mut Part,
        pending: &mut Vec<Pending>,
    ) -> Result<(), Error> {
        let path = match &outcome.trouble {
            Some(Trouble::Failed(error)) => &error.path,
            _ => &outcome.record.path,
        };
        let Some(File { kept, first }) = part.files.remove(path) else { return Ok(()) };
        let long = part.progress.take(&kept.path);
        let start = long.as_ref().map_or(0, |long| long.start);
        let mut outcome = Outcome::of(outcome, &self.stores);
        if let Reading::Whole { content, .. } = &outcome.reading {
            self.summary.read.bytes += content.size.unwrap_or(0).saturating_sub(start);
            if long.as_ref().is_some_and(|long| !long.fits(content)) {
                // It was changed after its first part was read: nothing of that counts.
                part.again.insert(kept.path.clone(), File { kept, first });
                return Ok(());
            }
            self.summary.read.files += u64::from(first.is_none());
        }
        if let Some(earlier) = long.and_then(LongFile::into_earlier) {
            outcome.add_earlier(earlier);
        }
        let step = match &first {
            None => judge(&kept, &outcome.reading, None),
            Some(first) => judge(&kept, &first.reading, Some(&outcome.reading)),
        };
        match step {
            Step::ReadAgain => {
                drop(part.again.insert(kept.path.clone(), File { kept, first: Some(outcome) }))
            }
            Step::Cached => self.summary.add_cached(&kept),
            Step::Judged(known) => {
                let found = self.found(&kept, &known, outcome)?;
                if known.verdict.is_proof() && !known.is_proof {
                    self.summary.add_cached(&found.kept);
                }
                pending.push(found);
            }
        }
        Ok(())
    }

    /// Keeps a verdict. A new file that has the content of one that is gone has moved.
    fn found(&mut self, kept: &Kept, known: &Known, outcome: Outcome) -> Result<Pending, Error> {
        let mut next = self.keep(kept, known)?;
        let mut from = None;
        if known.verdict == Verdict::New
            && let Some(content) = next.content.as_ref().filter(|content| content.size != Some(0))
            && let Some(gone) = self.gone.take(&content.digests)
            && let Some(was) = self.state.find(&gone)?
        {
            next = self.state.move_to(&was, &next)?;
            from = Some(gone);
        }
        let Outcome { bad, failure, .. } = outcome;
        Ok(Pending { kept: next, from, bad, failure })
    }

    /// Writes verdicts, then tells them: nothing is told that a killed run could lose.
    fn tell_all(&mut self, pending: &mut Vec<Pending>) -> Result<(), Error> {
        if pending.is_empty() {
            return Ok(());
        }
        self.state.commit()?;
        for found in pending.drain(..) {
            match self.second.is_some() && found.is_damaged() {
                true => self.damaged.push(found),
                false => self.tell_found(found, None),
            }
        }
        Ok(())
    }

    /// Tells a verdict, with what the repair of the file gave.
    pub(super) fn tell_found(&mut self, found: Pending, repair: Option<&RepairOutcome>) {
        let Pending { kept, from, bad, failure } = found;
        if let Some(failure) = failure.filter(|_| kept.verdict == Some(Verdict::Unreadable)) {
            self.tell(&ScrubEvent::Failed(&failure));
        }
        let found = FileVerdict { from: from.as_deref(), bad: &bad, repair, ..FileVerdict::of(&kept) };
        self.tell(&ScrubEvent::Judged(&found));
    }
}

/// The files of a part.
struct Part {
    /// The files to read.
    files: HashMap<Box<[u8]>, File>,
    /// The files to read once more.
    again: HashMap<Box<[u8]>, File>,
    progress: Arc<Progress>,
}

impl File {
    /// Returns the device that it was on when it was read.
    fn device(&self) -> u64 {
        let stamp = self.kept.content.as_ref().and_then(|content| content.stamp);
        stamp.map_or(0, |stamp| stamp.device)
    }
}

impl Outcome {
    /// Makes the result of a first reading of which an earlier run knew.
    fn of_first(content: Content, is_fresh: bool) -> Outcome {
        Outcome { reading: Reading::Whole { content, is_fresh }, bad: Box::default(), failure: None }
    }

    /// Returns the content of a first reading, and whether it came from the medium.
    fn into_first(self) -> Option<(Content, bool)> {
        match self.reading {
            Reading::Whole { content, is_fresh } => Some((content, is_fresh)),
            Reading::Changing | Reading::Failed | Reading::Gone => None,
        }
    }

    /// Adds how earlier runs read the first part of the file.
    fn add_earlier(&mut self, earlier: ReadSoFar) {
        if !earlier.bad_blocks.is_empty() {
            self.bad = earlier.bad_blocks.iter().chain(&*self.bad).copied().collect();
            self.reading = Reading::Failed;
        }
        if let Reading::Whole { is_fresh, .. } = &mut self.reading {
            *is_fresh &= earlier.is_fresh;
        }
    }

    fn of(outcome: EntryResult, stores: &Stores) -> Outcome {
        let EntryResult { record, meta, is_fresh, trouble, .. } = outcome;
        // No page cache is on the way from a store.
        let is_fresh = is_fresh || stores.is_location(&record.path);
        let bad = record.bad_blocks.clone();
        let (reading, failure) = match trouble {
            None if bad.is_empty() => (Reading::Whole { content: content(&record, meta), is_fresh }, None),
            None | Some(Trouble::Skipped(_)) => (Reading::Failed, None),
            Some(Trouble::Failed(error)) => {
                let reading = match &error.problem {
                    Problem::Changed { .. } => Reading::Changing,
                    Problem::Replaced { .. } | Problem::Swapped => Reading::Gone,
                    _ if is_missing(&error) => Reading::Gone,
                    _ => Reading::Failed,
                };
                (reading, Some(error))
            }
        };
        Outcome { reading, bad, failure }
    }
}

fn content(record: &Record, meta: Option<Meta>) -> Content {
    let digests: Vec<u8> =
        record.digests.iter().flat_map(|named| named.digest.as_bytes().iter().copied()).collect();
    Content { digests: digests.into(), size: record.size, stamp: meta.as_ref().and_then(ground::stamp) }
}

impl<'a> FileVerdict<'a> {
    /// Makes what is told of a kept file.
    pub(super) fn of(kept: &'a Kept) -> FileVerdict<'a> {
        FileVerdict {
            path: &kept.path,
            verdict: kept.verdict.unwrap_or(Verdict::New),
            size: kept.content.as_ref().and_then(|content| content.size),
            last: kept.last,
            streak: kept.streak,
            from: None,
            bad: &[],
            moved: kept.moved().into(),
            repair: None,
        }
    }
}
