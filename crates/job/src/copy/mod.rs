//! Copies files to one or more folders, in one read: their digests are computed as they are read, every destination writes at its own
//! pace, and each copy is read back from its medium before it gets its name.
//!
//! ```text
//!   walk ── engine ── results, in order ──┐
//!             │ tap                       ▼
//!             └─ bytes ──> writer ── synced files ──> reader back ── answers, in order ──> observer
//! ```
//!
//! A destination has a writer and a reader, each a thread of its own (`writer`, `back`), that don't wait for those of other
//! destinations: bytes wait for a slow one in memory, up to a limit (`tap`). A file is a new one under a name of no meaning
//! until it is whole, on the disk and verified; then it gets its name, which nothing else loses. So a run that is killed leaves whole files
//! and none, and the next one compares what is there and goes on.

mod answer;
mod attributes;
mod back;
pub(crate) mod below;
mod event;
mod folder;
#[cfg_attr(not(feature = "images"), path = "no_inner.rs")]
mod inner;
mod later;
mod listing;
mod message;
mod naming;
mod patience;
mod room;
mod sparse;
mod survey;
mod tap;
mod threads;
mod writer;

pub use answer::Answer;
pub use back::Verify;
pub use event::{CopyEvent, CopySummary, PlaceSummary};
pub use survey::{PlaceSurvey, Planned, SurveyEvent};

use crate::algorithms::Algorithms;
use crate::error::Error;
use crate::hash::Manifest;
use crate::misfit::Misfit;
use attributes::PropertySource;
use back::{LateFindings, ReadBack};
use folder::CopyFolder;
use hashmill_content::File as Tried;
use hashmill_content::resources::Resources;
use hashmill_content::selection::{Selected, Selection, path_of};
use hashmill_content::stores::Stores;
use hashmill_engine::flow::Flow;
use hashmill_engine::{self as engine, Cancel, EngineEvent, EntryResult, Live, Plan, Trouble};
use hashmill_manifest::Record;
use hashmill_os::names::path_bytes;
use hashmill_os::{Attribute, FileId, Links, facts_at, names};
use hashmill_output::WriteError;
use hashmill_source::Skip;
use later::Later;
use listing::{CopyList, WrittenList};
use message::{CopiedEntry, EntryKind, Message, StreamNumber};
use naming::{Name, Naming};
use std::collections::{HashMap, VecDeque, hash_map};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::thread::JoinHandle;
use tap::{Fan, Streams};
use threads::{join, start};
use writer::Writer;

/// Receives events.
pub type CopyObserver<'a> = dyn FnMut(CopyEvent<'_>) -> Flow + 'a;

/// The most copies that wait to be read back, each of which takes a descriptor.
const MOST_WAITING: usize = 16;

/// The most entries that wait for the answers of destinations.
const MOST_ANSWERS: usize = 16 << 10;

/// The settings of a copy.
pub struct CopyJob {
    /// The sources. One with a slash at its end stands for its content.
    pub selection: Selection,
    /// The destinations: folders, or the name of the copy of a single file.
    pub to: Vec<PathBuf>,
    /// The digests that are computed as the sources are read.
    pub algorithms: Algorithms,
    /// The manifests of the destinations, in their order; none, or one for each.
    pub manifests: Vec<Manifest>,
    /// When copies are read back.
    pub verify: Verify,
    /// Whether the files of the sources are read a second time, past the page cache, and compared.
    pub verify_source: bool,
    /// Whether files with other content in the place of copies are replaced.
    pub force: bool,
    /// Threads, memory and devices to use.
    pub resources: Resources,
    /// Ends the job soon after it is set.
    pub cancel: Cancel,
}

/// A destination at work.
struct Place {
    path: PathBuf,
    folder: Arc<CopyFolder>,
    answers: Receiver<Answer>,
    /// Answers that came and are not reported, as other destinations still work on it.
    answered: VecDeque<Answer>,
    /// Whether copies are read back when everything is written.
    is_read_later: bool,
    live: Arc<Live>,
    writer: JoinHandle<Vec<Attribute>>,
    reader: JoinHandle<LateFindings>,
    listing: Option<CopyList>,
}

/// The sources as they are read a second time.
struct Second {
    answers: Receiver<Answer>,
    answered: VecDeque<Answer>,
    passing: JoinHandle<()>,
    reader: JoinHandle<LateFindings>,
}

