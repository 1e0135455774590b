//! Copies files to one or more folders and stores, in one read: their digests are computed as they are read, every destination writes at its own
//! pace, and each copy is read back from its medium before it gets its name.
//!
//! ```text
//!   walk ── engine ── results, in order ──┐
//!             │ tap                       ▼
//!             └─ bytes ──> writer ── synced files ──> reader back ── answers, in order ──> observer
//! ```
//!
//! A folder has a writer, a thread that brings files onto the disk, and a reader (`writer`, `sync`, `back`), that don't wait for those of other
//! destinations: bytes wait for a slow one in memory, up to a limit (`tap`). A file is a new one under a name of no meaning
//! until it is whole, on the disk and verified; only then it gets its name, and nothing that is there loses its own. So a run that is
//! killed leaves whole files or none, and the next one compares what is there and goes on.
//!
//! A destination in a store has a writer, too, and many threads that send (`bucket`); a device is written in place (`device`). To the
//! run all are a `Place` (`place`): a way for messages, and answers in the order of the walk.

mod answer;
mod answers;
mod attributes;
mod back;
mod bag;
mod bagged;
pub(crate) mod below;
mod beside;
#[cfg_attr(not(feature = "stores"), path = "no_bucket.rs")]
mod bucket;
mod device;
mod event;
mod folder;
mod folders;
mod ground;
#[cfg_attr(not(feature = "images"), path = "no_inner.rs")]
mod inner;
mod later;
mod linked;
mod listing;
mod message;
mod name_rules;
mod names;
mod naming;
mod open_files;
mod patience;
mod place;
mod places;
mod resumed;
mod room;
mod run;
mod site;
pub(crate) mod sparse;
mod state;
mod survey;
mod sync;
mod tap;
mod threads;
mod writer;

pub use answer::{Answer, Proof};
pub use back::Verify;
pub use bagged::{BagFields, CopiedBag};
pub use beside::manifest_path;
pub use event::{CopyEvent, CopySummary, PlaceProgress, PlaceSummary};
pub use survey::{PlaceSurvey, Planned, SurveyEvent};

use crate::algorithms::Algorithms;
use crate::error::Error;
use crate::hash::Manifest;
use crate::misfit::Misfit;
use answers::Answers;
use back::ReadBack;
use device::is_device;
use ground::check_places;
use hashmill_content::resources::Resources;
use hashmill_content::selection::{Selected, Selection};
use hashmill_digest::{Algorithm, Class, find};
use hashmill_engine::flow::Flow;
use hashmill_engine::{self as engine, Cancel, Live, Plan};
use hashmill_os::names::path_bytes;
use hashmill_output::WriteError;
use hashmill_source::identity;
use linked::LinkedFiles;
use message::Message;
use naming::Naming;
use resumed::Resumed;
use run::{CopyRun, Second, no_state};
use state::{LockedState, StateThread};
use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel, sync_channel};
use tap::{Fan, Streams};
use threads::start;

/// Receives events.
pub type CopyObserver<'a> = dyn FnMut(CopyEvent<'_>) -> Flow + 'a;

/// The most copies that wait to be read back, each of which takes a descriptor.
const MOST_WAITING: usize = 16;

/// The part of the memory for sorting the state of an interrupted run.
const PART_OF_MEMORY: usize = 8;

/// The part of the memory for reading, for files with several names.
const PART_FOR_LINKS: usize = 2;

/// The digest that proves what is copied where no other does.
const PROOF: &str = "blake3";

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
    /// Whether each destination becomes a bag, and the fields of its `bag-info.txt`. Manifests of other formats don't go with it.
    pub bag: Option<BagFields>,
    /// When copies are read back.
    pub verify: Verify,
    /// Whether the files of the sources are read a second time, past the page cache, and compared.
    pub verify_source: bool,
    /// Whether files with other content in the place of copies are replaced.
    pub force: bool,
    /// The state that a run after an interruption goes on with: a file that only this user can write, and that stands for these
    /// sources, destinations and digests.
    pub state: Option<PathBuf>,
    /// Threads, memory and devices to use.
    pub resources: Resources,
    /// Ends the job soon after it is set.
    pub cancel: Cancel,
}

