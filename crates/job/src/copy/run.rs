//! A copy in progress: results of the engine go to the destinations, and their answers to the observer, both in the order of
//! the walk.

use super::CopyObserver;
use super::answer::Answer;
use super::answers::Answers;
use super::attributes::{Lost, PropertySource};
use super::back::{LateFindings, LateProblem};
use super::bag::is_left_out;
use super::event::{CopyEvent, CopySummary, PlaceSummary};
use super::linked::LinkedFiles;
use super::listing::{CopyList, WrittenList};
use super::message::{CopiedEntry, CopiedFile, EntryKind, Message, Names, StreamNumber};
use super::naming::{Name, Naming};
use super::place::Place;
use super::state::StateThread;
use super::tap::Streams;
use super::threads::join;
use crate::error::Error;
use crate::reuse::facts::FileFacts;
use hashmill_content::selection::path_of;
use hashmill_engine::{Cancel, EngineEvent, EntryResult, Trouble};
use hashmill_manifest::Record;
use hashmill_os::names::path_bytes;
use hashmill_os::{Links, facts_at};
use hashmill_source::Skip;
use std::collections::VecDeque;
use std::fmt::Display;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;

/// The number of entries without answers from which on the run waits.
const MOST_WAITING: usize = 1024;

/// The number down to which it waits. Destinations answer for so many only together with those that follow.
const FEW_WAITING: usize = MOST_WAITING / 2;

/// The sources as they are read a second time.
pub(super) struct Second {
    pub(super) answers: Answers,
    pub(super) passing: JoinHandle<()>,
    pub(super) reader: JoinHandle<LateFindings>,
}

/// A copy in progress.
pub(super) struct CopyRun<'a, 'o> {
    pub(super) naming: Naming,
    /// The number of digests that were asked for.
    pub(super) typed: usize,
    pub(super) senders: Vec<Sender<Message>>,
    pub(super) streams: Streams,
    pub(super) places: Vec<Place>,
    pub(super) source: Option<Second>,
    /// The entries that were sent to the destinations and not reported, in order.
    pub(super) waiting: VecDeque<Arc<CopiedEntry>>,
    /// The files with several names.
    pub(super) linked: LinkedFiles,
    /// The state for a run after an interruption, if there is one.
    pub(super) state: Option<StateThread>,
    pub(super) observer: &'a mut CopyObserver<'o>,
    pub(super) summary: CopySummary,
    pub(super) cancel: Cancel,
}

