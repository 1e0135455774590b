//! State for resuming an interrupted run.
//!
//! A run keeps four files beside its output NAME: `.NAME.hashmill-partial` (its records so far, in the order of the
//! walk), `.NAME.hashmill-run` (the options that shape records; its time is the start of the run),
//! `.NAME.hashmill-seen` (the state of each file when it was hashed, see `seen.rs`) and `.NAME.hashmill-begun` (the
//! states of large objects, see `begun.rs`). The next run renames the partial file to `.NAME.hashmill-kept` and writes
//! a new partial file: the entries of the walk are looked up in the kept records, which come in the same order, so that
//! one pass is enough. A file that looks different, or that changed since the first run began, is hashed again. A kill
//! at any moment loses nothing: if there is a new partial file beside the kept file, both are joined first. If a store
//! could not be reached, the run ends with a complete output that lacks objects: its records are kept, too.
//!
//! Others could create files under these predictable names: only files that nobody else can have written are resumed
//! ([`adopt`]).

pub(crate) mod begun;
pub(crate) mod states;

use crate::error::Error;
use crate::manifest_writer::{ManifestWriter, OnRefusal};
use crate::resume::begun::Begun;
use crate::seen::{self, Claim, Marker, Seen};
use hashmill_content::File as Tried;
use hashmill_content::entry::facts::EntryFacts;
use hashmill_content::output::{
    LocalPath, Output, OutputKind, OutputPath, RunFiles, WriteError, adopt, beside, follow,
};
use hashmill_digest::{Algorithm, Style};
use hashmill_engine::Live;
use hashmill_lists::history::Below;
use hashmill_manifest::format::{Column, Format, Hint, Layout, Reader, Writer};
use hashmill_manifest::{Named, Record};
use hashmill_os::{Links, SharedFile, create_own, facts, facts_at, names, read_exact_at};
use hashmill_source::{Entry, Identity, Meta, Origin, ParentCache, WalkItem, identity};
use parking_lot::Mutex;
use std::borrow::Cow;
use std::collections::hash_map::{DefaultHasher, Entry as Slot};
use std::collections::{HashMap, HashSet, VecDeque};
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// Limit of files that matching may read ahead of the walk.
const AHEAD: usize = 256;

/// Limit of bytes of the options that are read back.
const MAX_OPTIONS: u64 = 1 << 20;

/// The options that shape the records of a run. Only a run with the same options can continue them.
#[derive(Clone)]
pub struct Shape {
    /// The format of the output.
    pub format: &'static Format,
    /// The layout of its records.
    pub layout: Layout,
    /// The size of pieces, if files are hashed in pieces.
    pub piecewise: Option<u64>,
    /// The sets of known digests that are looked up, if any.
    pub known: Option<String>,
    /// The rules that are looked for, if any.
    pub rules: Option<String>,
    /// The signatures of PRONOM, if formats are found by these.
    pub pronom: Option<Arc<str>>,
    /// The case data that were requested; empty if there are none.
    pub case: String,
}

/// Paths of the files beside an output.
#[derive(Debug, Clone)]
pub struct Beside {
    files: RunFiles,
    partial: PathBuf,
    kept: PathBuf,
    run: PathBuf,
    seen: PathBuf,
    begun: PathBuf,
}

/// The state of an interrupted run, ready to be resumed.
pub struct Kept {
    file: Arc<File>,
    path: PathBuf,
    since: (i64, u32),
    pub(crate) shape: Shape,
    seen: Seen,
    /// The file that this run appends its marks to.
    notes: Option<File>,
    pub(crate) begun: Arc<Begun>,
}

/// The records of a file that were read back: those of its pieces, then that of the whole file.
struct Group {
    pieces: Vec<Record>,
    whole: Record,
}

/// An iterator over groups that ends at the end of the file, or at a record that a kill cut off.
struct Groups<'a> {
    reader: Box<dyn Reader + 'a>,
    algorithms: Vec<&'static Algorithm>,
}

/// The functions that are told about kept records.
pub struct OnKept<'a> {
    /// Gets each record of a whole file before it is written.
    pub kept: &'a mut dyn FnMut(&Record),
    /// Gets those that the format can't represent.
    pub refused: &'a mut OnRefusal<'a>,
}