impl CopyJob {
    /// Copies, and reports what becomes of each entry.
    ///
    /// # Errors
    /// If options contradict each other, or a list of paths can't be opened.
    pub fn run(mut self, observer: &mut CopyObserver<'_>) -> Result<CopySummary, Error> {
        let naming = Naming::new(&self.selection.paths)?;
        self.check()?;
        let plan = self.plan()?;
        self.resources.give_way()?;
        let bags = self.open_bags(&naming, &mut |path, why| {
            let _ = observer(CopyEvent::Unfit(path, why));
        })?;
        self.selection.is_located = true;
        self.selection.empty_folders = true;
        let live = Arc::<Live>::default();
        if self.resources.counts {
            self.selection.count(&self.resources, &live);
        }
        let mut resources = self.resources.clone();
        resources.memory = plan.memory;
        let names = self.tell_names(observer, &naming, &plan)?;
        let merged: Vec<u64> = names.iter().map(|names| names.merged).collect();
        let (state, resumed) = self.resume(observer, &naming, &plan).unzip();
        let Selected { entries, problem } = self.entries(&resources)?;
        let (senders, places) = self.places(&naming, &plan, state.as_ref(), names, bags)?;
        let (source_sender, source) = self.source(&plan)?.unzip();
        let streams = Streams::default();
        let tap = Fan::new(naming.clone(), senders.clone(), plan.memory, streams.clone());
        let senders = senders.into_iter().chain(source_sender).collect();
        let progress: Vec<_> = places.iter().map(|place| Arc::clone(&place.progress)).collect();
        self.tell(observer, CopyEvent::Reading(&live, &progress));
        let summary = CopySummary {
            places: merged.into_iter().map(PlaceSummary::with_merged).collect(),
            ..CopySummary::default()
        };
        let (waiting, typed) = (VecDeque::new(), self.algorithms.digests.len());
        let linked = LinkedFiles::new(plan.memory / PART_FOR_LINKS);
        let sites = || places.iter().map(|place| Arc::clone(&place.site)).collect();
        let items = resumed::items(entries, resumed.map(|resumed| resumed.at(sites())));
        let cancel = self.cancel;
        let mut run = CopyRun {
            naming,
            typed,
            senders,
            streams,
            places,
            source,
            waiting,
            linked,
            state,
            observer,
            summary,
            cancel,
        };
        let plan = Plan { tap: Some(Arc::new(tap)), ..plan };
        let stats = engine::run(&plan, items, &live, &mut |event| run.take(event));
        drop(plan);
        run.summary.stats = stats;
        run.summary.list_problem = problem.take();
        run.end()
    }

    /// Opens the state, and starts the thread that notes what this run copies. Returns none where sources are to be read twice, or
    /// copies are not verified at once or lie in no folder, and where it can't be used, which is told.
    fn resume(
        &mut self,
        observer: &mut CopyObserver<'_>,
        naming: &Naming,
        plan: &Plan,
    ) -> Option<(StateThread, Resumed)> {
        let are_folders = !self.to.iter().any(|to| self.is_bucket(to) || is_device(to));
        let is_used = !self.verify_source && self.verify == Verify::AtOnce && are_folders;
        let path = self.state.clone().filter(|_| is_used)?;
        match self.resumed(&path, naming, plan) {
            Ok(resumed) => resumed,
            Err(error) => {
                self.tell(observer, CopyEvent::Remark(&no_state(&error)));
                None
            }
        }
    }

    fn resumed(
        &mut self,
        path: &Path,
        naming: &Naming,
        plan: &Plan,
    ) -> Result<Option<(StateThread, Resumed)>, Error> {
        let failed = |error| WriteError::new(path, error);
        let Some(locked) = LockedState::open(path).map_err(failed)? else { return Ok(None) };
        // It is no file of the sources.
        self.selection.own.add_identities([identity(locked.id().map_err(failed)?)]);
        let (memory, algorithms) = (plan.memory / PART_OF_MEMORY, plan.algorithms.clone());
        let (state, resumed) = Resumed::read(locked, memory, naming.clone(), algorithms).map_err(failed)?;
        Ok(Some((StateThread::start(state)?, resumed)))
    }

