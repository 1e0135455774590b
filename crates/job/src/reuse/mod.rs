//! Digests of unchanged files from an earlier manifest, so that the files need not be read.
//!
//! The manifest is read on a thread of its own into a `store`, and each file that the walk finds is looked up there by
//! its path; where operands were spelled in another way, by the path that its record has then. If its size, times, inode and device are those of the record, the record becomes the result of the file,
//! marked as reused, with the time at which a run read the file. The engine passes it on in its place. So a reused
//! digest is as true as the manifest; nothing verifies it.

mod content;
pub(crate) mod facts;
mod reader;
pub(crate) mod store;

use crate::error::Error;
use crate::misfit::Misfit;
use crate::notice::Notice;
use facts::{Comparison, FileFacts};
use hashmill_content::output::{WriteError, scratch};
use hashmill_content::selection::Bytes;
use hashmill_content::stores::Stores;
use hashmill_digest::Algorithm;
use hashmill_engine::flow::Entries;
use hashmill_engine::{Cancel, EntryResult, Plan, RunItem};
use hashmill_facts::FactSet;
use hashmill_lists::listing::open_named;
use hashmill_lists::listing::{Listing, name_of};
use hashmill_manifest::Time;
use hashmill_manifest::format::Hint;
use hashmill_source::{Entry, Meta, ParentCache, WalkItem};
use hashmill_terminal::count;
use parking_lot::Mutex;
use reader::ReadNotes;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use store::Finder;

/// The part of a run's memory for sorting a manifest in no order.
const PART_OF_MEMORY: usize = 8;

/// The earlier manifest whose digests are reused.
pub struct Reuse {
    /// Its name.
    pub path: PathBuf,
    /// Its bytes, after its signatures were checked.
    pub list: Listing,
}

/// How often all records are searched for a file that is not there under its path. Few operands are spelled in other ways.
const MAX_SEARCHES: u32 = 8;

/// The beginning of paths as it is now, and as it was.
type Spelling = (Box<[u8]>, Box<[u8]>);

/// An earlier manifest that is being read.
pub(crate) struct Reusing {
    finder: Finder,
    /// The beginnings of paths that the records spell in other ways: as they are now, and as they were.
    spellings: Vec<Spelling>,
    /// How often all records may still be searched.
    searches: u32,
    algorithms: Vec<&'static Algorithm>,
    facts: FactSet,
    cancel: Cancel,
    pub(crate) notes: ReuseNotes,
}

/// The findings of reader and walk, for the end of the run. Clones share them.
#[derive(Clone)]
pub(crate) struct ReuseNotes {
    name: Box<[u8]>,
    reading: Arc<Mutex<ReadNotes>>,
    walking: Arc<Mutex<WalkNotes>>,
}

/// The findings of the walk.
#[derive(Default)]
struct WalkNotes {
    /// Files that are the same but for the number of their device.
    on_other_devices: u64,
    /// The reason why the store could not be read back.
    failed: Option<WriteError>,
}

/// Checks that a plan has only values, and operands only content, that an earlier manifest may have.
///
/// # Errors
/// If not.
pub(crate) fn fits(plan: &Plan, operands: &[Bytes], stores: &Stores) -> Result<(), Misfit> {
    if let Some(place) = operands.iter().find(|operand| stores.is_location(operand)) {
        return Err(Misfit::ReuseLocation(place.clone()));
    }
    if let Some(row) = plan.likeness.first() {
        return Err(Misfit::ReuseLikeness(row.name));
    }
    if plan.piece.is_some() {
        return Err(Misfit::ReusePieces);
    }
    if plan.leaves { Err(Misfit::ReuseLeaves) } else { Ok(()) }
}

impl Reuse {
    /// Checks that a file is a manifest that may have metadata, before a run begins. A pipe can be read only once, so not here.
    ///
    /// # Errors
    /// If it is not usable.
    pub fn check(&self) -> Result<(), Error> {
        if !self.list.is_file() || !self.path.is_file() {
            return Ok(());
        }
        let name = name_of(self.path.as_os_str());
        reader::usable(open_named(&self.path, Hint::from_name(&name), &Stores::default()), &name).map(drop)
    }