/// Instructions for the kept groups before the entry with this number.
#[derive(Debug, Clone, Copy)]
struct Step {
    before: u64,
    skip: u64,
    take: u64,
}

/// Decisions that the walk passes to the sink.
type Steps = Arc<Mutex<VecDeque<Step>>>;

/// A kept file.
struct Fact {
    path: Box<[u8]>,
    /// The size, if the format states it.
    size: Option<u64>,
    /// `None` if the format can't write these records again.
    claim: Option<Claim>,
}

/// The half of the state that the walk uses: it decides whether the records of an entry were kept.
pub struct Matching {
    coming: Receiver<Fact>,
    /// How many times each path (by its hash) will still come.
    paths: HashMap<u64, u32>,
    steps: Steps,
    since: (i64, u32),
    seen: Seen,
    marker: Marker,
    begun: Arc<Begun>,
    parents: ParentCache,
    skipped: u64,
    passed: u64,
    live: Arc<Live>,
    facts: EntryFacts,
    names: Option<Arc<Below>>,
}

/// The half of the state that the sink uses: it writes the kept records in their places.
pub struct Replay {
    groups: Groups<'static>,
    steps: Steps,
    emitted: u64,
    written: u64,
}

impl Shape {
    fn text(&self) -> String {
        let name = |column: Column| match column {
            Column::Digest(algorithm) => algorithm.name,
            Column::Likeness(algorithm) => algorithm.name,
        };
        let algorithms: Vec<_> = self.layout.columns().into_iter().map(name).collect();
        let known = self.known.as_ref().map_or(String::new(), |known| format!(" --known {known}"));
        let facts = match self.layout.facts {
            none if none.is_empty() => String::new(),
            facts => format!(" --facts {facts}"),
        };
        let rules = self.rules.as_ref().map_or(String::new(), |rules| format!(" --yara {rules}"));
        let pronom = self.pronom.as_ref().map_or(String::new(), |label| format!(" --pronom '{label}'"));
        let leaves = if self.layout.leaves { " --leaves" } else { "" };
        let metadata = if self.layout.metadata { " --metadata" } else { "" };
        let inside = if self.layout.inside { " --inside" } else { "" };
        let versions = if self.layout.versions { " --versions" } else { "" };
        let style = match self.layout.style {
            Style::Usual => String::new(),
            style => format!(" --text {}", style.name()),
        };
        format!(
            "hashmill {} -c {} -f {} -p {} --times {} --bad-blocks {}{facts}{pronom}{leaves}{metadata}{inside}{versions}{style}{known}{rules}{}\n",
            env!("CARGO_PKG_VERSION"),
            algorithms.join(","),
            self.format.name,
            self.piecewise.unwrap_or(0),
            self.layout.times,
            if self.layout.bad_blocks { "zero" } else { "fail" },
            self.case
        )
    }
}

impl Beside {
    /// Returns the paths of the files beside this output.
    ///
    /// # Errors
    /// If the output is a link that leads nowhere or that another user made.
    pub fn from_output(output: &OutputPath) -> io::Result<Beside> {
        let (files, output) = (output.files.clone(), follow(&output.path)?);
        Ok(Beside {
            partial: beside(&output, "partial"),
            kept: beside(&output, "kept"),
            run: beside(&output, "run"),
            seen: beside(&output, "seen"),
            begun: beside(&output, "begun"),
            files,
        })
    }

    /// Starts a run that a later one can resume, and gives the file for its marks, and the states.
    ///
    /// # Errors
    /// If the files cannot be written.
    pub fn start(&self, shape: &Shape) -> Result<(File, Begun), Error> {
        remove(&self.kept)?;
        let run = self.files.clear(&self.run).and_then(|()| create_own(&self.run));
        run.and_then(|mut run| run.write_all(shape.text().as_bytes()))
            .map_err(Error::at(&self.run, Tried::Write))?;
        let notes = seen::begin(&self.seen, &self.files).map_err(Error::at(&self.seen, Tried::Write))?;
        let begun = Begun::begin(&self.begun, &self.files).map_err(Error::at(&self.begun, Tried::Write))?;
        Ok((notes, begun))
    }