/// The name at which a copy is read back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReadBackAt {
    /// Its own.
    Itself,
    /// The first name of a file with several.
    OtherName,
}

/// An entry that destinations work on.
enum Waiting {
    File(Box<Record>, Option<Name>),
    SecondName(Box<Record>, Option<Name>),
    Link(Box<[u8]>),
    Nothing,
}

impl CopyJob {
    /// Copies, and reports what becomes of each entry.
    ///
    /// # Errors
    /// If options contradict each other, or a list of paths can't be opened.
    pub fn run(mut self, observer: &mut CopyObserver<'_>) -> Result<CopySummary, Error> {
        let naming = Naming::new(&self.selection.paths)?;
        check_places(&self.selection.paths, &self.to, &self.resources.stores)?;
        let plan = self.plan()?;
        self.resources.give_way()?;
        self.selection.is_located = true;
        self.selection.empty_folders = true;
        let live = Arc::<Live>::default();
        if self.resources.counts {
            self.selection.count(&self.resources, &live);
        }
        let mut resources = self.resources.clone();
        resources.memory = plan.memory;
        let Selected { entries, problem } = self.entries(&resources)?;
        let (senders, places) = self.places(&naming, &plan)?;
        let (source_sender, source) = self.source(&plan)?.unzip();
        let streams = Streams::default();
        let tap = Fan::new(naming.clone(), senders.clone(), plan.memory, streams.clone());
        let senders = senders.into_iter().chain(source_sender).collect();
        let lives: Vec<_> = places.iter().map(|place| Arc::clone(&place.live)).collect();
        if observer(CopyEvent::Reading(&live, &lives)).is_break() {
            self.cancel.set();
        }
        let summary =
            CopySummary { places: vec![PlaceSummary::default(); places.len()], ..CopySummary::default() };
        let (waiting, names) = (VecDeque::new(), HashMap::new());
        let cancel = self.cancel;
        let mut run =
            Run { naming, senders, streams, places, source, waiting, names, observer, summary, cancel };
        let plan = Plan { tap: Some(Arc::new(tap)), ..plan };
        let stats = engine::run(&plan, entries, &live, &mut |event| run.take(event));
        drop(plan);
        run.summary.stats = stats;
        run.summary.list_problem = problem.take();
        run.end()
    }

    /// Returns the entries of the sources: those inside of images and archives come behind all others.
    fn entries(&self, resources: &Resources) -> Result<Selected, Error> {
        let mut selection = self.selection.clone();
        let inner = inner::take(&mut selection, resources)?;
        let Selected { entries, problem } = selection.open(resources)?;
        Ok(Selected { entries: Box::new(entries.chain(inner.into_iter().flatten())), problem })
    }

    /// Returns the plan for reading the sources. Reading back and the bytes on their way get as much memory each.
    fn plan(&self) -> Result<Plan, Misfit> {
        let shares = self.to.len() + usize::from(self.verify_source) + 2;
        let least = Plan::least_memory(self.resources.threads().get());
        let memory = self.resources.memory;
        if memory / shares < least {
            let threads = self.resources.threads().get();
            return Err(
                hashmill_content::Misfit::Memory { bytes: memory, threads, least: least * shares }.into()
            );
        }
        let resources = Resources { memory: memory / shares, ..self.resources.clone() };
        let plan = resources.plan(self.algorithms.digests.clone())?;
        Ok(Plan { cancel: self.cancel.clone(), ..plan })
    }