    /// Begins to read the manifest.
    ///
    /// # Errors
    /// If it is not a manifest, or its records have no metadata.
    pub(crate) fn start(self, plan: &Plan) -> Result<Reusing, Error> {
        let (algorithms, cancel) = (plan.algorithms.clone(), plan.cancel.clone());
        let name = name_of(self.path.as_os_str());
        let (filler, finder) = store::create(plan.memory / PART_OF_MEMORY, cancel.clone())?;
        let reading = Arc::new(Mutex::new(ReadNotes::default()));
        reader::start(
            self,
            filler,
            (algorithms.clone(), plan.facts, plan.pronom.clone()),
            &reading,
            cancel.clone(),
        )?;
        let notes = ReuseNotes { name, reading, walking: Arc::default() };
        let facts = plan.facts;
        Ok(Reusing {
            finder,
            spellings: Vec::new(),
            searches: MAX_SEARCHES,
            algorithms,
            facts,
            cancel,
            notes,
        })
    }
}

impl Reusing {
    /// Puts the results of unchanged files in their place.
    pub(crate) fn replace(mut self, entries: Entries) -> Box<dyn Iterator<Item = RunItem> + Send> {
        let mut parents = ParentCache::default();
        Box::new(entries.map(move |found| match found {
            WalkItem::File(entry) => match self.known(&entry, &mut parents) {
                Some(outcome) => RunItem::Known(Box::new(outcome)),
                None => RunItem::Walked(WalkItem::File(entry)),
            },
            found => RunItem::Walked(found),
        }))
    }

    /// Returns the result of a file, if it is unchanged since it was read.
    fn known(&mut self, entry: &Entry, parents: &mut ParentCache) -> Option<EntryResult> {
        // Content that is not that of a file at the path has no metadata that would show its changes.
        if entry.content.is_some() || self.cancel.is_set() {
            return None;
        }
        let mut meta = || parents.meta(entry).ok();
        let found = match self.find(&entry.path, &mut meta) {
            Ok(found) => found?,
            Err(why) => {
                self.notes.walking.lock().failed.get_or_insert(scratch::failed(why));
                return None;
            }
        };
        let (facts, digests) = FileFacts::from_bytes(&found)?;
        let meta = meta()?;
        match facts.compare(&meta, now()?) {
            Comparison::Changed => None,
            Comparison::OtherDevice => {
                self.notes.walking.lock().on_other_devices += 1;
                None
            }
            Comparison::Same => {
                let length = self.algorithms.iter().map(|algorithm| algorithm.bits as usize / 8).sum();
                let (digests, of_content) = digests.split_at_checked(length)?;
                let mut record = facts.record(&entry.path, &self.algorithms, digests);
                let mut of_content = content::from_bytes(of_content, self.facts)?;
                of_content.judge(self.facts, &entry.path, meta.size);
                record.facts = (!of_content.is_empty()).then(|| Box::new(of_content));
                Some(EntryResult { record, meta: Some(meta), opened: None, is_fresh: false, trouble: None })
            }
        }
    }
}

impl Reusing {
    /// Returns the record of a file, under its path, or the path that it had when its operand was spelled in another way.
    fn find(&mut self, path: &[u8], meta: &mut dyn FnMut() -> Option<Meta>) -> io::Result<Option<Vec<u8>>> {
        if let Some(found) = self.find_spelled(path)? {
            return Ok(Some(found));
        }
        let Some(meta) = meta().filter(|_| self.searches > 0) else { return Ok(None) };
        self.searches -= 1;
        let is_it = |rest: &[u8]| FileFacts::from_bytes(rest).is_some_and(|(facts, _)| facts.is_of(&meta));
        let Some(was) = self.finder.find_key(is_it)? else { return Ok(None) };
        if let Some((now, was)) = beginnings(path, &was) {
            self.spellings.push((now.into(), was.into()));
            self.searches = MAX_SEARCHES;
        }
        self.find_spelled(path)
    }

    /// Returns the record of a file under its path, in any spelling that is known.
    fn find_spelled(&mut self, path: &[u8]) -> io::Result<Option<Vec<u8>>> {
        if let Some(found) = self.finder.find(path)? {
            return Ok(Some(found.to_vec()));
        }
        for (now, was) in &self.spellings {
            if let Some(rest) = path.strip_prefix(&**now)
                && let Some(found) = self.finder.find(&[was, rest].concat())?
            {
                return Ok(Some(found.to_vec()));
            }
        }
        Ok(None)
    }
}