    /// Opens the state of an interrupted run; returns `None` if there is none.
    ///
    /// # Errors
    /// If that run had other options, is still running, or its files can't be read.
    pub fn resume(&self, shape: &Shape) -> Result<Option<Kept>, Error> {
        if !is_there(&self.partial) && !is_there(&self.kept) {
            return Ok(None);
        }
        let (run, since) = self.options()?;
        let wanted = shape.text();
        if run != wanted {
            let [was, is] = [run.trim_end(), wanted.trim_end()];
            let why = format!(
                "can't go on: the interrupted run was '{was}', this one is '{is}'; --force starts again"
            );
            return Err(Error::of_place(bytes(&self.partial), why));
        }
        let shape = &self.with_first_start(shape)?;
        self.gather(shape)?;
        let file = Arc::new(open(&self.kept)?);
        let (seen, notes) = seen::go_on(&self.seen).map_err(Error::at(&self.seen, Tried::TakeUp))?;
        let begun = Begun::go_on(&self.begun, &self.files).map_err(Error::at(&self.begun, Tried::TakeUp))?;
        let (path, shape, notes, begun) = (self.kept.clone(), shape.clone(), Some(notes), Arc::new(begun));
        Ok(Some(Kept { file, path, since, shape, seen, notes, begun }))
    }

    /// Reads the options of the interrupted run and the time of its start; both are empty if the file is missing.
    fn options(&self) -> Result<(String, (i64, u32)), Error> {
        let file = match adopt(&self.run) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((String::new(), (0, 0))),
            file => file.map_err(Error::at(&self.run, Tried::TakeUp))?,
        };
        let (mut text, since) =
            (String::new(), facts(&file).map_err(Error::at(&self.run, Tried::Read))?.ctime);
        // A file that is not text was not written by hashmill; its options will not match.
        let _ = file.take(MAX_OPTIONS).read_to_string(&mut text);
        Ok((text, since))
    }

    /// Refuses to start anew over what an interrupted run finished.
    ///
    /// # Errors
    /// If there is such a run, and it is over.
    pub fn check_unfinished(&self) -> Result<(), Error> {
        let is_over = || adopt(&self.partial).is_ok_and(|partial| hashmill_os::try_lock(&partial).is_ok());
        if self.has_finished() && !seen::has_ended(&self.seen) && is_over() {
            let why =
                "has what an interrupted run finished: --resume goes on from there, --force starts again";
            return Err(Error::of_place(bytes(&self.partial), why.to_string()));
        }
        Ok(())
    }

    /// Notes that a run came to its end, although its output did not get its name: the next one may start again.
    pub fn note_end(&self) {
        // Without the note, the next run is asked to decide.
        let _ = seen::end(&self.seen);
    }

    /// Returns whether a run finished something that a later one need not read again.
    pub fn has_finished(&self) -> bool {
        [&self.seen, &self.begun].into_iter().any(|path| path.metadata().is_ok_and(|meta| meta.len() > 0))
            || is_there(&self.kept)
    }

    /// Returns whether this run leaves a file that can be resumed.
    pub fn is_left(&self) -> bool {
        adopt(&self.partial).is_ok()
    }

    /// Keeps a copy of the records of a run that ends, for a later run that hashes what this one could not reach.
    /// Returns whether that succeeded.
    pub fn keep(&self, output: &Output) -> bool {
        let copy = || {
            let mut written = SharedFile::new(output.reread()?);
            self.files.clear(&self.kept)?;
            io::copy(&mut written, &mut create_own(&self.kept)?)
        };
        copy().is_ok()
    }

    /// Removes the files that only an interrupted run needs.
    ///
    /// # Errors
    /// If one can't be removed.
    pub fn end(&self) -> Result<(), Error> {
        remove(&self.kept)?;
        remove(&self.seen)?;
        remove(&self.begun)?;
        remove(&self.run)
    }

    /// Returns device and inode of each file.
    pub fn identities(&self) -> Vec<Identity> {
        let files = [&self.partial, &self.kept, &self.run, &self.seen, &self.begun];
        let facts = files.iter().filter_map(|path| facts_at(path, Links::Stay).ok());
        facts.map(|facts| identity(facts.id)).collect()
    }

    /// Returns the shape with the case data of the first run.
    fn with_first_start(&self, shape: &Shape) -> Result<Shape, Error> {
        let mut shape = shape.clone();
        let oldest = if is_there(&self.kept) { &self.kept } else { &self.partial };
        if let Some(start) = &mut shape.layout.case {
            let mut reader = (shape.format.reader)(Box::new(open(oldest)?), Hint::None);
            // The reader has the start of the case data before the first record. If a kill left none, this run is the
            // first.
            reader.next();
            if let Some(first) = &reader.case().start {
                Arc::make_mut(start).resume(first);
            }
        }
        Ok(shape)
    }

    /// Combines the partial and the kept file into one kept file.
    fn gather(&self, shape: &Shape) -> Result<(), Error> {
        if !is_there(&self.partial) {
            return Ok(());
        }
        let partial = open(&self.partial)?;
        match hashmill_os::try_lock(&partial) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                return Err(Error::of_place(bytes(&self.partial), "another run is writing it"));
            }
            done => done.map_err(Error::at(&self.partial, Tried::TakeUp))?,
        };
        if is_there(&self.kept) {
            return self.join(shape);
        }
        fs::rename(&self.partial, &self.kept).map_err(Error::at(&self.kept, Tried::Write))
    }

    /// Joins the records of the partial output and those of the kept file that the partial output lacks.
    fn join(&self, shape: &Shape) -> Result<(), Error> {
        let output = Output::replacing(&LocalPath::own(&self.kept, &self.files), OutputKind::Anything)?;
        let mut manifest = ManifestWriter::begin(shape.format, shape.layout.clone(), output)?;
        let mut seen = HashSet::new();
        for group in self.groups(&self.partial, shape)? {
            seen.insert(fingerprint(&group.whole.path));
            group.write(&mut manifest, &mut |_| ())?;
        }
        for group in self.groups(&self.kept, shape)? {
            if !seen.contains(&fingerprint(&group.whole.path)) {
                group.write(&mut manifest, &mut |_| ())?;
            }
        }
        manifest.end()?;
        remove(&self.partial)
    }

    fn groups(&self, path: &Path, shape: &Shape) -> Result<Groups<'static>, Error> {
        Groups::open(&Arc::new(open(path)?), shape).map_err(Error::at(path, Tried::Read))
    }
}

