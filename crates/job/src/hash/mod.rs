//! Hashes the files that a selection finds, for records or a manifest.

mod event;
mod manifest;
mod scan;
mod sink;

pub use event::{Ended, HashEvent, HashSummary};
pub use manifest::Manifest;
pub use scan::{Scan, ScanCounts, unscanned};
pub use sink::damage;

use crate::algorithms::Algorithms;
use crate::case;
use crate::error::Error;
use crate::labels::{self, Labels, Purpose};
use crate::manifest_writer::ManifestWriter;
use crate::misfit::Misfit;
use crate::notice::Notice;
use crate::reuse::{self, Reuse, Reusing};
use hashmill_content::entry::facts::EntryFacts;
use hashmill_content::entry::stated::Stated;
use hashmill_content::entry::unread::NotLookedInto;
use hashmill_content::output::{self, Output, WriteError};
use hashmill_content::resources::Resources;
use hashmill_content::selection::own::OwnFiles;
use hashmill_content::selection::{ListError, Selected, Selection};
use hashmill_content::{self as content, NotOfImages};
use hashmill_engine::flow::{Entries, Flow};
use hashmill_engine::{Cancel, Live, Order, Plan, RunItem, Stats};
use hashmill_facts::{Fact, FactSet, Signatures};
use hashmill_lists::companions;
use hashmill_lists::history::next::digest_of;
use hashmill_lists::sealing::Sealing;
use hashmill_lists::signatures::staged::{self, Staged};
use hashmill_os::names;
use hashmill_source::{BadBlocks, Reading};
use manifest::{Resumable, Target};
use sink::{Sink, Writing};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The settings of a job. [`HashJob::run`] gives records, [`HashJob::write`] writes a manifest of them.
pub struct HashJob {
    /// The entries to hash.
    pub input: Input,
    /// The digests of each record.
    pub algorithms: Algorithms,
    /// The facts of each record.
    pub facts: FactSet,
    /// The scan of contents by rules, whose results are facts, too.
    pub scan: Option<Scan>,
    /// The signatures of PRONOM by which formats are named, which are facts, too.
    pub pronom: Option<Arc<Signatures>>,
    /// The length of pieces, if each piece is to have digests, too.
    pub piece: Option<NonZeroU64>,
    /// Whether the digests of leaves are kept beside digests of blocks.
    pub leaves: bool,
    /// Whether records come in the order of the walk, or as they are finished.
    pub order: Order,
    /// The treatment of files with parts that can't be read: fail, or hash zeros in their place.
    pub bad_blocks: BadBlocks,
    /// Whether records have the metadata that show whether a file changed since.
    pub metadata: bool,
    /// The earlier manifest whose digests of unchanged files are taken over. Records then have metadata.
    pub reuse: Option<Reuse>,
    /// The sets of known digests that label each file.
    pub labels: Option<Labels>,
    /// Threads, memory and devices to use.
    pub resources: Resources,
    /// Ends the job soon after it is set.
    pub cancel: Cancel,
}

/// The entries to hash.
pub enum Input {
    /// The files that a selection finds.
    Selection(Box<Selection>),
    /// Entries that the caller found, each with its own content: media of images, files in them, objects of stores.
    Entries(Entries),
    /// Results of files that lie below these operands, which another job has: they are only written.
    Results(Vec<Box<[u8]>>, Results),
    /// Such entries of images. The digests that the images state are recorded here as they are read.
    Images(Entries, Stated),
}

/// Results that are known.
pub type Results = Box<dyn Iterator<Item = RunItem> + Send>;

/// A job whose options fit together and whose output is open. Nothing has been read yet.
pub struct Run {
    entries: Entries,
    /// The results in the place of entries, if they are known.
    results: Option<Results>,
    plan: Plan,
    live: Arc<Live>,
    labels: Option<Labels>,
    stated: Stated,
    list: (Option<PathBuf>, ListError),
    facts: EntryFacts,
    unread: NotLookedInto,
    with_metadata: bool,
    reusing: Option<Reusing>,
    target: Option<Target>,
}

