//! Reading back: the copies of one destination are read from its medium and compared with what was read from the source,
//! before they get their names.

use super::answer::{Answer, Proof};
use super::attributes::Lost;
use super::folder::CopyFolder;
use super::later::{Late, Later};
use super::listing::RecordSender;
use super::message::{Copied, CopiedEntry, Names, SecondName};
use super::state::StateSender;
use hashmill_engine::{self as engine, EngineEvent, EntryResult, Live, Plan, RunItem, Trouble};
use hashmill_manifest::{Named, Record, Status};
use hashmill_os::names::path_bytes;
use hashmill_os::{Links, Spot, facts_at};
use hashmill_output::Unfinished;
use hashmill_source::{Entry as Walked, Origin, Reading, WalkItem, identity};
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashSet, VecDeque};
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
    /// The counters of this work.
    pub(super) live: Arc<Live>,
    /// The numbers of files with several names whose first copies are what was read.
    pub(super) first_names: HashSet<u64>,
    /// The number of second names that became files of their own, as the file system has no links.
    pub(super) unlinked: u64,
    /// The copies that are read back later, if that is so.
    pub(super) later: Option<Later>,
    /// The state that takes those which are verified, if there is one.
    pub(super) state: Option<StateSender>,
    /// The manifest that takes their records, with so many of their digests.
    pub(super) listing: Option<(RecordSender, usize)>,
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
        if self.unlinked > 0 {
            findings.lost.insert(SECOND_NAMES.into(), self.unlinked);
        }
        let Some(later) = self.later else { return findings };
        let late = match later.read() {
            Ok(late) => late,
            Err(error) => {
                findings.problems.push(LateProblem::of_list(&error));
                return findings;
            }
        };
        let spot = |path: &Path| match &self.folder {
            Some(folder) => folder.spot_at(path),
            None => Ok(path.into()),
        };
        let passed = Arc::new(Mutex::new(VecDeque::new()));
        let queue = Arc::clone(&passed);
        let items = late.map(move |late| {
            let item = late.as_ref().map_or_else(|_| known(), |late| to_read(&late.path));
            queue.lock().push_back(late);
            item
        });
        engine::run(&self.plan, items, &self.live, &mut |event| {
            let EngineEvent::Done(result) = event else { return ControlFlow::Continue(()) };
            match passed.lock().pop_front() {
                Some(Ok(late)) => {
                    let place = spot(&late.path);
                    findings.take(late, place, &result, self.listing.as_ref());
                }
                Some(Err(error)) => {
                    findings.problems.push(LateProblem::of_list(&error));
                }
                None => return ControlFlow::Break(()),
            }
            ControlFlow::Continue(())
        });
        findings
    }

    /// Gives a copy its name if it is what was read from the source.
    fn judge(&mut self, copied: Copied, result: &EntryResult) -> Answer {
        let (entry, place, done) = match copied {
            Copied::Done(answer) => return answer,
            Copied::New(unfinished, entry) => {
                let done = self.judge_new(&unfinished, &entry, result);
                (entry, unfinished.named_spot().clone(), done)
            }
            Copied::Old(place, entry) => {
                let answer = match verdict_at(&place, &entry, result) {
                    Verdict::Same => self.same(&entry, &place),
                    Verdict::Other => Answer::Kept("a file with other content is there".into()),
                    Verdict::Unread(why) => {
                        Answer::Failed(format!("the file that is there cannot be read: {why}"))
                    }
                };
                (entry, place, Ok(answer))
            }
        };
        let answer = done.unwrap_or_else(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Answer::Kept("another file got its name meanwhile".into()),
            _ => Answer::Failed(error.to_string()),
        });
        match (&answer, entry.file().map(|file| &file.names)) {
            (Answer::Copied(_) | Answer::Same, Some(Names::First(number))) => {
                self.first_names.insert(*number);
            }
            (_, Some(Names::Second(second))) if second.is_last => {
                self.first_names.remove(&second.number);
            }
            _ => {}
        }
        if let (Answer::Copied(Proof::Medium) | Answer::Same, Some(state), Some(file)) =
            (&answer, &self.state, entry.file())
            && let Some(facts) = file.facts
        {
            state.add(&file.record, facts, place.path());
        }
        answer
    }

    /// Gives a new file its name, if it is what was read or is not to be read now.
    fn judge_new(
        &mut self,
        unfinished: &Unfinished,
        entry: &CopiedEntry,
        result: &EntryResult,
    ) -> io::Result<Answer> {
        let proof = match self.verify {
            Verify::AtOnce => match verdict_at(unfinished.spot(), entry, result) {
                Verdict::Same => proof_of(result),
                Verdict::Other => return Ok(Answer::Differs),
                Verdict::Unread(why) => return Ok(Answer::Failed(format!("cannot be read back: {why}"))),
            },
            Verify::Later | Verify::No => Proof::None,
        };
        let answer = self.named(unfinished, entry, proof)?;
        if let (Some(later), Some(file)) = (&mut self.later, entry.file()) {
            let is_link = matches!(answer, Answer::Linked);
            later.push(&path_bytes(unfinished.name()), &file.record, is_link)?;
        }
        Ok(answer)
    }

    /// Answers for a file that was there and is the same. If it should be a second name of a copy and is a file of its own, that
    /// is mended where files may be replaced, and else counted.
    fn same(&mut self, entry: &CopiedEntry, place: &Spot) -> Answer {
        let (Some(folder), Some(file)) = (&self.folder, entry.file()) else { return Answer::Same };
        let is_missing = match &file.names {
            Names::One | Names::First(_) => false,
            Names::Unlinked => place.facts().is_ok_and(|facts| facts.links < 2),
            Names::Second(SecondName { first, number, .. }) => {
                let is_second = self.first_names.contains(number) && !folder.is_name_of(first, place);
                if is_second && folder.is_forced() && folder.link_name(first, place).is_ok() {
                    return Answer::Linked;
                }
                is_second
            }
        };
        self.unlinked += u64::from(is_missing);
        Answer::Same
    }

    /// Gives a new file its name, or makes that a second name of a file that was copied before.
    fn named(&mut self, unfinished: &Unfinished, entry: &CopiedEntry, proof: Proof) -> io::Result<Answer> {
        let folder = self.folder.as_ref().ok_or(io::ErrorKind::NotFound)?;
        match entry.file().map(|file| &file.names) {
            Some(Names::Second(SecondName { first, number, .. })) if self.first_names.contains(number) => {
                match folder.link_name(first, unfinished.named_spot()) {
                    Ok(()) => return Ok(Answer::Linked),
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
                    // The file itself gets the name.
                    Err(_) => self.unlinked += 1,
                }
            }
            Some(Names::Unlinked) => self.unlinked += 1,
            _ => {}
        }
        folder.name(unfinished).map(|()| Answer::Copied(proof))
    }
}

