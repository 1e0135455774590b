//! Reading back: the copies of one destination are read from its medium and compared with what was read from the source,
//! before they get their names.

use super::answer::Answer;
use super::folder::CopyFolder;
use super::later::{Late, Later};
use super::listing::RecordSender;
use super::message::{Copied, CopiedEntry, EntryKind};
use hashmill_engine::{self as engine, EngineEvent, EntryResult, Live, Plan, RunItem, Trouble};
use hashmill_manifest::{Named, Record, Status};
use hashmill_os::names::path_bytes;
use hashmill_os::{Links, facts_at};
use hashmill_output::Unfinished;
use hashmill_source::{Entry as Walked, Origin, Reading, WalkItem};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

/// When copies are read back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Verify {
    /// As soon as a file is written, before it gets its name.
    #[default]
    AtOnce,
    /// When everything is written: a drive's own cache has then long been overwritten.
    Later,
    /// Never.
    No,
}

/// The reader of one destination.
pub(super) struct ReadBack {
    /// The folder in which copies get their names; `None` where sources are read, which have names.
    pub(super) folder: Option<Arc<CopyFolder>>,
    pub(super) verify: Verify,
    pub(super) plan: Plan,
    pub(super) live: Arc<Live>,
    /// The copies that are read back later, if that is so.
    pub(super) later: Option<Later>,
    /// The manifest that takes their records.
    pub(super) listing: Option<RecordSender>,
}

/// Copies that were passed to the engine, in order.
type Passed = Arc<Mutex<VecDeque<Copied>>>;

impl ReadBack {
    /// Takes all copies, and answers for each in their order. Returns what was found of those that were read back later.
    pub(super) fn run(mut self, copies: Receiver<Copied>, answers: &Sender<Answer>) -> LateFindings {
        let passed = Passed::default();
        self.plan.reading = Reading { fresh: self.verify != Verify::No, ..self.plan.reading };
        let (verify, queue) = (self.verify, Arc::clone(&passed));
        let items = copies.into_iter().map(move |copied| {
            let item = item(&copied, verify);
            queue.lock().push_back(copied);
            item
        });
        let (plan, live) = (self.plan.clone(), Arc::clone(&self.live));
        engine::run(&plan, items, &live, &mut |event| {
            let EngineEvent::Done(result) = event else { return ControlFlow::Continue(()) };
            let Some(copied) = passed.lock().pop_front() else { return ControlFlow::Break(()) };
            match answers.send(self.judge(copied, &result)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        });
        self.read_later()
    }

    /// Reads the copies back that have their names already. One that differs loses its name.
    fn read_later(self) -> LateFindings {
        let mut findings = LateFindings::default();
        let Some(later) = self.later else { return findings };
        let late = match later.read() {
            Ok(late) => late,
            Err(error) => {
                findings.problems.push((Box::default(), Answer::Failed(error.to_string())));
                return findings;
            }
        };
        let passed = Arc::new(Mutex::new(VecDeque::new()));
        let queue = Arc::clone(&passed);
        let items = late.map(move |late| {
            let item = late.as_ref().map_or_else(|_| known(), |late| read(&late.path));
            queue.lock().push_back(late);
            item
        });
        engine::run(&self.plan, items, &self.live, &mut |event| {
            let EngineEvent::Done(result) = event else { return ControlFlow::Continue(()) };
            match passed.lock().pop_front() {
                Some(Ok(late)) => findings.take(late, &result, self.listing.as_ref()),
                Some(Err(error)) => {
                    findings.problems.push((Box::default(), Answer::Failed(error.to_string())));
                }
                None => return ControlFlow::Break(()),
            }
            ControlFlow::Continue(())
        });
        findings
    }

    /// Gives a copy its name if it is what was read from the source.
    fn judge(&mut self, copied: Copied, result: &EntryResult) -> Answer {
        let done = match copied {
            Copied::Done(answer) => Ok(answer),
            Copied::SecondName(first, name) => match &self.folder {
                Some(folder) => folder.second_name(&first, &name),
                None => Ok(Answer::Nothing),
            },
            Copied::New(unfinished, entry) => match verdict(&entry, result) {
                _ if self.verify == Verify::No => self.name(&unfinished, None),
                _ if self.verify == Verify::Later => self.name_now(&unfinished, &entry),
                Verdict::Same => self.name(&unfinished, Some(result.is_fresh)),
                Verdict::Other => Ok(Answer::Differs),
                Verdict::Unread(why) => Ok(Answer::Failed(format!("cannot be read back: {why}"))),
            },
            Copied::Old(_, entry) => Ok(match verdict(&entry, result) {
                Verdict::Same => Answer::Same,
                Verdict::Other => Answer::Kept("a file with other content is there".into()),
                Verdict::Unread(why) => {
                    Answer::Failed(format!("the file that is there cannot be read: {why}"))
                }
            }),
        };
        done.unwrap_or_else(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Answer::Kept("another file got its name meanwhile".into()),
            _ => Answer::Failed(error.to_string()),
        })
    }
}