impl HashJob {
    /// Makes a job that computes these digests of the files that a selection finds, with default settings.
    pub fn new(selection: Selection, algorithms: Algorithms) -> HashJob {
        HashJob {
            input: Input::Selection(Box::new(selection)),
            algorithms,
            facts: FactSet::default(),
            scan: None,
            pronom: None,
            leaves: false,
            piece: None,
            order: Order::Walk,
            bad_blocks: BadBlocks::Fail,
            metadata: false,
            reuse: None,
            labels: None,
            resources: Resources::default(),
            cancel: Cancel::default(),
        }
    }

    /// Hashes the files, and reports every record to the observer.
    ///
    /// # Errors
    /// If options contradict each other, or an index of known digests is damaged.
    pub fn run(self, observer: &mut dyn FnMut(HashEvent<'_>) -> Flow) -> Result<HashSummary, Error> {
        self.start()?.run(observer)
    }

    /// Hashes the files, and writes a manifest.
    ///
    /// # Errors
    /// If options contradict each other, or the manifest can't be written.
    pub fn write(
        self,
        manifest: Manifest,
        observer: &mut dyn FnMut(HashEvent<'_>) -> Flow,
    ) -> Result<HashSummary, Error> {
        self.start_writing(manifest)?.run(observer)
    }

    /// Checks that the options of the job and of its manifest don't contradict each other.
    ///
    /// # Errors
    /// If some of them do.
    pub fn check(&self, manifest: Option<&Manifest>) -> Result<(), Misfit> {
        manifest.map_or(Ok(()), |manifest| manifest.fits(self))?;
        let named = self.algorithms.digests.iter().find(|algorithm| algorithm.of_entry.is_some());
        if let Some(algorithm) = named.filter(|_| self.piece.is_some()) {
            return Err(Misfit::PiecesOf(algorithm.name));
        }
        if let Some(labels) = &self.labels {
            labels::check(labels.sets(), &self.algorithms.digests)?;
        }
        if let Input::Selection(selection) = &self.input {
            selection.check(&self.resources.stores)?;
        }
        if !self.input.is_of_files() && !matches!(self.input, Input::Results(..)) {
            if self.bad_blocks == BadBlocks::Zero {
                return Err(content::Misfit::Images(NotOfImages::BadBlocks).into());
            }
            self.resources.fits_images()?;
        }
        let plan = self.plan()?;
        self.reuse
            .as_ref()
            .map_or(Ok(()), |_| reuse::fits(&plan, self.input.operands(), &self.resources.stores))
    }

    /// Prepares the job for [`Run::run`].
    ///
    /// # Errors
    /// If options contradict each other, or the list of paths can't be opened.
    pub fn start(self) -> Result<Run, Error> {
        self.prepare(None)
    }

    /// Prepares the job like [`HashJob::start`], with a manifest to be written. The output is open then.
    ///
    /// # Errors
    /// As [`HashJob::start`]; and if the output can't be opened.
    pub fn start_writing(self, manifest: Manifest) -> Result<Run, Error> {
        self.prepare(Some(manifest))
    }

    fn prepare(mut self, manifest: Option<Manifest>) -> Result<Run, Error> {
        self.check(manifest.as_ref())?;
        let history = manifest.as_ref().map(|manifest| manifest.history(&self)).transpose()?.flatten();
        if let Some(next) = &history {
            self.algorithms.digests = next.algorithms();
        }
        let plan = self.plan()?;
        self.resources.give_way()?;
        let with_metadata = self.has_metadata();
        self.metadata = with_metadata;
        // The output may have the name of the manifest that is reused.
        let reusing = self.reuse.take().map(|reuse| reuse.start(&plan)).transpose()?;
        let target = manifest.map(|manifest| manifest.open(&self, history.clone())).transpose();
        let target = target.inspect_err(|_| history.iter().for_each(|next| next.unmake_folder()))?;
        let own = target.iter().flat_map(Target::own_files);
        let stated = match &self.input {
            Input::Entries(_) | Input::Results(..) => Stated::default(),
            Input::Images(_, stated) => stated.clone(),
            Input::Selection(selection) => selection.stated.clone(),
        };
        let facts = match &mut self.input {
            Input::Selection(selection) => {
                selection.facts = EntryFacts::taken();
                selection.facts.clone()
            }
            Input::Entries(_) | Input::Results(..) | Input::Images(..) => EntryFacts::default(),
        };
        let unread = match &self.input {
            Input::Selection(selection) => selection.unread.clone(),
            Input::Entries(_) | Input::Results(..) | Input::Images(..) => NotLookedInto::default(),
        };
        let live = Arc::default();
        let mut results = None;
        let (entries, list) = match self.input {
            Input::Results(_, known) => {
                results = Some(known);
                (Box::new(std::iter::empty()) as Entries, (None, ListError::default()))
            }
            Input::Entries(entries) | Input::Images(entries, _) => (entries, (None, ListError::default())),
            Input::Selection(mut selection) => {
                selection.own.add_identities(own);
                target.iter().for_each(|target| target.output.expects(&selection.paths));
                let name = selection.list_name().map(Path::to_path_buf);
                if self.resources.counts {
                    selection.count(&self.resources, &live);
                }
                selection.is_read_at_once = true;
                let Selected { entries, problem } = selection.open(&self.resources)?;
                (entries, (name, problem))
            }
        };
        let entries = match &history {
            Some(next) => {
                let mut own = OwnFiles::default();
                companions::add_parts(&mut own, &next.parts());
                next.without_ignored(entries, own)
            }
            None => entries,
        };
        Ok(Run {
            entries,
            results,
            plan,
            live,
            labels: self.labels,
            stated,
            facts,
            unread,
            list,
            with_metadata,
            reusing,
            target,
        })
    }

    fn plan(&self) -> Result<Plan, Misfit> {
        let resources = self.resources.beside(self.input.has_inside());
        let plan = resources.plan(self.algorithms.digests.clone())?;
        let likeness = self.algorithms.likeness.iter().map(|(_, row)| *row).collect();
        let reading = Reading { bad_blocks: self.bad_blocks, ..plan.reading };
        let cancel = self.cancel.clone();
        let scan = self.scan.as_ref().map(|scan| scan.plan(plan.memory, plan.threads.get())).transpose()?;
        let (scanning, taken) = scan.unzip();
        Ok(Plan {
            likeness,
            facts: self.all_facts(),
            scanning,
            memory: plan.memory - taken.unwrap_or(0),
            pronom: self.pronom.clone(),
            leaves: self.leaves,
            piece: self.piece,
            order: self.order,
            reading,
            cancel,
            ..plan
        })
    }

    /// Returns the facts that records have, also those of a scan and of signatures.
    pub(super) fn all_facts(&self) -> FactSet {
        let formats = self.pronom.as_ref().map(|_| FactSet::one(Fact::Puid)).unwrap_or_default();
        Scan::beside(self.scan.as_ref(), self.facts.with(formats))
    }

    /// Returns whether records have metadata.
    pub(super) fn has_metadata(&self) -> bool {
        self.metadata || self.reuse.is_some()
    }

    /// Returns whether the run only judges files by sets of known digests. The records of an interrupted run are then of
    /// no use to a later run.
    fn is_only_judging(&self) -> bool {
        self.labels.as_ref().is_some_and(|labels| labels.purpose() == Purpose::Judge)
    }
}

impl Run {
    /// Returns the flag that ends the run soon after it is set.
    pub fn cancel(&self) -> Cancel {
        self.plan.cancel.clone()
    }

    /// Returns counters that are updated while the run goes on.
    pub fn live(&self) -> Arc<Live> {
        Arc::clone(&self.live)
    }

    /// Returns the output of the manifest.
    pub fn output(&self) -> Option<&Output> {
        self.target.as_ref().map(|target| &target.output)
    }

    /// Hashes the files, and reports every record to the observer.
    ///
    /// # Errors
    /// If the manifest cannot be written, or an index of known digests is damaged.
    pub fn run(self, observer: &mut dyn FnMut(HashEvent<'_>) -> Flow) -> Result<HashSummary, Error> {
        let target = self.target.as_ref();
        let beside = target.filter(|_| self.goes_on()).and_then(|target| target.resumable.as_ref());
        let beside = beside.map(|resumable| resumable.beside.clone());
        let unfinished = beside.clone().zip(target.map(|target| target.output.clone()));
        let history = target.and_then(|target| Some((target.history.clone()?, target.output.clone())));
        let done = self.hash(observer);
        if let Some((next, output)) = history
            && !matches!(&done, Ok(summary) if summary.ended == Ended::Whole && summary.list_problem.is_none())
        {
            output.discard();
            next.unmake_folder();
        }
        if let Ok(HashSummary { ended: Ended::Interrupted { .. }, .. }) = &done
            && let Some((beside, output)) = &unfinished
            && !beside.has_finished()
        {
            output.discard();
            beside.end()?;
        }
        let stopped = match &done {
            Err(Error::Write(error)) => !error.displaced(),
            Err(_) => false,
            Ok(summary) => summary.list_problem.is_some(),
        };
        if let Some(beside) = beside.filter(|beside| stopped && beside.is_left()) {
            let withheld = matches!(&done, Err(Error::Write(error)) if error.is_withheld());
            // A full disk is no end.
            if withheld || done.is_ok() {
                beside.note_end();
            }
            let notice = if withheld { Notice::Withheld } else { Notice::Resumable };
            let _ = observer(HashEvent::Notice(notice));
        }
        done
    }

    /// Returns whether a later run can resume where this one ends early.
    fn goes_on(&self) -> bool {
        let resumable = self.target.as_ref().is_some_and(|target| target.resumable.is_some());
        resumable && self.plan.order == Order::Walk
    }

    fn hash(mut self, observer: &mut dyn FnMut(HashEvent<'_>) -> Flow) -> Result<HashSummary, Error> {
        let sealing = match &self.target {
            Some(target) if target.seal => Some(Sealing::start(target.shape.format, &target.output)?),
            _ => None,
        };
        let entries = std::mem::replace(&mut self.entries, Box::new(std::iter::empty()));
        let kept = self.target.as_mut().and_then(|target| target.resumable.as_mut()?.kept.take());
        let below = self.target.as_ref().and_then(|target| target.below.clone());
        let (entries, replay) = match kept {
            None => (entries, None),
            Some(kept) => {
                let (matching, replay) = kept.split(Arc::clone(&self.live), self.facts.clone(), below)?;
                (Box::new(matching.filter(entries)) as Entries, Some(replay))
            }
        };
        let resumable = self.target.as_ref().and_then(|target| target.resumable.as_ref());
        self.plan.saving = resumable.map(|resumable| Arc::clone(&resumable.begun) as _);
        let begin = |target| Writing::begin(target, self.plan.memory, replay);
        let writing = self.target.as_ref().map(begin).transpose()?;
        let labels = self.labels.take();
        let mut sink = Sink {
            observer,
            labels,
            with_metadata: self.with_metadata,
            stated: self.stated.clone(),
            facts: self.facts.clone(),
            unread: self.unread.clone(),
            writing,
            summary: HashSummary::default(),
            error: None,
            stopped: false,
            unreached: false,
        };
        let reusing = self.reusing.take();
        let notes = reusing.as_ref().map(|reusing| reusing.notes.clone());
        let items = self.results.take().unwrap_or_else(|| Box::new(reuse::items(entries, reusing)));
        let stats = hashmill_engine::run(&self.plan, items, &self.live, &mut |event| sink.take(event));
        sink.tell(HashEvent::AllRead);
        for sum in self.facts.sums() {
            sink.tell(HashEvent::Notice(Notice::Covered(&sum)));
        }
        if let Some(notes) = notes.filter(|_| !self.plan.cancel.is_set()) {
            notes.tell(&mut |notice| sink.tell(HashEvent::Notice(notice)));
        }
        self.end(sink, stats, sealing)
    }

    fn end(
        mut self,
        mut sink: Sink<'_>,
        stats: Stats,
        sealing: Option<Sealing>,
    ) -> Result<HashSummary, Error> {
        if let Some(error) = sink.error.take() {
            return Err(error);
        }
        sink.release()?;
        if self.plan.cancel.is_set() || sink.stopped {
            if let Some(writing) = sink.writing {
                writing.writer.leave()?;
            }
            let ended = Ended::Interrupted { resumable: self.goes_on() };
            return Ok(HashSummary { ended, stats, ..sink.summary });
        }
        for note in self.plan.reading.notes.take() {
            sink.tell(HashEvent::Notice(Notice::PageCache(&note)));
        }
        sink.write_rest()?;
        if let Some(writing) = sink.writing.take() {
            sink.miss(&writing);
            self.conclude(writing, &mut sink, &stats, sealing)?;
        }
        let categories = sink.labels.as_ref().map(Labels::counts).cloned().unwrap_or_default();
        Ok(HashSummary { stats, categories, list_problem: self.list.1.take(), ..sink.summary })
    }

    /// Writes the end of the manifest, and gives it its name.
    fn conclude(
        &mut self,
        writing: Writing,
        sink: &mut Sink<'_>,
        stats: &Stats,
        mut sealing: Option<Sealing>,
    ) -> Result<(), Error> {
        let Writing { mut writer, faults, .. } = writing;
        if let Some(mut faults) = faults {
            let (name, problem) = &self.list;
            if let (Some(name), Some(problem)) = (name, problem.problem()) {
                faults.push(&names::path_bytes(name), problem);
            }
            writer.conclude(&case::end(stats, sink.summary.kept, faults))?;
        }
        if let Some(shared) = writer.shared_names() {
            sink.tell(HashEvent::Notice(Notice::SharedNames(shared)));
        }
        let Some(target) = &mut self.target else { return Ok(()) };
        if self.list.1.problem().is_some() {
            // The output would look like a manifest of all files that the list names.
            return Ok(writer.leave()?);
        }
        let finished = target.finish(writer, sealing.as_mut(), sink, stats);
        // Once the manifest has its name, there is nothing to resume, whatever fails from here on.
        let is_named = finished.as_ref().map_or_else(Error::is_named, |_| true);
        let tidied = match &target.resumable {
            Some(Resumable { beside, .. }) if is_named && !matches!(finished, Ok(true)) => beside.end(),
            _ => Ok(()),
        };
        if finished? {
            sink.tell(HashEvent::Notice(Notice::Unreached));
        }
        if let (Some(sealing), Some(place)) = (sealing, &target.place) {
            sink.tell(HashEvent::Notice(Notice::Sealed(
                &sealing.finish(&place.path, &target.output.files())?,
            )));
        }
        tidied
    }
}

impl Target {
    /// Gives the manifest its name, and then adds its signatures. A manifest that can't be signed after all is kept, so
    /// that hours of work are not lost because an agent went away. Returns whether the records are kept for another
    /// run, because a store could not be reached for all files.
    fn finish(
        &mut self,
        writer: ManifestWriter,
        sealing: Option<&mut Sealing>,
        sink: &mut Sink<'_>,
        stats: &Stats,
    ) -> Result<bool, Error> {
        let (mut staged, mut digest, mut is_kept) = (Ok(Staged::default()), None, false);
        let some = sink.unreached && stats.hashed + sink.summary.kept > 0;
        let beside = self.resumable.as_ref().filter(|_| some).map(|resumable| &resumable.beside);
        let history = self.history.as_ref();
        sink.summary.refused = writer.end_after(|output| {
            digest = history.map(|_| digest_of(output));
            is_kept = beside.is_some_and(|beside| beside.keep(output));
            sealing.into_iter().for_each(|sealing| sealing.end(output));
            if let Some(signing) = &mut self.signing {
                staged = signing.stage(output);
            }
        })?;
        if let (Some(next), Some(digest)) = (history, digest) {
            let chain = next.finish(digest.map_err(|error| WriteError::new(next.path(), error))?)?;
            for path in staged::stale(&chain) {
                sink.tell(HashEvent::Notice(Notice::StaleSignature(&path)));
            }
        }
        if self.signing.is_none() {
            let file = self.place.iter().filter(|place| output::replaces(place));
            for path in file.flat_map(|place| staged::stale(&place.path)) {
                sink.tell(HashEvent::Notice(Notice::StaleSignature(&path)));
            }
            return Ok(is_kept);
        }
        if let Err(error) = staged.and_then(|staged| Ok(staged.finish()?)) {
            sink.summary.unsigned = true;
            sink.tell(HashEvent::Notice(Notice::Unsigned(&error)));
        }
        Ok(is_kept)
    }
}
