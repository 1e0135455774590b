//! The records of a manifest in the order of paths, read on a thread of their own.

use super::Unfit;
use crate::error::{Error, File as Tried};
use crate::history;
use crate::listing::{Listing, name_of};
use hashloom_digest::{Algorithm, Digest};
use hashloom_engine::Cancel;
use hashloom_manifest::format::{Hint, open_path};
use hashloom_manifest::{Named, Record, Status, Time};
use std::fs::Metadata;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, Scope};

/// The number of records that threads hand over at once.
const BATCH: usize = 4096;

/// The number of batches that may wait: one is filled, one waits, one is compared.
const WAITING: usize = 1;

/// A manifest in a file, which is read several times.
pub(crate) struct List {
    path: PathBuf,
    /// The identity, the size and the times of the file when it was first seen.
    was: Option<Stamp>,
}

/// A value that changes when a file is written or replaced.
type Stamp = (u64, u64, u64, (i64, i64), (i64, i64));

/// A record, with the bytes of its path and of its digests.
#[derive(Clone, Copy)]
pub(super) struct ListEntry<'a> {
    pub(super) path: &'a [u8],
    pub(super) size: Option<u64>,
    mtime: Option<Time>,
    /// The digests by the algorithms of the list, side by side.
    pub(super) digests: &'a [u8],
    /// The whole record, if it is not one of a file that was hashed.
    pub(super) unhashed: Option<&'a Record>,
}

/// Consecutive records of a list.
#[derive(Default)]
pub(super) struct Batch {
    paths: Vec<u8>,
    digests: Vec<u8>,
    places: Vec<EntryPlace>,
    unhashed: Vec<Record>,
    /// The algorithms of all digests; empty before the first record with digests.
    algorithms: Vec<&'static Algorithm>,
}

/// The place of a record in a batch. Its path begins at the end of the one before it.
#[derive(Clone, Copy)]
struct EntryPlace {
    path_end: usize,
    size: Option<u64>,
    mtime: Option<Time>,
    kind: EntryState,
}

/// Where the rest of a record is.
#[derive(Clone, Copy)]
enum EntryState {
    /// Its digests begin here.
    Hashed(usize),
    /// The whole record has this index.
    Unhashed(usize),
}

/// The records of a list, one after another.
pub(super) struct Entries {
    batches: Receiver<Result<Batch, Unfit>>,
    used: Sender<Batch>,
    batch: Batch,
    at: usize,
    /// The number of hashed records before this one.
    hashed: u64,
    /// Whether the list was read to its end, and nothing was found that does not fit.
    is_done: bool,
}

impl List {
    /// Takes the list at this path, if it is a regular file that was not copied.
    pub(crate) fn new(path: &Path, listing: &Listing) -> Option<List> {
        if !listing.is_file() || history::is_history(path) {
            return None;
        }
        let was = path.metadata().ok().filter(Metadata::is_file).map(|meta| stamp(&meta));
        was.is_some().then(|| List { path: path.to_path_buf(), was })
    }

    /// Returns its name for messages.
    pub(super) fn name(&self) -> Box<[u8]> {
        name_of(self.path.as_os_str())
    }

    /// Returns whether the file is as it was when it was first seen.
    pub(in crate::diff) fn is_unchanged(&self) -> bool {
        self.was == self.path.metadata().ok().map(|meta| stamp(&meta))
    }

    /// Returns the error of a list that changed between two times that it was read.
    pub(in crate::diff) fn changed(&self) -> Error {
        Error::file(&self.name(), Tried::Read)(io::Error::other("it was changed while it was compared"))
    }

