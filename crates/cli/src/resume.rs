//! `--resume`: what an interrupted run left, and how the next one goes on with it.
//!
//! Beside the output NAME a run keeps `.NAME.hashloom-partial` (its records so far, in the order of the
//! walk) and `.NAME.hashloom-run` (the options that shape records; its time is the run's start). The
//! next run renames the partial to `.NAME.hashloom-kept` and writes a new partial: the walk's entries
//! are looked up in the kept records, which come in the same order, so that one pass is enough. A file
//! that changed since the first run began is hashed again. Being killed at any moment loses nothing:
//! if there is a new partial beside the kept file, both are joined first.

use crate::message::Shown;
use crate::output::{Output, beside, follow};
use crate::sheet::Sheet;
use crate::system;
use anyhow::{Context, bail, ensure};
use hashloom_digest::Algorithm;
use hashloom_engine::Live;
use hashloom_manifest::format::{Column, Format, Hint, Layout, Reader};
use hashloom_manifest::{Named, Record};
use hashloom_source::{Entry, Found, Origin};
use std::collections::hash_map::{DefaultHasher, Entry as Slot};
use std::collections::{HashMap, HashSet, VecDeque};
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// How far the matching may read ahead of the walk, in files.
const AHEAD: usize = 256;

/// What shapes the records of a run: only a run with the same can go on with them.
#[derive(Clone)]
pub struct Shape {
    /// The format.
    pub format: &'static Format,
    /// Its layout.
    pub layout: Layout,
    /// Everything else that shows in records.
    pub piecewise: Option<u64>,
    /// The sets of known digests that were asked, if any were.
    pub known: Option<String>,
    /// The case data that were asked for; empty if none were.
    pub case: String,
}

/// The files beside an output.
#[derive(Debug, Clone)]
pub struct Beside {
    partial: PathBuf,
    kept: PathBuf,
    run: PathBuf,
}

/// What an interrupted run left, ready to be gone on with.
pub struct Kept {
    file: File,
    path: PathBuf,
    since: (i64, i64),
    shape: Shape,
}

/// A file's records that were read back: of its pieces, then of the whole.
struct Group {
    pieces: Vec<Record>,
    whole: Record,
}

/// Reads groups until the end, or until what a kill left torn.
struct Groups<'a> {
    reader: Box<dyn Reader + 'a>,
    algorithms: Vec<&'static Algorithm>,
}

/// What to do with the kept groups before the entry with this number.
#[derive(Debug, Clone, Copy)]
struct Step {
    before: u64,
    skip: u64,
    take: u64,
}

/// Decisions on their way from the walk to the sink.
type Steps = Arc<Mutex<VecDeque<Step>>>;

/// A kept file: its path, and its size if the format tells.
type Fact = (Box<[u8]>, Option<u64>);

/// What the walk looks at: whether an entry's records were kept.
pub struct Matching {
    coming: Receiver<Fact>,
    /// How often each path, by its hash, is still to come.
    paths: HashMap<u64, u32>,
    steps: Steps,
    since: (i64, i64),
    skipped: u64,
    passed: u64,
    live: Arc<Live>,
}