impl Kept {
    /// Returns the file for the marks of this run.
    pub fn notes(&mut self) -> Option<File> {
        self.notes.take()
    }

    /// Splits the state into two halves: one for the thread of the walk, one for the thread of the sink.
    ///
    /// # Errors
    /// If the kept file cannot be read.
    pub(crate) fn split(
        self,
        live: Arc<Live>,
        facts: EntryFacts,
        names: Option<Arc<Below>>,
    ) -> Result<(Matching, Replay), Error> {
        let marker = Marker::new().map_err(Error::Algorithm)?;
        let mut paths = HashMap::new();
        let groups = || Groups::open(&self.file, &self.shape).map_err(Error::at(&self.path, Tried::Read));
        for group in groups()? {
            *paths.entry(fingerprint(&group.whole.path)).or_insert(0) += 1;
        }
        let steps = Steps::default();
        let groups = groups()?;
        let thread = |source| Error::Thread { what: "to read the kept records", source };
        let coming = announce(self.file, self.shape, marker).map_err(thread)?;
        let (since, seen, begun) = (self.since, self.seen, self.begun);
        let steps_too = Arc::clone(&steps);
        let matching = Matching {
            coming,
            paths,
            steps: steps_too,
            since,
            seen,
            marker,
            begun,
            parents: ParentCache::default(),
            skipped: 0,
            passed: 0,
            live,
            facts,
            names,
        };
        Ok((matching, Replay { groups, steps, emitted: 0, written: 0 }))
    }
}

/// Reads the kept file once more, on a thread of its own because readers can't move between threads.
fn announce(file: Arc<File>, shape: Shape, marker: Marker) -> io::Result<Receiver<Fact>> {
    let (sender, coming) = sync_channel(AHEAD);
    thread::Builder::new().name("kept".into()).spawn(move || {
        // If the file can't be read any more, its files are hashed again.
        let groups = Groups::open(&file, &shape).into_iter().flatten();
        let mut claims =
            shape.format.writer.map(|writer| Rewriter::new(writer(shape.layout.clone()), marker));
        let mut facts = groups.map(|group| {
            let claim = claims.as_mut().and_then(|claims| claims.claim(&group));
            Fact { path: group.whole.path, size: group.whole.size, claim }
        });
        while facts.next().is_some_and(|fact| sender.send(fact).is_ok()) {}
    })?;
    Ok(coming)
}