    /// Passes the paths of all hashed records in order, and returns their number.
    ///
    /// # Errors
    /// If the list was changed so that it has to be read as a whole.
    pub(in crate::diff) fn each_hashed(
        &self,
        cancel: &Cancel,
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<u64, Unfit> {
        thread::scope(|scope| {
            let mut entries = Entries::start(scope, self, cancel)?;
            while let Some(entry) = entries.peek() {
                if entry.unhashed.is_none() {
                    take(entry.path);
                }
                entries.advance()?;
            }
            Ok(entries.hashed())
        })
    }

    /// Reads the records into batches, and returns at the end or when nobody takes them any more.
    fn read(&self, batches: &SyncSender<Result<Batch, Unfit>>, used: &Receiver<Batch>, cancel: &Cancel) {
        let hint = Hint::from_name(self.path.as_os_str().as_bytes());
        let Ok(opened) = open_path(&self.path, hint) else {
            let _ = batches.send(Err(Unfit));
            return;
        };
        let mut filling = Filling::default();
        for record in opened.reader {
            let added = record.map_err(|_| Unfit).and_then(|record| filling.add(record));
            if added.is_err() || cancel.is_set() {
                let _ = batches.send(Err(Unfit));
                return;
            }
            if filling.batch.places.len() == BATCH {
                let next = used.try_recv().unwrap_or_default();
                if batches.send(Ok(filling.take(next))).is_err() {
                    return;
                }
            }
        }
        let _ = batches.send(Ok(filling.take(Batch::default())));
    }
}

fn stamp(meta: &Metadata) -> Stamp {
    let (changed, modified) = ((meta.ctime(), meta.ctime_nsec()), (meta.mtime(), meta.mtime_nsec()));
    (meta.dev(), meta.ino(), meta.len(), changed, modified)
}

/// A batch that is being filled.
#[derive(Default)]
struct Filling {
    batch: Batch,
    /// The path of the last record of the batch before.
    last: Vec<u8>,
}

impl Filling {
    /// Adds the next record.
    ///
    /// # Errors
    /// If it does not come after the last one, or is none of a whole file with digests that name their algorithms.
    fn add(&mut self, record: Record) -> Result<(), Unfit> {
        if record.piece.is_some() || !is_plain(&record.path) || self.last() >= &*record.path {
            return Err(Unfit);
        }
        let batch = &mut self.batch;
        let kind = if record.is_sound() {
            EntryState::Hashed(batch.add_digests(&record)?)
        } else {
            EntryState::Unhashed(batch.unhashed.len())
        };
        batch.paths.extend_from_slice(&record.path);
        let (path_end, size, mtime) = (batch.paths.len(), record.size, record.mtime);
        batch.places.push(EntryPlace { path_end, size, mtime, kind });
        if let EntryState::Unhashed(_) = kind {
            batch.unhashed.push(record);
        }
        Ok(())
    }

    /// Returns the path of the last record; empty if there is none.
    fn last(&self) -> &[u8] {
        let Some(last) = self.batch.places.len().checked_sub(1) else { return &self.last };
        self.batch.path(last)
    }

    /// Returns the batch, and goes on with an empty one.
    fn take(&mut self, next: Batch) -> Batch {
        self.last = self.last().to_vec();
        let algorithms = self.batch.algorithms.clone();
        let full = std::mem::replace(&mut self.batch, next.cleared());
        self.batch.algorithms = algorithms;
        full
    }
}

impl Batch {
    /// Adds the digests of a hashed record, and returns where they begin.
    fn add_digests(&mut self, record: &Record) -> Result<usize, Unfit> {
        let is_stored = record.status != Status::Hashed;
        if is_stored || record.digests.is_empty() || record.digests.iter().any(|named| named.guessed) {
            return Err(Unfit);
        }
        if self.algorithms.is_empty() {
            self.algorithms = record.digests.iter().map(|named| named.algorithm).collect();
        }
        let algorithms = record.digests.iter().map(|named| named.algorithm);
        if !algorithms.eq(self.algorithms.iter().copied()) {
            return Err(Unfit);
        }
        let start = self.digests.len();
        for named in &record.digests {
            self.digests.extend_from_slice(named.digest.as_bytes());
        }
        Ok(start)
    }

    fn path(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.places[before].path_end);
        &self.paths[start..self.places[at].path_end]
    }

    fn entry(&self, at: usize) -> ListEntry<'_> {
        let EntryPlace { size, mtime, kind, .. } = self.places[at];
        let path = self.path(at);
        match kind {
            EntryState::Hashed(start) => {
                let digests = &self.digests[start..start + width(&self.algorithms)];
                ListEntry { path, size, mtime, digests, unhashed: None }
            }
            EntryState::Unhashed(place) => {
                ListEntry { path, size, mtime, digests: &[], unhashed: Some(&self.unhashed[place]) }
            }
        }
    }

    /// Returns an empty batch with the memory of this one.
    fn cleared(mut self) -> Batch {
        self.paths.clear();
        self.digests.clear();
        self.places.clear();
        self.unhashed.clear();
        self
    }
}