/// The text about second names that became files of their own.
const SECOND_NAMES: &str = "second names";

/// The findings about copies that were read back after all were written.
#[derive(Debug, Default)]
pub(super) struct LateFindings {
    /// The numbers of copies that are what was read, by their proof.
    pub(super) proofs: BTreeMap<Proof, u64>,
    /// The properties that copies lack.
    pub(super) lost: Lost,
    pub(super) problems: Vec<LateProblem>,
}

/// A copy that is not what was read from the source, or could not be read.
#[derive(Debug)]
pub(super) struct LateProblem {
    pub(super) path: Box<[u8]>,
    pub(super) answer: Answer,
    /// Whether it is a second name of another copy.
    pub(super) is_link: bool,
}

impl LateProblem {
    /// Makes the problem that the list of copies can't be read on.
    pub(super) fn of_list(error: &io::Error) -> LateProblem {
        let answer = Answer::Failed(format!("the list of copies to read back: {error}"));
        LateProblem { path: Box::default(), answer, is_link: false }
    }
}

impl LateFindings {
    /// Counts a copy that is what was read, and adds its record to the manifest.
    pub(super) fn prove(&mut self, proof: Proof, record: Record, listing: Option<&(RecordSender, usize)>) {
        *self.proofs.entry(proof).or_insert(0) += 1;
        list(record, listing);
    }

    fn take(
        &mut self,
        late: Late,
        place: io::Result<Spot>,
        result: &EntryResult,
        listing: Option<&(RecordSender, usize)>,
    ) {
        let Late { record, is_link, .. } = late;
        let is_it = place.as_ref().is_ok_and(|place| is_it(place, result));
        let answer = match judge(&record, result) {
            Verdict::Same if is_it => {
                let record = Record { mtime: result.record.mtime, ..record };
                match is_link {
                    true => list(record, listing),
                    false => self.prove(proof_of(result), record, listing),
                }
                return;
            }
            Verdict::Same => Answer::Failed("cannot be read back: another file was put in its place".into()),
            Verdict::Other if is_it && place.is_ok_and(|place| place.remove().is_ok()) => Answer::Differs,
            Verdict::Other => Answer::Failed(STAYS.into()),
            Verdict::Unread(why) => Answer::Failed(format!("cannot be read back: {why}")),
        };
        self.problems.push(LateProblem { path: record.path, answer, is_link });
    }
}

/// Adds the record of a copy to the manifest, without the digests that nobody asked for.
fn list(mut record: Record, listing: Option<&(RecordSender, usize)>) {
    let Some((records, typed)) = listing else { return };
    record.digests.truncate(*typed);
    records.add(record);
}

/// The text about a copy that differs and can't be removed.
const STAYS: &str = "it is not what was read from the source, and can't be removed";

/// Returns the proof that a copy gets by having been read.
fn proof_of(result: &EntryResult) -> Proof {
    if result.is_fresh { Proof::Medium } else { Proof::Cache }
}

/// Returns whether the file that was read is at a place.
fn is_it(place: &Spot, result: &EntryResult) -> bool {
    let read = result.meta.map(|meta| (meta.dev, meta.ino));
    place.facts().is_ok_and(|facts| Some(identity(facts.id)) == read)
}

/// The result of reading a copy.
pub(super) enum Verdict {
    Same,
    Other,
    Unread(String),
}

/// Does the same as [`verdict`] for a copy at a place. It was read by its path, so what was read may be another file.
fn verdict_at(place: &Spot, entry: &CopiedEntry, result: &EntryResult) -> Verdict {
    match verdict(entry, result) {
        Verdict::Same if !is_it(place, result) => Verdict::Unread("another file was put in its place".into()),
        verdict => verdict,
    }
}

/// Compares a copy that was read with what was read from the source.
pub(super) fn verdict(entry: &CopiedEntry, result: &EntryResult) -> Verdict {
    match entry.file() {
        Some(file) => judge(&file.record, result),
        None => Verdict::Unread("it is no file".into()),
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
        Copied::New(unfinished, _) if verify == Verify::AtOnce => to_read(unfinished.place()),
        // Its size tells a file with other content apart without reading.
        Copied::Old(place, entry) if has_size(place, entry) => to_read(place.path()),
        _ => known(),
    }
}

fn has_size(place: &Spot, entry: &CopiedEntry) -> bool {
    let size = entry.file().and_then(|file| file.record.size);
    place.facts().is_ok_and(|facts| Some(facts.size) == size)
}

/// Returns the file at a path as one to read.
pub(super) fn to_read(path: &Path) -> RunItem {
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