/// Writes the kept records where they belong.
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
        format!(
            "hashloom {} -c {} -f {} -p {} --times {} --bad-blocks {}{known}{}\n",
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
    /// The files beside this output.
    ///
    /// # Errors
    /// If the output leads nowhere.
    pub fn of(output: &Path) -> io::Result<Beside> {
        let output = follow(output)?;
        Ok(Beside {
            partial: beside(&output, "partial"),
            kept: beside(&output, "kept"),
            run: beside(&output, "run"),
        })
    }

    /// Starts a run that a later one may go on with.
    ///
    /// # Errors
    /// If the files cannot be written.
    pub fn start(&self, shape: &Shape) -> anyhow::Result<()> {
        remove(&self.kept)?;
        remove(&self.run)?;
        fs::write(&self.run, shape.text()).with_context(|| format!("{}: cannot write", self.run.display()))
    }

    /// What an interrupted run left; none if there is nothing.
    ///
    /// # Errors
    /// If it had other options, is still going on, or cannot be read.
    pub fn resume(&self, shape: &Shape) -> anyhow::Result<Option<Kept>> {
        if !self.partial.exists() && !self.kept.exists() {
            return Ok(None);
        }
        let run = fs::read_to_string(&self.run).unwrap_or_default();
        let wanted = shape.text();
        ensure!(
            run == wanted,
            "{}: can't go on: the interrupted run was '{}', this one is '{}'; without --resume it starts anew",
            Shown(self.partial.as_os_str().as_bytes()),
            run.trim_end(),
            wanted.trim_end()
        );
        let since = self.run.metadata()?;
        let shape = &self.with_first_start(shape)?;
        self.gather(shape)?;
        let file = open(&self.kept)?;
        Ok(Some(Kept {
            file,
            path: self.kept.clone(),
            since: (since.ctime(), since.ctime_nsec()),
            shape: shape.clone(),
        }))
    }

    /// Removes what only an interrupted run needs.
    ///
    /// # Errors
    /// If that fails.
    pub fn end(&self) -> anyhow::Result<()> {
        remove(&self.kept)?;
        remove(&self.run)
    }

    /// Device and inode of each.
    pub fn identities(&self) -> Vec<(u64, u64)> {
        let files = [&self.partial, &self.kept, &self.run];
        files.iter().filter_map(|path| path.metadata().ok()).map(|meta| (meta.dev(), meta.ino())).collect()
    }

    /// The shape of a run that goes on with the case data of the first one.
    fn with_first_start(&self, shape: &Shape) -> anyhow::Result<Shape> {
        let mut shape = shape.clone();
        let oldest = if self.kept.exists() { &self.kept } else { &self.partial };
        if let Some(start) = &mut shape.layout.case {
            let mut reader = (shape.format.reader)(Box::new(open(oldest)?), Hint::None);
            // The start stands before the first record; if a kill left none, this run is the first.
            reader.next();
            if let Some(first) = &reader.case().start {
                Arc::make_mut(start).resume(first);
            }
        }
        Ok(shape)
    }

    /// Makes one kept file of all that is there.
    fn gather(&self, shape: &Shape) -> anyhow::Result<()> {
        if !self.partial.exists() {
            return Ok(());
        }
        let partial = open(&self.partial)?;
        if system::lock(&partial).is_err() {
            bail!("{}: another run is writing it", self.partial.display());
        }
        if self.kept.exists() { self.join(shape) } else { Ok(fs::rename(&self.partial, &self.kept)?) }
    }

    /// The records of the partial, and behind them those of the kept file that it has not.
    fn join(&self, shape: &Shape) -> anyhow::Result<()> {
        let output = Output::file(&self.kept)?;
        let Some(sheet) = Sheet::begin(shape.format, shape.layout.clone(), output) else { return Ok(()) };
        let mut sheet = sheet?;
        let mut seen = HashSet::new();
        for group in Groups::open(&open(&self.partial)?, shape)? {
            seen.insert(fingerprint(&group.whole.path));
            group.write(&mut sheet)?;
        }
        for group in Groups::open(&open(&self.kept)?, shape)? {
            if !seen.contains(&fingerprint(&group.whole.path)) {
                group.write(&mut sheet)?;
            }
        }
        sheet.end()?;
        remove(&self.partial)
    }
}

impl Kept {
    /// How the manifest begins.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The two halves: one for the walk's thread, one for the sink's.
    ///
    /// # Errors
    /// If the kept file cannot be read.
    pub fn split(self, live: Arc<Live>) -> anyhow::Result<(Matching, Replay)> {
        let mut paths = HashMap::new();
        for group in Groups::open(&self.file, &self.shape)? {
            *paths.entry(fingerprint(&group.whole.path)).or_insert(0) += 1;
        }
        let steps = Steps::default();
        let groups = Groups::open(&open(&self.path)?, &self.shape)?;
        let since = self.since;
        let coming = self.announce().context("--resume: no thread to read the kept records")?;
        let matching =
            Matching { coming, paths, steps: Arc::clone(&steps), since, skipped: 0, passed: 0, live };
        Ok((matching, Replay { groups, steps, emitted: 0, written: 0 }))
    }

    /// Reads the kept file once more, on a thread of its own: readers can't move between threads.
    fn announce(self) -> io::Result<Receiver<Fact>> {
        let (sender, coming) = sync_channel(AHEAD);
        thread::Builder::new().name("kept".into()).spawn(move || {
            // What could be read a moment ago and can't be now is hashed again.
            let groups = Groups::open(&self.file, &self.shape).into_iter().flatten();
            let mut facts = groups.map(|group| (group.whole.path, group.whole.size));
            while facts.next().is_some_and(|fact| sender.send(fact).is_ok()) {}
        })?;
        Ok(coming)
    }
}

