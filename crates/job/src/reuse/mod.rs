//! Digests of unchanged files from an earlier manifest, so that the files need not be read.
//!
//! The manifest is read on a thread of its own into a `store`, and each file that the walk finds is looked up there by
//! its path. If its size, times, inode and device are those of the record, the record becomes the result of the file,
//! marked as reused, with the time at which a run read the file. The engine passes it on in its place. So a reused
//! digest is as true as the manifest; nothing verifies it.

mod facts;
mod reader;
mod store;

use crate::error::Error;
use crate::flow::Entries;
use crate::listing::{Listing, name_of};
use crate::misfit::Misfit;
use crate::notice::Notice;
use crate::output::WriteError;
use crate::output::scratch;
use crate::selection::Bytes;
use crate::shown::count;
use crate::stores::Stores;
use facts::{Comparison, FileFacts};
use hashmill_digest::Algorithm;
use hashmill_engine::{Cancel, EntryResult, Plan, RunItem};
use hashmill_manifest::Time;
use hashmill_source::{Entry, ParentCache, WalkItem};
use parking_lot::Mutex;
use reader::ReadNotes;
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

/// An earlier manifest that is being read.
pub(crate) struct Reusing {
    finder: Finder,
    algorithms: Vec<&'static Algorithm>,
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
    /// Begins to read the manifest.
    ///
    /// # Errors
    /// If it is not a manifest, or its records have no metadata.
    pub(crate) fn start(self, plan: &Plan) -> Result<Reusing, Error> {
        let (algorithms, cancel) = (plan.algorithms.clone(), plan.cancel.clone());
        let name = name_of(self.path.as_os_str());
        let (filler, finder) = store::create(plan.memory / PART_OF_MEMORY, cancel.clone())?;
        let reading = Arc::new(Mutex::new(ReadNotes::default()));
        reader::start(self, (filler, algorithms.clone()), &reading, cancel.clone())?;
        let notes = ReuseNotes { name, reading, walking: Arc::default() };
        Ok(Reusing { finder, algorithms, cancel, notes })
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

    /// Returns the result of a file, if it is still the one that was read.
    fn known(&mut self, entry: &Entry, parents: &mut ParentCache) -> Option<EntryResult> {
        // Content that is not that of a file at the path has no metadata that would show its changes.
        if entry.content.is_some() || self.cancel.is_set() {
            return None;
        }
        let found = match self.finder.find(&entry.path) {
            Ok(found) => found?,
            Err(why) => {
                self.notes.walking.lock().failed.get_or_insert(scratch::failed(why));
                return None;
            }
        };
        let (facts, digests) = FileFacts::from_bytes(found)?;
        let meta = parents.meta(entry).ok()?;
        match facts.compare(&meta, now()?) {
            Comparison::Changed => None,
            Comparison::OtherDevice => {
                self.notes.walking.lock().on_other_devices += 1;
                None
            }
            Comparison::Same => {
                let record = facts.record(&entry.path, &self.algorithms, digests);
                Some(EntryResult { record, meta: Some(meta), opened: None, is_fresh: false, trouble: None })
            }
        }
    }
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
        let moved = (walking.on_other_devices > 0).then(|| {
            let files = count(walking.on_other_devices, "unchanged file is", "unchanged files are");
            format!(
                "WARNING: {files} on a device with another number than before, so they were read (a disk gets another number when it is mounted again)"
            )
        });
        let failed = reading.failed.take().or(walking.failed.take()).map(|why| {
            format!("WARNING: some of its records could not be kept, so their files were read: {why}")
        });
        for why in [malformed, lacking, moved, failed].into_iter().flatten() {
            told(Notice::Unreused { list: &self.name, why: &why });
        }
    }
}

/// Returns the current time; `None` if the clock stands before 1970.
fn now() -> Option<Time> {
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