/// A writer that writes records again only to compute their claims.
struct Rewriter {
    writer: Box<dyn Writer>,
    marker: Marker,
    written: Vec<u8>,
}

impl Rewriter {
    fn new(mut writer: Box<dyn Writer>, marker: Marker) -> Rewriter {
        // Some writers prepare themselves here. A writer that fails here fails at records, too.
        let _ = writer.begin(&mut io::sink());
        Rewriter { writer, marker, written: Vec::new() }
    }

    fn claim(&mut self, group: &Group) -> Option<Claim> {
        group.pieces.iter().chain([&group.whole]).try_fold(None, |before: Option<Claim>, record| {
            self.written.clear();
            self.writer.record(record, &mut self.written).ok()?;
            Some(Some(self.marker.claim(before.as_ref(), &self.written)))
        })?
    }
}

impl Matching {
    /// Returns the entries that still have to be hashed.
    pub fn filter(
        mut self,
        entries: impl Iterator<Item = WalkItem> + Send + 'static,
    ) -> impl Iterator<Item = WalkItem> + Send {
        entries.filter(move |found| {
            let WalkItem::File(entry) = found else {
                self.passed += 1;
                return true;
            };
            let kept = self.keeps(entry);
            if !kept {
                self.passed += 1;
                self.begun.announce(entry);
            }
            !kept
        })
    }

    /// Returns whether the records of this entry were kept and the file has not changed.
    fn keeps(&mut self, entry: &Entry) -> bool {
        let names = self.names.clone();
        let name = names.as_ref().map_or(Some(Cow::Borrowed(&*entry.path)), |names| names.path(&entry.path));
        let Some(name) = name.filter(|name| entry.origin != Origin::Stdin && self.expected(name)) else {
            return false;
        };
        while let Ok(fact) = self.coming.recv() {
            self.expect_less(&fact.path);
            if *fact.path != *name {
                self.skipped += 1;
                continue;
            }
            let same = self.same(entry, &fact);
            let good = same.is_some();
            if let Some(size) = same {
                self.live.keep(size);
                if entry.content.is_some() {
                    self.facts.drop_last(&entry.path);
                }
                self.step();
            } else {
                self.skipped += 1;
            }
            return good;
        }
        false
    }

    /// Returns the size of the file if it looks as it did when it was hashed.
    fn same(&mut self, entry: &Entry, fact: &Fact) -> Option<u64> {
        let meta = self.now(entry)?;
        let sized = fact.size.is_none_or(|size| size == meta.size);
        let claim = fact.claim.as_ref();
        let looks = || claim.is_some_and(|claim| self.seen.has(&self.marker.mark(claim, &meta)));
        (meta.is_file() && sized && looks()).then_some(meta.size)
    }

    /// Returns the current state of the file, if it can show whether the file changed. For an object, the listing
    /// states it; for an entry of an image or archive, its container. A file must not have been modified since the first
    /// run began, as it may change within one tick of the clock. That time comes from the file system of the output,
    /// which may differ from that of the file, so this check alone would not be enough.
    fn now(&mut self, entry: &Entry) -> Option<Meta> {
        let earlier = |time: (i64, u32)| time < self.since;
        if let Some(content) = &entry.content {
            return content.known().filter(|meta| entry.is_remote() || earlier(meta.ctime));
        }
        self.parents.meta(entry).ok().filter(|meta| earlier(meta.mtime) && earlier(meta.ctime))
    }

    fn expected(&self, path: &[u8]) -> bool {
        self.paths.contains_key(&fingerprint(path))
    }

    fn expect_less(&mut self, path: &[u8]) {
        if let Slot::Occupied(mut slot) = self.paths.entry(fingerprint(path)) {
            *slot.get_mut() -= 1;
            if *slot.get() == 0 {
                slot.remove();
            }
        }
    }

    fn step(&mut self) {
        let mut steps = self.steps.lock();
        match steps.back_mut() {
            Some(last) if last.before == self.passed && self.skipped == 0 => last.take += 1,
            _ => steps.push_back(Step {
                before: self.passed,
                skip: std::mem::take(&mut self.skipped),
                take: 1,
            }),
        }
    }
}