    fn tell(&self, observer: &mut CopyObserver<'_>, event: CopyEvent<'_>) {
        if observer(event).is_break() {
            self.cancel.set();
        }
    }

    /// Returns the entries of the sources: those inside of images and archives come behind all others.
    fn entries(&self, resources: &Resources) -> Result<Selected, Error> {
        let mut selection = self.selection.clone();
        let inner = inner::take(&mut selection, resources)?;
        let Selected { entries, problem } = selection.open(resources)?;
        Ok(Selected { entries: Box::new(entries.chain(inner.into_iter().flatten())), problem })
    }

    /// Checks that no place mixes with another.
    fn check(&self) -> Result<(), Error> {
        let (buckets, files): (Vec<_>, Vec<_>) = self.to.iter().partition(|to| self.is_bucket(to));
        let (devices, folders): (Vec<_>, Vec<_>) = files.into_iter().partition(|to| is_device(to));
        check_places(&self.selection.paths, &folders, &self.resources.stores)?;
        device::check(self, &devices)?;
        bucket::check(&self.selection.paths, &buckets, &self.resources.stores)
    }

    /// Returns whether a destination is in a store.
    fn is_bucket(&self, to: &Path) -> bool {
        self.resources.stores.is_location(&path_bytes(to))
    }

    fn buckets(&self) -> impl Iterator<Item = &PathBuf> {
        self.to.iter().filter(|to| self.is_bucket(to))
    }

    /// Returns the plan for reading the sources. Reading back and the bytes on their way get as much memory each; what waits to
    /// be sent to a store gets as much again.
    fn plan(&self) -> Result<Plan, Misfit> {
        let shares = self.to.len() + self.buckets().count() + usize::from(self.verify_source) + 2;
        let least = Plan::least_memory(self.resources.threads().get());
        let memory = self.resources.memory;
        if memory / shares < least {
            let threads = self.resources.threads().get();
            return Err(
                hashmill_content::Misfit::Memory { bytes: memory, threads, least: least * shares }.into()
            );
        }
        let resources = Resources { memory: memory / shares, ..self.resources.clone() };
        let plan = resources.plan(self.digests())?;
        Ok(Plan { cancel: self.cancel.clone(), ..plan })
    }

    /// Returns the digests that were asked for, and behind them BLAKE3 if anybody could make another file with all of these: what
    /// is there would pass for the same. Those that stores have of their objects follow.
    fn digests(&self) -> Vec<&'static Algorithm> {
        let mut digests = self.algorithms.digests.clone();
        if !digests.iter().any(|algorithm| algorithm.class == Class::Cryptographic) {
            digests.extend(find(PROOF).ok());
        }
        for more in self.buckets().flat_map(|to| bucket::digests(to, &self.resources.stores)) {
            if !digests.contains(&more) {
                digests.push(more);
            }
        }
        digests
    }

    /// Starts the threads that read the files of the sources a second time, if that was asked for.
    fn source(&self, plan: &Plan) -> Result<Option<(Sender<Message>, Second)>, Error> {
        if !self.verify_source {
            return Ok(None);
        }
        let (sender, messages) = channel();
        let (next, copies) = sync_channel(MOST_WAITING);
        let (answer, answers) = channel();
        let passing = start("reading the sources again", move || writer::pass_sources(&messages, &next))?;
        let plan = Plan { cancel: Cancel::default(), ..plan.clone() };
        let back = ReadBack {
            folder: None,
            verify: Verify::AtOnce,
            plan,
            live: Arc::default(),
            first_names: HashSet::new(),
            unlinked: 0,
            later: None,
            state: None,
            listing: None,
        };
        let reader = start("reading the sources again", move || back.run(copies, &answer))?;
        Ok(Some((sender, Second { answers: Answers::new(answers), passing, reader })))
    }
}