    /// Starts the threads of all destinations. Returns what sends messages to them.
    fn places(&mut self, naming: &Naming, plan: &Plan) -> Result<(Vec<Sender<Message>>, Vec<Place>), Error> {
        let (mut senders, mut places) = (Vec::new(), Vec::new());
        let mut manifests = std::mem::take(&mut self.manifests).into_iter();
        for to in &self.to {
            let (sender, messages) = channel();
            let (next, copies) = sync_channel(MOST_WAITING);
            let (answer, answers) = channel();
            let folder = CopyFolder::new(naming.target(to), self.force, self.resources.files.clone());
            let (folder, live) = (Arc::new(folder), Arc::<Live>::default());
            let listing = manifests.next().map(|manifest| {
                folder.begin()?;
                let below = path_bytes(&folder.root()).into();
                CopyList::begin(manifest, below, &self.algorithms, &self.resources)
            });
            let listing = listing.transpose()?;
            let writer = Writer::new(Arc::clone(&folder), next);
            let writer = start("writing copies", move || writer.run(&messages))?;
            // A copy that was written is verified although the run is cancelled: it is whole.
            let plan = Plan { cancel: Cancel::default(), ..plan.clone() };
            let later = match self.verify {
                Verify::Later => {
                    let later = Later::new(plan.algorithms.clone());
                    Some(later.map_err(|error| WriteError::new(to, error))?)
                }
                Verify::AtOnce | Verify::No => None,
            };
            let back = ReadBack {
                folder: Some(Arc::clone(&folder)),
                verify: self.verify,
                plan,
                live: Arc::clone(&live),
                later,
                listing: listing.as_ref().map(CopyList::records),
            };
            let reader = start("reading copies back", move || back.run(copies, &answer))?;
            let (path, answered) = (to.clone(), VecDeque::new());
            senders.push(sender);
            let is_read_later = self.verify == Verify::Later;
            places.push(Place {
                path,
                folder,
                answers,
                answered,
                is_read_later,
                live,
                writer,
                reader,
                listing,
            });
        }
        Ok((senders, places))
    }

    /// Starts the threads that read the files of the sources a second time, if that was asked for.
    fn source(&self, plan: &Plan) -> Result<Option<(Sender<Message>, Second)>, Error> {
        if !self.verify_source {
            return Ok(None);
        }
        let (sender, messages) = channel();
        let (next, copies) = sync_channel(MOST_WAITING);
        let (answer, answers) = channel();
        let live = Arc::<Live>::default();
        let passing = start("reading the sources again", move || writer::pass_sources(&messages, &next))?;
        let plan = Plan { cancel: Cancel::default(), ..plan.clone() };
        let back = ReadBack { folder: None, verify: Verify::AtOnce, plan, live, later: None, listing: None };
        let reader = start("reading the sources again", move || back.run(copies, &answer))?;
        Ok(Some((sender, Second { answers, answered: VecDeque::new(), passing, reader })))
    }
}

/// A copy in progress.
struct Run<'a, 'o> {
    naming: Naming,
    senders: Vec<Sender<Message>>,
    streams: Streams,
    places: Vec<Place>,
    source: Option<Second>,
    /// The entries that were sent to the destinations, in order.
    waiting: VecDeque<Waiting>,
    /// The paths below a destination of the first names of files that have several.
    names: HashMap<FileId, Name>,
    observer: &'a mut CopyObserver<'o>,
    summary: CopySummary,
    cancel: Cancel,
}