impl Replay {
    /// Writes the kept records that come before the entry that is done now.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn before_next(&mut self, to: &mut ManifestWriter, on: &mut OnKept<'_>) -> Result<(), WriteError> {
        let number = self.emitted;
        self.emitted += 1;
        self.until(number, to, on)
    }

    /// Writes the kept records after the last entry; returns the number of all kept records that were written.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn rest(mut self, to: &mut ManifestWriter, on: &mut OnKept<'_>) -> Result<u64, WriteError> {
        self.until(u64::MAX, to, on)?;
        Ok(self.written)
    }

    fn until(&mut self, number: u64, to: &mut ManifestWriter, on: &mut OnKept<'_>) -> Result<(), WriteError> {
        while let Some(step) = self.next_step(number) {
            for group in self.groups.by_ref().skip(step.skip as usize).take(step.take as usize) {
                (on.kept)(&group.whole);
                group.write(to, on.refused)?;
            }
            self.written += step.take;
        }
        Ok(())
    }

    fn next_step(&self, number: u64) -> Option<Step> {
        let mut steps = self.steps.lock();
        let due = steps.front().is_some_and(|step| step.before <= number);
        if due { steps.pop_front() } else { None }
    }
}

impl Groups<'static> {
    /// Reads the groups of a file, from its start to its last complete line.
    fn open(file: &Arc<File>, shape: &Shape) -> io::Result<Groups<'static>> {
        let part = SharedFile::shared(Arc::clone(file)).take(whole_lines(file)?);
        Ok(Groups {
            reader: (shape.format.reader)(Box::new(part), Hint::None),
            algorithms: shape.layout.algorithms.clone(),
        })
    }
}

impl Iterator for Groups<'_> {
    type Item = Group;

    fn next(&mut self) -> Option<Group> {
        let mut pieces = Vec::new();
        let mut whole: Option<Record> = None;
        loop {
            let mut record = self.reader.next()?.ok()?;
            if !record.is_sound() {
                // The unreadable part may be readable now, so the whole file is hashed again.
                if record.piece.is_none() {
                    pieces.clear();
                }
                continue;
            }
            if record.piece.is_some() {
                pieces.push(record);
                continue;
            }
            // Pieces without the record of their file: the file failed. They do not belong to the next file.
            pieces.retain(|piece| piece.path == record.path);
            // List formats have one line, and so one record, for each algorithm.
            if let Some(first) = &mut whole {
                first.digests.append(&mut record.digests);
            }
            let whole = whole.get_or_insert(record);
            if whole.digests.len() == self.algorithms.len() {
                whole.digests = named(&self.algorithms, &whole.digests);
                return Some(Group { pieces, whole: whole.clone() });
            }
        }
    }
}

impl Group {
    fn write(self, to: &mut ManifestWriter, refused: &mut OnRefusal<'_>) -> Result<(), WriteError> {
        self.pieces.into_iter().try_for_each(|piece| to.piece(piece))?;
        to.named_file(self.whole, refused)
    }
}

/// Assigns the algorithms of the run to the digests, as a list may not name them.
fn named(algorithms: &[&'static Algorithm], digests: &[Named]) -> Vec<Named> {
    let pairs = algorithms.iter().zip(digests);
    pairs.map(|(algorithm, named)| Named { algorithm, digest: named.digest, guessed: false }).collect()
}

fn fingerprint(path: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    hasher.finish()
}

/// Returns the number of bytes up to the last line feed.
fn whole_lines(file: &File) -> io::Result<u64> {
    let mut end = file.metadata()?.len();
    let mut block = [0; 4096];
    while end > 0 {
        let start = end.saturating_sub(block.len() as u64);
        let part = &mut block[..(end - start) as usize];
        read_exact_at(file, part, start)?;
        if let Some(at) = part.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

/// Opens a file only if nobody but this user can have written it.
fn open(path: &Path) -> Result<File, Error> {
    adopt(path).map_err(Error::at(path, Tried::TakeUp))
}

/// Returns whether anything has this name, even a link to nowhere.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn bytes(path: &Path) -> Box<[u8]> {
    names::path_bytes(path).into()
}

fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::at(path, Tried::Remove)(error)),
        _ => Ok(()),
    }
}
