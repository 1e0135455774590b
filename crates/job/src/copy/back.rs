//! Reading back: the copies of one destination are read from its medium and compared with what was read from the source,
//! before they get their names.

use super::folder::CopyFolder;
use super::writer::{Answer, Copied, Entry, Kind};
use hashmill_engine::{self as engine, EngineEvent, EntryResult, Live, Plan, RunItem, Trouble};
use hashmill_manifest::{Named, Record, Status};
use hashmill_os::names::path_bytes;
use hashmill_os::{Links, facts_at};
use hashmill_output::Unfinished;
use hashmill_source::{Entry as Walked, Origin, Reading, WalkItem};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::fs::File;
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
}

/// Copies that were passed to the engine, in order.
type Passed = Arc<Mutex<VecDeque<Copied>>>;

impl ReadBack {
    /// Takes all copies, and answers for each in their order.
    pub(super) fn run(mut self, copies: Receiver<Copied>, answers: &Sender<Answer>) {
        let passed = Passed::default();
        self.plan.reading = Reading { fresh: self.verify != Verify::No, ..self.plan.reading };
        let (verify, queue) = (self.verify, Arc::clone(&passed));
        let items = copies.into_iter().map(move |copied| {
            let item = item(&copied, verify);
            queue.lock().push_back(copied);
            item
        });
        engine::run(&self.plan, items, &self.live, &mut |event| {
            let EngineEvent::Done(result) = event else { return ControlFlow::Continue(()) };
            let Some(copied) = passed.lock().pop_front() else { return ControlFlow::Break(()) };
            match answers.send(self.judge(copied, &result)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        });
    }

    /// Gives a copy its name if it is what was read from the source.
    fn judge(&self, copied: Copied, result: &EntryResult) -> Answer {
        let done = match copied {
            Copied::Done(answer) => Ok(answer),
            Copied::SecondName(first, name) => match &self.folder {
                Some(folder) => folder.second_name(&first, &name),
                None => Ok(Answer::Nothing),
            },
            Copied::New(file, unfinished, entry) => match verdict(&entry, result) {
                _ if self.verify == Verify::No => self.name(&file, &unfinished, None),
                Verdict::Same => self.name(&file, &unfinished, Some(result.is_fresh)),
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
    fn name(&self, file: &File, unfinished: &Unfinished, fresh: Option<bool>) -> io::Result<Answer> {
        let folder = self.folder.as_ref().ok_or(io::ErrorKind::NotFound)?;
        folder.name(file, unfinished).map(|()| Answer::Copied(fresh))
    }
}

/// The result of reading a copy.
enum Verdict {
    Same,
    Other,
    Unread(String),
}

/// Compares a copy that was read with what was read from the source.
fn verdict(entry: &Entry, result: &EntryResult) -> Verdict {
    let Kind::File(_, record, _) = &entry.kind else { return Verdict::Unread("it is no file".into()) };
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
        Copied::New(_, unfinished, _) if verify != Verify::No => read(unfinished.place()),
        // Its size tells a file with other content apart without reading.
        Copied::Old(path, entry) if has_size(path, entry) => read(path),
        _ => known(),
    }
}

fn has_size(path: &Path, entry: &Entry) -> bool {
    let Kind::File(_, record, _) = &entry.kind else { return false };
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