/// Returns the number of bytes of the digests of a record.
fn width(algorithms: &[&'static Algorithm]) -> usize {
    algorithms.iter().map(|algorithm| bytes_of(algorithm)).sum()
}

fn bytes_of(algorithm: &Algorithm) -> usize {
    (algorithm.bits / 8) as usize
}

/// Returns whether a path has only one spelling: no part is empty or a dot, and there are no backslashes.
fn is_plain(path: &[u8]) -> bool {
    let below = path.strip_prefix(b"/").unwrap_or(path);
    memchr::memchr(b'\\', path).is_none()
        && below.split(|byte| *byte == b'/').all(|part| !part.is_empty() && part != b".")
}

impl Entries {
    /// Starts a thread that reads a list.
    ///
    /// # Errors
    /// If no thread can be started, or the first records don't fit.
    pub(super) fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        list: &'scope List,
        cancel: &'scope Cancel,
    ) -> Result<Entries, Unfit> {
        let (sender, batches) = sync_channel(WAITING);
        let (used, returned) = channel();
        let read = move || list.read(&sender, &returned, cancel);
        thread::Builder::new().name("list".into()).spawn_scoped(scope, read).map_err(|_| Unfit)?;
        let mut entries =
            Entries { batches, used, batch: Batch::default(), at: 0, hashed: 0, is_done: false };
        entries.refill()?;
        Ok(entries)
    }

    /// Returns the record to look at, or `None` at the end.
    pub(super) fn peek(&self) -> Option<ListEntry<'_>> {
        (self.at < self.batch.places.len()).then(|| self.batch.entry(self.at))
    }

    /// Goes on to the next record.
    ///
    /// # Errors
    /// If it does not fit.
    pub(super) fn advance(&mut self) -> Result<(), Unfit> {
        let place = self.batch.places.get(self.at);
        self.hashed += u64::from(place.is_some_and(|place| matches!(place.kind, EntryState::Hashed(_))));
        self.at += 1;
        if self.at >= self.batch.places.len() { self.refill() } else { Ok(()) }
    }

    /// Takes the next batch that has records.
    fn refill(&mut self) -> Result<(), Unfit> {
        while self.at >= self.batch.places.len() && !self.is_done {
            match self.batches.recv() {
                Ok(batch) => {
                    let batch = batch?;
                    let before = std::mem::replace(&mut self.batch, batch);
                    // Nobody takes it if the list has been read.
                    let _ = self.used.send(before);
                    self.at = 0;
                }
                Err(_) => self.is_done = true,
            }
        }
        Ok(())
    }

    /// Returns the number of hashed records before this one.
    pub(super) fn hashed(&self) -> u64 {
        self.hashed
    }

    /// Returns the algorithms of the digests.
    pub(super) fn algorithms(&self) -> &[&'static Algorithm] {
        &self.batch.algorithms
    }

    /// Makes a record of an entry of this list.
    pub(super) fn record(&self, entry: ListEntry<'_>) -> Record {
        if let Some(record) = entry.unhashed {
            return record.clone();
        }
        let mut rest = entry.digests;
        let digests = self.batch.algorithms.iter().map(|algorithm| {
            let (bytes, after) = rest.split_at(bytes_of(algorithm));
            rest = after;
            Named { algorithm, digest: Digest::new(bytes), guessed: false }
        });
        let digests = digests.collect();
        Record { mtime: entry.mtime, ..Record::hashed(entry.path.into(), entry.size, digests) }
    }
}

/// Places of the digests that two lists have in common, in the records of both.
pub(super) struct Common(Vec<[std::ops::Range<usize>; 2]>);

impl Common {
    /// Finds the algorithms that both lists have.
    pub(super) fn new(old: &[&'static Algorithm], new: &[&'static Algorithm]) -> Common {
        let places = |algorithms: &[&'static Algorithm]| {
            let mut end = 0;
            let place = |algorithm: &&'static Algorithm| {
                let start = end;
                end += bytes_of(algorithm);
                start..end
            };
            algorithms.iter().map(place).collect::<Vec<_>>()
        };
        let (ours, theirs) = (places(old), places(new));
        let pair = |(at, algorithm): (usize, &&'static Algorithm)| {
            let other = new.iter().position(|other| other == algorithm)?;
            Some([ours[at].clone(), theirs[other].clone()])
        };
        Common(old.iter().enumerate().filter_map(pair).collect())
    }

    /// Returns whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether nothing differs between two hashed records.
    pub(super) fn is_same(&self, old: &ListEntry<'_>, new: &ListEntry<'_>) -> bool {
        let sizes = old.size.zip(new.size).is_none_or(|(old, new)| old == new);
        sizes && self.0.iter().all(|[ours, theirs]| old.digests[ours.clone()] == new.digests[theirs.clone()])
    }

    /// Appends the common digests of a record of the old list.
    pub(super) fn of_old(&self, digests: &[u8], out: &mut Vec<u8>) {
        self.0.iter().for_each(|[ours, _]| out.extend_from_slice(&digests[ours.clone()]));
    }
}