impl CopyRun<'_, '_> {
    /// Takes an event of the engine.
    pub(super) fn take(&mut self, event: EngineEvent) -> ControlFlow<()> {
        if let EngineEvent::Done(result) = event {
            self.settle(result);
            let is_full = self.waiting.len() >= MOST_WAITING;
            self.report(if is_full { FEW_WAITING } else { usize::MAX });
        }
        if self.cancel.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn tell(&mut self, event: CopyEvent<'_>) {
        if (self.observer)(event).is_break() {
            self.cancel.set();
        }
    }

    /// Sends the result of an entry to all destinations.
    fn settle(&mut self, result: EntryResult) {
        let path = result.record.path.clone();
        let (name, stream) = (self.naming.name(&path), self.streams.take(&path));
        let kind = match (&result.trouble, stream) {
            (Some(Trouble::Failed(error)), stream) => {
                self.tell(CopyEvent::Failed(error));
                EntryKind::None(stream)
            }
            (Some(Trouble::Skipped(why)), stream) => self.skipped(&path, *why, stream),
            (None, None) if is_resumed(&result.record) => self.done(result.record, name.as_ref()),
            (None, None) => EntryKind::Lost("its bytes did not come"),
            (None, Some(stream)) => self.read(result, name.as_ref(), stream),
        };
        let entry = Arc::new(CopiedEntry { path, name, kind });
        for sender in &self.senders {
            // A writer that is gone answers nothing, which is told at the end.
            let _ = sender.send(Message::Result(Arc::clone(&entry)));
        }
        self.waiting.push_back(entry);
    }

    /// Returns what is to be done with a file that an interrupted run has copied.
    fn done(&mut self, record: Record, name: Option<&Name>) -> EntryKind {
        if let Some(name) = name {
            let source = path_of(&record.path);
            self.places.iter().for_each(|place| place.site.note_folders(&name.below, &source));
        }
        self.summary.resumed += 1;
        EntryKind::Done(Box::new(Record { metadata: None, ..record }))
    }

    /// Returns what is to be done with a file that was read.
    fn read(&mut self, result: EntryResult, name: Option<&Name>, stream: StreamNumber) -> EntryKind {
        let facts = result.metadata().and_then(|metadata| FileFacts::new(&result.record, &metadata));
        let EntryResult { record, meta, opened, .. } = result;
        let (origin, names) = match (meta, opened, name) {
            (Some(meta), Some(_), Some(name)) => {
                let source = path_of(&record.path);
                self.places.iter().for_each(|place| place.site.note_folders(&name.below, &source));
                let names = self.names_of(&source, name);
                (PropertySource::File(record.path.clone(), Box::new(meta)), names)
            }
            _ => (PropertySource::Time(record.mtime), Names::One),
        };
        EntryKind::File(Box::new(CopiedFile { stream, record, origin, names, facts }))
    }

    /// Returns whether a file has several names, and the first of them that was met.
    fn names_of(&mut self, source: &Path, name: &Name) -> Names {
        let facts = facts_at(source, Links::Stay);
        facts.map_or(Names::One, |facts| self.linked.meet(facts.id, facts.links, name))
    }

    /// Notes the folders that the copy of an entry lies in, with something behind its path.
    fn note_folders(&self, path: &[u8], behind: &[u8]) {
        let Some(name) = self.naming.name(path) else { return };
        let (below, source) = ([&name.below, behind].concat(), path_of(&[path, behind].concat()));
        self.places.iter().for_each(|place| place.site.note_folders(&below, &source));
    }

    /// Returns what is to be done with an entry that is no file.
    fn skipped(&mut self, path: &[u8], why: Skip, stream: Option<StreamNumber>) -> EntryKind {
        match why {
            Skip::EmptyFolder => {
                self.note_folders(path, b"/x");
                return EntryKind::Folder;
            }
            Skip::Link => {
                if let Ok(target) = fs::read_link(path_of(path)) {
                    self.note_folders(path, b"");
                    return EntryKind::Link(target);
                }
            }
            _ => {}
        }
        self.tell(CopyEvent::Skipped(path, why));
        if why != Skip::Filtered {
            *self.summary.skipped.entry(why).or_insert(0) += 1;
        }
        EntryKind::None(stream)
    }

    /// Returns whether all destinations have answered for the next entry; with `wait`, waits for that.
    fn is_answered(&mut self, wait: bool) -> bool {
        let places = self.places.iter_mut().map(|place| &mut place.answers);
        let source = self.source.iter_mut().map(|source| &mut source.answers);
        let mut is_answered = !self.waiting.is_empty();
        for answers in places.chain(source) {
            is_answered &= answers.take(wait);
        }
        is_answered
    }

    /// Reports the entries that all destinations have answered for, and waits until no more than `most` are without an answer.
    fn report(&mut self, most: usize) {
        while self.is_answered(self.waiting.len() > most) {
            let places = self.places.iter_mut();
            let answers: Vec<Answer> = places.filter_map(|place| place.answers.here.pop_front()).collect();
            let second = self.source.as_mut().and_then(|source| source.answers.here.pop_front());
            let Some(entry) = self.waiting.pop_front() else { return };
            let size = entry.file().and_then(|file| file.record.size).unwrap_or(0);
            for (place, answer) in self.summary.places.iter_mut().zip(&answers) {
                place.count(size, answer);
            }
            self.list(&entry, &answers);
            match &entry.kind {
                EntryKind::Done(record) => self.tell(CopyEvent::Copied(record, &answers)),
                EntryKind::File(file) => {
                    self.tell(CopyEvent::Copied(&file.record, &answers));
                    if let Some(second) = second {
                        self.judge_source(&entry.path, &second);
                    }
                }
                // A device may have a part of what has no copy.
                EntryKind::None(_) => answers
                    .iter()
                    .filter(|answer| answer.problem().is_some())
                    .for_each(|answer| self.tell(CopyEvent::FoundLater(&entry.path, answer))),
                _ => self.tell(CopyEvent::Linked(&entry.path, &answers)),
            }
        }
    }

    /// Adds an entry to the manifests of the destinations that have it.
    fn list(&self, entry: &CopiedEntry, answers: &[Answer]) {
        for (place, answer) in self.places.iter().zip(answers) {
            let (Some(list), Some(name)) = (&place.listing, &entry.name) else { continue };
            let path = || path_bytes(&place.site.path(name)).into();
            match (&entry.kind, answer) {
                // Its record follows when it is read back.
                (EntryKind::File(_), Answer::Copied(_) | Answer::Linked) if place.is_read_later => {}
                (EntryKind::File(file), Answer::Copied(_) | Answer::Linked | Answer::Same) => {
                    list.records().add(self.listed(path(), &file.record));
                }
                (EntryKind::Done(record), _) => list.records().add(self.listed(path(), record)),
                (EntryKind::Link(_), Answer::Linked | Answer::Same) => list.records().add_link(path()),
                _ => {}
            }
        }
    }

    /// Returns the record of a copy with the digests that were asked for.
    fn listed(&self, path: Box<[u8]>, record: &Record) -> Record {
        let mut record = Record { path, ..record.clone() };
        record.digests.truncate(self.typed);
        record
    }

    /// Removes the state of a copy that is complete, and keeps any other.
    fn end_state(&mut self) {
        let Some(state) = self.state.take() else { return };
        let is_cut_off = self.cancel.is_set() || self.summary.places.iter().any(|place| place.failed > 0);
        if let Err(error) = state.end(!is_cut_off) {
            self.tell(CopyEvent::Remark(&no_state(&error)));
        }
    }

    /// Judges what a file of the sources was when it was read a second time.
    fn judge_source(&mut self, path: &[u8], second: &Answer) {
        let why = match second {
            Answer::Same => return,
            Answer::Kept(_) => {
                self.summary.unstable += 1;
                "it had other content when it was read a second time".to_string()
            }
            Answer::Failed(why) => {
                self.summary.unread += 1;
                why.clone()
            }
            _ => {
                self.summary.unread += 1;
                "only files of this machine are read a second time".to_string()
            }
        };
        self.tell(CopyEvent::SourceDiffers(path, &why));
    }

    /// Waits for the destinations, and returns the result.
    ///
    /// # Errors
    /// None so far: what fails at one destination is told, and the others go on.
    pub(super) fn end(mut self) -> Result<CopySummary, Error> {
        for sender in std::mem::take(&mut self.senders) {
            let _ = sender.send(Message::Close);
        }
        self.report(0);
        // Without an answer, a thread has ended early.
        let unanswered = self.waiting.len() as u64;
        let places = std::mem::take(&mut self.places);
        let mut summaries = std::mem::take(&mut self.summary.places);
        for (place, summary) in places.into_iter().zip(&mut summaries) {
            summary.failed += unanswered;
            self.end_place(place, summary);
        }
        self.summary.places = summaries;
        if let Some(Second { passing, reader, .. }) = self.source.take() {
            join(passing);
            join(reader);
        }
        self.end_state();
        self.summary.is_interrupted = self.cancel.is_set();
        Ok(self.summary)
    }

    /// Waits for a destination, and counts what it found at its end.
    fn end_place(&mut self, place: Place, summary: &mut PlaceSummary) {
        let Place { path, site, writer, reader, listing, .. } = place;
        add_lost(&mut summary.lost, join(writer));
        let findings = join(reader);
        for LateProblem { path, answer, .. } in &findings.problems {
            self.tell(CopyEvent::FoundLater(path, answer));
        }
        summary.find(&findings);
        add_lost(&mut summary.lost, findings.lost);
        // A bag is one when all its names are known to survive; the folder of another list is not written any more then.
        let (bag, list) = listing.into_iter().partition::<Vec<_>, _>(|list| list.is_of_bag);
        list.into_iter().for_each(|list| self.end_list(list, summary));
        let (lost, finished) = site.finish();
        add_lost(&mut summary.lost, lost);
        if let Err(error) = finished {
            summary.is_unsettled = true;
            self.tell(CopyEvent::Unsettled(&path, &error));
        }
        bag.into_iter().for_each(|bag| self.end_list(bag, summary));
    }

    /// Ends the manifest of a destination.
    fn end_list(&mut self, list: CopyList, summary: &mut PlaceSummary) {
        if self.cancel.is_set() || list.is_of_bag && !self.is_whole(summary) {
            list.discard();
        }
        match list.end() {
            Ok(WrittenList { unlisted, differing, bag, remarks }) => {
                summary.unlisted = unlisted;
                summary.differing += differing;
                summary.bag = bag;
                remarks.iter().for_each(|remark| self.tell(CopyEvent::Remark(remark)));
            }
            Err(error) => {
                summary.unlisted += 1;
                self.tell(CopyEvent::Remark(&error.to_string()));
            }
        }
    }

    /// Returns whether all entries were copied to a destination, but for those that a user left out.
    fn is_whole(&self, summary: &PlaceSummary) -> bool {
        let skipped = self.summary.skipped.keys().all(|why| is_left_out(*why));
        let read = self.summary.stats.failed == 0 && self.summary.list_problem.is_none();
        let source = self.summary.unstable + self.summary.unread == 0;
        let copied = summary.kept + summary.differing + summary.failed == 0 && !summary.is_unsettled;
        skipped && read && source && copied
    }
}

/// Adds to the properties that copies lack.
fn add_lost(lost: &mut Lost, more: Lost) {
    for (property, number) in more {
        *lost.entry(property).or_insert(0) += number;
    }
}

/// Returns whether the record of a file comes from the state of an interrupted run.
fn is_resumed(record: &Record) -> bool {
    record.metadata.as_ref().is_some_and(|metadata| metadata.reused)
}

/// Returns the text about a state that can't be used.
pub(super) fn no_state(error: &impl Display) -> String {
    format!("the state for a run after an interruption: {error}; such a run will compare all files")
}