impl Run<'_, '_> {
    fn take(&mut self, event: EngineEvent) -> ControlFlow<()> {
        if let EngineEvent::Done(result) = event {
            self.settle(result);
            self.report(self.waiting.len() >= MOST_ANSWERS);
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
        let (name, number) = (self.naming.name(&result.record.path), self.streams.take(&result.record.path));
        let (kind, waiting) = match (&result.trouble, number) {
            (Some(Trouble::Failed(error)), number) => {
                self.tell(CopyEvent::Failed(error));
                (EntryKind::None(number), Waiting::Nothing)
            }
            (Some(Trouble::Skipped(why)), number) => self.skipped(&result.record.path, *why, number),
            (None, None) => (EntryKind::None(None), Waiting::Nothing),
            (None, Some(number)) => self.read(result, name.as_ref(), number),
        };
        let entry = Arc::new(CopiedEntry { name, kind });
        for sender in &self.senders {
            // A writer that is gone answers nothing, which is told at the end.
            let _ = sender.send(Message::Result(Arc::clone(&entry)));
        }
        self.waiting.push_back(waiting);
    }

    /// Returns what is to be done with a file that was read.
    fn read(
        &mut self,
        result: EntryResult,
        name: Option<&Name>,
        number: StreamNumber,
    ) -> (EntryKind, Waiting) {
        let EntryResult { record, meta, opened, .. } = result;
        let origin = match (meta, opened) {
            (Some(meta), Some(_)) => PropertySource::File(record.path.clone(), Box::new(meta)),
            _ => PropertySource::Time(record.mtime),
        };
        if let (PropertySource::File(path, _), Some(name)) = (&origin, name) {
            let source = path_of(path);
            self.places.iter().for_each(|place| place.folder.note_folders(&name.below, &source));
            if let Some(first) = self.first_name(&source, name) {
                let waiting = Waiting::SecondName(Box::new(record), Some(name.clone()));
                return (EntryKind::SecondName(number, first), waiting);
            }
        }
        let record = Box::new(record);
        (EntryKind::File(number, record.clone(), origin), Waiting::File(record, name.cloned()))
    }

    /// Returns the name of the copy of a file that was met under another name before.
    fn first_name(&mut self, source: &Path, name: &Name) -> Option<Name> {
        let facts = facts_at(source, Links::Stay).ok().filter(|facts| facts.links > 1)?;
        match self.names.entry(facts.id) {
            hash_map::Entry::Occupied(first) => Some(first.get().clone()),
            hash_map::Entry::Vacant(none) => {
                none.insert(name.clone());
                None
            }
        }
    }

    /// Notes the folders that the copy of an entry lies in, with something behind its path.
    fn note(&self, path: &[u8], behind: &[u8]) {
        let Some(name) = self.naming.name(path) else { return };
        let (below, source) = ([&name.below, behind].concat(), path_of(&[path, behind].concat()));
        self.places.iter().for_each(|place| place.folder.note_folders(&below, &source));
    }

    /// Returns what is to be done with an entry that is no file.
    fn skipped(&mut self, path: &[u8], why: Skip, number: Option<StreamNumber>) -> (EntryKind, Waiting) {
        match why {
            Skip::EmptyFolder => {
                self.note(path, b"/x");
                return (EntryKind::Folder, Waiting::Nothing);
            }
            Skip::Link => {
                if let Ok(target) = fs::read_link(path_of(path)) {
                    self.note(path, b"");
                    return (EntryKind::Link(target), Waiting::Link(path.into()));
                }
            }
            _ => {}
        }
        self.tell(CopyEvent::Skipped(path, why));
        if why != Skip::Filtered {
            *self.summary.skipped.entry(why).or_insert(0) += 1;
        }
        (EntryKind::None(number), Waiting::Nothing)
    }

    /// Takes the answers that came; with `wait`, waits for those to the next entry. Returns whether all have answered for it.
    fn is_answered(&mut self, wait: bool) -> bool {
        let wait = wait && !self.waiting.is_empty();
        let places = self.places.iter_mut().map(|place| (&place.answers, &mut place.answered));
        let source = self.source.iter_mut().map(|source| (&source.answers, &mut source.answered));
        let mut is_answered = !self.waiting.is_empty();
        for (answers, answered) in places.chain(source) {
            if wait && answered.is_empty() {
                answered.extend(answers.recv());
            }
            answered.extend(answers.try_iter());
            is_answered &= !answered.is_empty();
        }
        is_answered
    }

    /// Reports the entries that all destinations have answered for; with `wait`, waits for all answers.
    fn report(&mut self, wait: bool) {
        while self.is_answered(wait) {
            let answers: Vec<Answer> =
                self.places.iter_mut().filter_map(|place| place.answered.pop_front()).collect();
            let second = self.source.as_mut().and_then(|source| source.answered.pop_front());
            let Some(waiting) = self.waiting.pop_front() else { return };
            let summaries = self.summary.places.iter_mut().zip(&answers);
            match waiting {
                Waiting::File(record, name) => {
                    summaries.for_each(|(place, answer)| place.count(record.size.unwrap_or(0), answer));
                    self.list(&record, name.as_ref(), &answers, ReadBackAt::Itself);
                    self.tell(CopyEvent::Copied(&record, &answers));
                    if let Some(second) = second {
                        self.judge_source(&record.path, &second);
                    }
                }
                Waiting::SecondName(record, name) => {
                    summaries.for_each(|(place, answer)| place.count_link(answer));
                    self.list(&record, name.as_ref(), &answers, ReadBackAt::OtherName);
                    self.tell(CopyEvent::Linked(&record.path, &answers));
                }
                Waiting::Link(path) => {
                    summaries.for_each(|(place, answer)| place.count_link(answer));
                    self.list_link(&path, &answers);
                    self.tell(CopyEvent::Linked(&path, &answers));
                }
                Waiting::Nothing => {}
            }
        }
    }

    /// Adds the copies of a file to the manifests.
    fn list(&self, record: &Record, name: Option<&Name>, answers: &[Answer], read: ReadBackAt) {
        for (place, answer) in self.places.iter().zip(answers) {
            let is_listed = match answer {
                // Its record follows when it is read back.
                Answer::Copied(_) => !place.is_read_later || read == ReadBackAt::OtherName,
                answer => matches!(answer, Answer::Same),
            };
            if let (Some(listing), Some(name), true) = (&place.listing, name, is_listed) {
                let path = path_bytes(&place.folder.path(name)).into();
                listing.records().add(Record { path, ..record.clone() });
            }
        }
    }

    /// Adds a symbolic link to the manifests.
    fn list_link(&self, path: &[u8], answers: &[Answer]) {
        let Some(name) = self.naming.name(path) else { return };
        for (place, answer) in self.places.iter().zip(answers) {
            if let (Some(list), Answer::Copied(_) | Answer::Same) = (&place.listing, answer) {
                list.records().add_link(path_bytes(&place.folder.path(&name)).into());
            }
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
    fn end(mut self) -> Result<CopySummary, Error> {
        self.senders.clear();
        self.tell(CopyEvent::AllRead);
        self.report(true);
        // Without an answer, a thread has ended early.
        let unanswered = self.waiting.len() as u64;
        for (place, summary) in std::mem::take(&mut self.places).into_iter().zip(0..) {
            let Place { path, folder, writer, reader, answers, listing, .. } = place;
            drop(answers);
            let lost = join(writer);
            let findings = join(reader);
            let listed = listing.map(CopyList::end).transpose()?;
            let settled = folder.finish();
            let LateFindings { problems, .. } = &findings;
            for (copy, answer) in problems {
                self.tell(CopyEvent::FoundLater(copy, answer));
            }
            let counts = &mut self.summary.places[summary];
            counts.lose(&lost);
            counts.find(&findings);
            counts.failed += unanswered;
            counts.is_unsettled = settled.is_err();
            if let Some(WrittenList { summary, remarks }) = listed {
                counts.unlisted = summary.refused + u64::from(summary.unsigned);
                counts.differing += summary.differing;
                remarks.iter().for_each(|remark| self.tell(CopyEvent::Remark(remark)));
            }
            if let Err(error) = &settled {
                self.tell(CopyEvent::Unsettled(&path, error));
            }
        }
        if let Some(Second { answers, passing, reader, .. }) = self.source.take() {
            drop(answers);
            join(passing);
            join(reader);
        }
        self.summary.is_interrupted = self.cancel.is_set();
        Ok(self.summary)
    }
}

/// Checks that no destination lies in a source or the other way round, and that none is named twice.
fn check_places(sources: &[Box<[u8]>], to: &[PathBuf], stores: &Stores) -> Result<(), Error> {
    let place = |path: &Path| {
        let above = hashmill_output::directory(path);
        names::canonical(path).or_else(|_| {
            names::canonical(above).map(|above| above.join(path.file_name().unwrap_or_default()))
        })
    };
    let unfit = |path: &Path, why: &str| Error::of_place(path_bytes(path), why);
    let mut places: Vec<PathBuf> = Vec::new();
    for path in to {
        if stores.is_location(&path_bytes(path)) {
            return Err(unfit(path, "copies into stores are not written yet; copy into a folder"));
        }
        let at = place(path).map_err(Error::at(path, Tried::TakeUp))?;
        if places.contains(&at) {
            return Err(unfit(path, "is named twice as a destination"));
        }
        places.push(at);
    }
    for source in sources.iter().filter(|source| !stores.is_location(source)) {
        let path = path_of(source);
        // A source that doesn't exist is told when it is read.
        let Ok(at) = names::canonical(&path) else { continue };
        for (to, name) in places.iter().zip(to) {
            let why = match () {
                () if at.is_dir() && to.starts_with(&at) => "lies in a source, or is one",
                () if at.starts_with(to) => "is a folder that a source lies in; copy into another one",
                () => continue,
            };
            return Err(unfit(name, why));
        }
    }
    Ok(())
}