/// Returns where two paths of the same file begin in different ways: before the names at the end that they share. None if
/// they don't share the last name.
fn beginnings<'p>(now: &'p [u8], was: &'p [u8]) -> Option<(&'p [u8], &'p [u8])> {
    let same = now.iter().rev().zip(was.iter().rev()).take_while(|(one, other)| one == other).count();
    let shared = &now[now.len() - same..];
    let is_whole = |path: &[u8]| path.len() == same || path[path.len() - same - 1] == b'/';
    let from = match is_whole(now) && is_whole(was) {
        true => 0,
        false => shared.iter().position(|byte| *byte == b'/')? + 1,
    };
    let shared = same - from;
    (shared > 0).then(|| (&now[..now.len() - shared], &was[..was.len() - shared]))
}

impl ReuseNotes {
    /// Waits until the manifest has been read to its end, and reports why files of it were read.
    pub(crate) fn tell(&self, told: &mut dyn FnMut(Notice<'_>)) {
        let thread = self.reading.lock().thread.take();
        // The panic's message is on standard error already, and files without a record are read.
        let _ = thread.map(std::thread::JoinHandle::join);
        let mut reading = self.reading.lock();
        let mut walking = self.walking.lock();
        let malformed = reading.first_malformed.take().map(|first| {
            let parts = count(reading.malformed, "part of it", "parts of it");
            format!("WARNING: {parts} can't be parsed, so nothing is reused of them; the first: {first}")
        });
        let lacking = (reading.lacking > 0).then(|| {
            let records = count(reading.lacking, "record lacks", "records lack");
            format!("{records} a digest that is wanted, so nothing is reused of them")
        });
        let factless = (reading.factless > 0).then(|| {
            let records = count(reading.factless, "record lacks", "records lack");
            format!("{records} a fact that is wanted, so nothing is reused of them")
        });
        let moved = (walking.on_other_devices > 0).then(|| {
            let files = count(walking.on_other_devices, "unchanged file is", "unchanged files are");
            format!(
                "WARNING: {files} on a device with another number than before, so they were read (a disk gets another number when it is mounted again)"
            )
        });
        let failed = reading.failed.take().or(walking.failed.take()).map(|why| {
            format!("WARNING: some of its records could not be kept, so their files were read: {why}")
        });
        for why in [malformed, lacking, factless, moved, failed].into_iter().flatten() {
            told(Notice::Unreused { list: &self.name, why: &why });
        }
    }
}

/// Returns the current time; `None` if the clock stands before 1970.
pub(crate) fn now() -> Option<Time> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    Some(Time { seconds: i64::try_from(since.as_secs()).ok()?, nanoseconds: since.subsec_nanos() })
}

/// Returns the inputs of a run: entries of the walk, and results in place of those that are unchanged.
pub(crate) fn items(entries: Entries, reusing: Option<Reusing>) -> Box<dyn Iterator<Item = RunItem> + Send> {
    match reusing {
        Some(reusing) => reusing.replace(entries),
        None => Box::new(entries.map(RunItem::Walked)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_paths_of_a_file_begin_in_different_ways() {
        let of = |now: &'static str, was: &'static str| {
            let text = |bytes| str::from_utf8(bytes).unwrap();
            beginnings(now.as_bytes(), was.as_bytes()).map(|(now, was)| (text(now), text(was)))
        };
        assert_eq!(of("a/b", "tree/a/b"), Some(("", "tree/")));
        assert_eq!(of("/x/tree/a/b", "tree/a/b"), Some(("/x/", "")));
        assert_eq!(of("./a", "a"), Some(("./", "")));
        assert_eq!(of("one/x/b", "other/x/b"), Some(("one/", "other/")));
        assert_eq!(of("one/ax/b", "one/bx/b"), Some(("one/ax/", "one/bx/")));
        assert_eq!(of("a/b", "a/c"), None);
        assert_eq!(of("ab", "b"), None);
    }
}