impl ReadBack {
    fn name(&self, unfinished: &Unfinished, fresh: Option<bool>) -> io::Result<Answer> {
        let folder = self.folder.as_ref().ok_or(io::ErrorKind::NotFound)?;
        folder.name(unfinished).map(|()| Answer::Copied(fresh))
    }
}

impl ReadBack {
    /// Gives a copy its name, to be read back later.
    fn name_now(&mut self, unfinished: &Unfinished, entry: &CopiedEntry) -> io::Result<Answer> {
        if let (EntryKind::File(_, record, _), Some(later)) = (&entry.kind, &mut self.later) {
            later.push(&path_bytes(unfinished.name()), record)?;
        }
        self.name(unfinished, None)
    }
}

/// The findings about copies that were read back after all were written.
#[derive(Debug, Default)]
pub(super) struct LateFindings {
    /// The copies that were read back from the medium.
    pub(super) verified: u64,
    /// Those of which only the page cache could be read.
    pub(super) cached: u64,
    /// The paths of the copies that are not what was read from the source, or could not be read.
    pub(super) problems: Vec<(Box<[u8]>, Answer)>,
}

impl LateFindings {
    fn take(&mut self, late: Late, result: &EntryResult, listing: Option<&RecordSender>) {
        let Late { path, record } = late;
        match judge(&record, result) {
            Verdict::Same => {
                let count = if result.is_fresh { &mut self.verified } else { &mut self.cached };
                *count += 1;
                let record = Record { mtime: result.record.mtime, ..record };
                listing.into_iter().for_each(|listing| listing.add(record.clone()));
            }
            Verdict::Other => {
                let is_gone = fs::remove_file(&path).is_ok();
                let answer = if is_gone { Answer::Differs } else { Answer::Failed(STAYS.into()) };
                self.problems.push((record.path, answer));
            }
            Verdict::Unread(why) => {
                self.problems.push((record.path, Answer::Failed(format!("cannot be read back: {why}"))));
            }
        }
    }
}

/// The text about a copy that differs and can't be removed.
const STAYS: &str = "it is not what was read from the source, and can't be removed";

/// The result of reading a copy.
enum Verdict {
    Same,
    Other,
    Unread(String),
}

/// Compares a copy that was read with what was read from the source.
fn verdict(entry: &CopiedEntry, result: &EntryResult) -> Verdict {
    match &entry.kind {
        EntryKind::File(_, record, _) => judge(record, result),
        _ => Verdict::Unread("it is no file".into()),
    }
}

fn judge(record: &Record, result: &EntryResult) -> Verdict {
    match &result.trouble {
        Some(Trouble::Failed(error)) => Verdict::Unread(error.problem.to_string()),
        Some(Trouble::Skipped(why)) => Verdict::Unread(why.reason().into()),
        None if is_same(record, &result.record) => Verdict::Same,
        None => Verdict::Other,
    }
}

/// Returns whether two files have the same size and the same digests.
fn is_same(source: &Record, copy: &Record) -> bool {
    let digests = |record: &Record| -> Vec<_> {
        record.digests.iter().map(|Named { algorithm, digest, .. }| (algorithm.name, *digest)).collect()
    };
    source.size == copy.size && !source.digests.is_empty() && digests(source) == digests(copy)
}

/// Returns what is to be read of a copy.
fn item(copied: &Copied, verify: Verify) -> RunItem {
    match copied {
        Copied::New(unfinished, _) if verify == Verify::AtOnce => read(unfinished.place()),
        // Its size tells a file with other content apart without reading.
        Copied::Old(path, entry) if has_size(path, entry) => read(path),
        _ => known(),
    }
}

fn has_size(path: &Path, entry: &CopiedEntry) -> bool {
    let EntryKind::File(_, record, _) = &entry.kind else { return false };
    facts_at(path, Links::Stay).is_ok_and(|facts| Some(facts.size) == record.size)
}

/// Returns the file at a path as one to read.
fn read(path: &Path) -> RunItem {
    let device = facts_at(path, Links::Stay).map_or(0, |facts| facts.id.0);
    let entry = Walked::new(path_bytes(path).into(), Origin::Listed);
    RunItem::Walked(WalkItem::File(Walked { device, ..entry }))
}

/// Returns a result that stands for nothing read.
fn known() -> RunItem {
    let record = Record::bare(Box::default(), Status::Skipped);
    let known = EntryResult { record, meta: None, opened: None, is_fresh: false, trouble: None };
    RunItem::Known(Box::new(known))
}