impl Matching {
    /// The entries that are still to be hashed.
    pub fn filter(
        mut self,
        entries: impl Iterator<Item = Found> + Send + 'static,
    ) -> impl Iterator<Item = Found> + Send {
        entries.filter(move |found| {
            let kept = matches!(found, Found::File(entry) if self.keeps(entry));
            self.passed += u64::from(!kept);
            !kept
        })
    }

    /// Whether this entry's records are among the kept ones, and still true.
    fn keeps(&mut self, entry: &Entry) -> bool {
        if entry.origin == Origin::Stdin || !self.expected(&entry.path) {
            return false;
        }
        while let Ok((path, size)) = self.coming.recv() {
            self.expect_less(&path);
            if path != entry.path {
                self.skipped += 1;
                continue;
            }
            let good = same(entry, size, self.since);
            if good {
                self.step();
            } else {
                self.skipped += 1;
            }
            return good;
        }
        false
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
        Live::add(&self.live.files_met, 1);
        Live::add(&self.live.files_done, 1);
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
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
    /// Writes the kept records that belong before the entry that is done now.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn before_next(&mut self, sheet: &mut Sheet) -> anyhow::Result<()> {
        let number = self.emitted;
        self.emitted += 1;
        self.until(number, sheet)
    }

    /// Writes the kept records behind the last entry; says how many there were in all.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn rest(mut self, sheet: &mut Sheet) -> anyhow::Result<u64> {
        self.until(u64::MAX, sheet)?;
        Ok(self.written)
    }

    fn until(&mut self, number: u64, sheet: &mut Sheet) -> anyhow::Result<()> {
        while let Some(step) = self.next_step(number) {
            for group in self.groups.by_ref().skip(step.skip as usize).take(step.take as usize) {
                group.write(sheet)?;
            }
            self.written += step.take;
        }
        Ok(())
    }

    fn next_step(&self, number: u64) -> Option<Step> {
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        let due = steps.front().is_some_and(|step| step.before <= number);
        if due { steps.pop_front() } else { None }
    }
}

impl Groups<'static> {
    /// The groups of a file, from its start to its last whole line.
    fn open(file: &File, shape: &Shape) -> io::Result<Groups<'static>> {
        let mut file = file.try_clone()?;
        let length = whole_lines(&mut file)?;
        file.seek(SeekFrom::Start(0))?;
        let input = Box::new(file.take(length));
        Ok(Groups {
            reader: (shape.format.reader)(input, Hint::None),
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
                // What could not be read then may be readable now: the whole file is hashed again.
                if record.piece.is_none() {
                    pieces.clear();
                }
                continue;
            }
            if record.piece.is_some() {
                pieces.push(record);
                continue;
            }
            // List formats have a line, so a record, for each algorithm.
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
    fn write(self, sheet: &mut Sheet) -> Result<(), crate::output::WriteError> {
        self.pieces.into_iter().try_for_each(|piece| sheet.piece(piece))?;
        sheet.file(self.whole)
    }
}

/// The digests by the algorithms that the run wrote: a list may not tell which they are.
fn named(algorithms: &[&'static Algorithm], digests: &[Named]) -> Vec<Named> {
    let pairs = algorithms.iter().zip(digests);
    pairs.map(|(algorithm, named)| Named { algorithm, digest: named.digest, guessed: false }).collect()
}

/// Whether the file is the one that was hashed: of this size, and not touched since.
fn same(entry: &Entry, size: Option<u64>, since: (i64, i64)) -> bool {
    let path = crate::selection::path_of(&entry.path);
    let Ok(meta) = fs::metadata(path) else { return false };
    let (mtime, ctime) = ((meta.mtime(), meta.mtime_nsec()), (meta.ctime(), meta.ctime_nsec()));
    meta.is_file() && size.is_none_or(|size| size == meta.len()) && mtime < since && ctime < since
}

fn fingerprint(path: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    hasher.finish()
}

/// Bytes up to the last line feed.
fn whole_lines(file: &mut File) -> io::Result<u64> {
    let mut end = file.seek(SeekFrom::End(0))?;
    let mut block = [0; 4096];
    while end > 0 {
        let start = end.saturating_sub(block.len() as u64);
        let part = &mut block[..(end - start) as usize];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(part)?;
        if let Some(at) = part.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

fn open(path: &Path) -> anyhow::Result<File> {
    File::open(path).with_context(|| format!("{}: cannot open", path.display()))
}

fn remove(path: &Path) -> anyhow::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{}: cannot remove", path.display()))
        }
        _ => Ok(()),
    }
}
