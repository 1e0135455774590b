//! The records of a manifest in the order of paths, read on a thread of their own.

use super::stop::Stop;
use crate::error::{Error, File as Tried};
use crate::external_sort::Sorter;
use crate::history;
use crate::listing::{Listing, name_of};
use crate::spool::weight;
use hashloom_digest::{Algorithm, Digest};
use hashloom_engine::Cancel;
use hashloom_manifest::format::{Hint, open_path};
use hashloom_manifest::{Named, Record, Status, Time};
use std::fs::Metadata;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, Scope};

/// A number of nanoseconds that no time has.
const NO_TIME: u32 = u32::MAX;

/// A size that no file has.
const NO_SIZE: u64 = u64::MAX;

/// The number of records that threads hand over at once, and the bytes after which fewer are.
const BATCH: usize = 4096;
const BATCH_BYTES: usize = 1 << 20;

/// The number of batches that may wait: one is filled, one waits, one is compared.
const WAITING: usize = 1;

/// A manifest in a file, which is read several times.
pub(crate) struct List {
    path: PathBuf,
    /// The identity, the size and the times of the file when it was first seen.
    was: Option<Stamp>,
    /// Whether its records are not in the order of paths.
    is_unordered: AtomicBool,
}

/// The order in which the records of a list are wanted.
#[derive(Clone, Copy)]
pub(super) enum Order {
    AsWritten,
    /// By path. A list in another order is sorted in so many bytes of memory, once that is known of it.
    ByPath(usize),
}

/// A value that changes when a file is written or replaced.
type Stamp = (u64, u64, u64, (i64, i64), (i64, i64));

/// A record, with the bytes of its path and of its digests.
#[derive(Clone, Copy)]
pub(super) struct ListEntry<'a> {
    pub(super) path: &'a [u8],
    /// Its number among all records of the list.
    pub(super) number: u64,
    /// The number of hashed records before it in the list.
    pub(super) hashed: u64,
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
    /// The bytes that `unhashed` takes.
    unhashed_bytes: usize,
    /// The algorithms of all digests; empty before the first record with digests.
    algorithms: Vec<&'static Algorithm>,
}

/// The place of a record in a batch. Its path begins at the end of the one before it.
#[derive(Clone, Copy)]
struct EntryPlace {
    path_end: usize,
    number: u64,
    hashed: u64,
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
    batches: Receiver<Result<Batch, Stop>>,
    used: Sender<Batch>,
    batch: Batch,
    at: usize,
    /// The number of hashed records so far.
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
        was.is_some().then(|| List { path: path.to_path_buf(), was, is_unordered: AtomicBool::new(false) })
    }

    /// Returns its name for messages.
    pub(super) fn name(&self) -> Box<[u8]> {
        name_of(self.path.as_os_str())
    }

    /// Returns whether its records were found not to be in the order of paths.
    pub(super) fn is_unordered(&self) -> bool {
        self.is_unordered.load(Relaxed)
    }

    /// Returns whether the file is as it was when it was first seen.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.was == self.path.metadata().ok().map(|meta| stamp(&meta))
    }

    /// Returns the error of a list that changed between two times that it was read.
    pub(crate) fn changed(&self) -> Error {
        Error::file(&self.name(), Tried::Read)(io::Error::other("it was changed while it was compared"))
    }

    /// Passes the paths of all hashed records in order, and returns their number.
    ///
    /// # Errors
    /// If the list was changed so that it has to be read as a whole.
    pub(crate) fn each_hashed(&self, cancel: &Cancel, take: &mut dyn FnMut(&[u8])) -> Result<u64, Stop> {
        thread::scope(|scope| {
            let mut entries = Entries::start(scope, (self, Order::AsWritten), cancel)?.ready()?;
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
    fn read(&self, order: Order, out: &Outlet, cancel: &Cancel) {
        let passed = match order {
            Order::ByPath(memory) if self.is_unordered() => self.pass_sorted(memory, out, cancel),
            _ => self.pass(order, out, cancel),
        };
        if let Err(Some(stop)) = passed {
            let _ = out.batches.send(Err(stop));
        }
    }

    /// Passes the records as they are written.
    fn pass(&self, order: Order, out: &Outlet, cancel: &Cancel) -> Result<(), Option<Stop>> {
        let mut filling = Filling::new(out);
        let is_ordered = matches!(order, Order::ByPath(_));
        self.each(cancel, &mut |record| {
            if is_ordered && filling.last() >= &*record.path {
                self.is_unordered.store(true, Relaxed);
                return Err(Some(Stop::Unordered));
            }
            filling.add(record)
        })?;
        filling.send()
    }

    /// Passes the records in the order of their paths.
    fn pass_sorted(&self, memory: usize, out: &Outlet, cancel: &Cancel) -> Result<(), Option<Stop>> {
        let (mut sorter, mut one, mut unhashed) = (Sorter::new(memory), Batch::default(), Vec::new());
        let (mut number, mut hashed, mut bytes) = (0, 0, 0);
        self.each(cancel, &mut |record| {
            one = std::mem::take(&mut one).cleared();
            one.add(&record, number, hashed)?;
            number += 1;
            hashed += u64::from(record.is_sound());
            let place = (unhashed.len() as u64).to_le_bytes();
            let facts = Facts::from_place(&one.places[0]).to_bytes();
            let rest: &[u8] = if record.is_sound() { &one.digests } else { &place };
            sorter.push(&record.path, &[&facts, rest]).map_err(Stop::Failed)?;
            if !record.is_sound() {
                bytes += weight(&record);
                unhashed.push(Some(record));
            }
            if bytes > memory { Err(Some(Stop::Whole)) } else { Ok(()) }
        })?;
        let mut sorted = sorter.sorted().map_err(Stop::Failed)?;
        let mut filling = Filling::new(out);
        filling.batch.algorithms = one.algorithms;
        while let Some((path, rest)) = sorted.next().map_err(Stop::Failed)? {
            if cancel.is_set() || filling.last() == path {
                return Err(Some(Stop::Whole));
            }
            filling.add_sorted(path, rest, &mut unhashed)?;
        }
        filling.send()
    }

    /// Reads the records as they are written.
    fn each(
        &self,
        cancel: &Cancel,
        take: &mut dyn FnMut(Record) -> Result<(), Option<Stop>>,
    ) -> Result<(), Option<Stop>> {
        let hint = Hint::from_name(self.path.as_os_str().as_bytes());
        let opened = open_path(&self.path, hint).map_err(|_| Stop::Whole)?;
        for record in opened.reader {
            let record = record.map_err(|_| Stop::Whole)?;
            if cancel.is_set() || record.piece.is_some() || !is_plain(&record.path) {
                return Err(Some(Stop::Whole));
            }
            take(record)?;
        }
        Ok(())
    }
}

fn stamp(meta: &Metadata) -> Stamp {
    let (changed, modified) = ((meta.ctime(), meta.ctime_nsec()), (meta.mtime(), meta.mtime_nsec()));
    (meta.dev(), meta.ino(), meta.len(), changed, modified)
}

/// The place where a reading thread puts its batches.
struct Outlet {
    batches: SyncSender<Result<Batch, Stop>>,
    used: Receiver<Batch>,
}

/// A batch that is being filled. An error of `None` means that nobody takes it.
struct Filling<'a> {
    out: &'a Outlet,
    batch: Batch,
    /// The path of the last record of the batch before.
    last: Vec<u8>,
    number: u64,
    hashed: u64,
}

impl<'a> Filling<'a> {
    fn new(out: &'a Outlet) -> Filling<'a> {
        Filling { out, batch: Batch::default(), last: Vec::new(), number: 0, hashed: 0 }
    }

    /// Adds the next record.
    fn add(&mut self, record: Record) -> Result<(), Option<Stop>> {
        self.batch.add(&record, self.number, self.hashed)?;
        self.number += 1;
        self.hashed += u64::from(record.is_sound());
        if !record.is_sound() {
            self.batch.unhashed_bytes += weight(&record);
            self.batch.unhashed.push(record);
        }
        self.send_full()
    }

    /// Adds a record that was sorted.
    fn add_sorted(
        &mut self,
        path: &[u8],
        rest: &[u8],
        unhashed: &mut [Option<Record>],
    ) -> Result<(), Option<Stop>> {
        let (facts, rest) = Facts::from_bytes(rest);
        let batch = &mut self.batch;
        let kind = if facts.is_hashed {
            batch.digests.extend_from_slice(rest);
            EntryState::Hashed(batch.digests.len() - rest.len())
        } else {
            let place = rest.try_into().map_or(usize::MAX, |bytes| u64::from_le_bytes(bytes) as usize);
            batch.unhashed.extend(unhashed.get_mut(place).and_then(Option::take));
            EntryState::Unhashed(batch.unhashed.len() - 1)
        };
        batch.paths.extend_from_slice(path);
        batch.places.push(facts.place(batch.paths.len(), kind));
        self.send_full()
    }

    fn send_full(&mut self) -> Result<(), Option<Stop>> {
        let Batch { paths, places, unhashed_bytes, .. } = &self.batch;
        let is_full = places.len() == BATCH || paths.len() + unhashed_bytes > BATCH_BYTES;
        if is_full { self.send() } else { Ok(()) }
    }

    /// Hands the batch over, and goes on with an empty one.
    fn send(&mut self) -> Result<(), Option<Stop>> {
        self.last = self.last().to_vec();
        let algorithms = self.batch.algorithms.clone();
        let next = self.out.used.try_recv().unwrap_or_default().cleared();
        let full = std::mem::replace(&mut self.batch, Batch { algorithms, ..next });
        self.out.batches.send(Ok(full)).map_err(|_| None)
    }

    /// Returns the path of the last record; empty if there is none.
    fn last(&self) -> &[u8] {
        let Some(last) = self.batch.places.len().checked_sub(1) else { return &self.last };
        self.batch.path(last)
    }
}

/// The part of a record that is sorted with its path, but for the digests.
struct Facts {
    number: u64,
    hashed: u64,
    size: Option<u64>,
    mtime: Option<Time>,
    is_hashed: bool,
}

impl Facts {
    const BYTES: usize = 8 + 8 + 8 + 8 + 4 + 1;

    fn from_place(place: &EntryPlace) -> Facts {
        let EntryPlace { number, hashed, size, mtime, kind, .. } = *place;
        Facts { number, hashed, size, mtime, is_hashed: matches!(kind, EntryState::Hashed(_)) }
    }

    fn place(&self, path_end: usize, kind: EntryState) -> EntryPlace {
        let Facts { number, hashed, size, mtime, .. } = *self;
        EntryPlace { path_end, number, hashed, size, mtime, kind }
    }

    fn to_bytes(&self) -> [u8; Facts::BYTES] {
        let time = self.mtime.unwrap_or(Time { seconds: 0, nanoseconds: NO_TIME });
        let mut bytes = [0; Facts::BYTES];
        bytes[..8].copy_from_slice(&self.number.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.hashed.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.size.unwrap_or(NO_SIZE).to_le_bytes());
        bytes[24..32].copy_from_slice(&time.seconds.to_le_bytes());
        bytes[32..36].copy_from_slice(&time.nanoseconds.to_le_bytes());
        bytes[36] = u8::from(self.is_hashed);
        bytes
    }

    /// Returns the facts at the start of these bytes, and the bytes behind them.
    fn from_bytes(bytes: &[u8]) -> (Facts, &[u8]) {
        let (facts, rest) = bytes.split_at(Facts::BYTES);
        let word = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&facts[at..at + 8]);
            u64::from_le_bytes(word)
        };
        let mut nanoseconds = [0; 4];
        nanoseconds.copy_from_slice(&facts[32..36]);
        let time = Time { seconds: word(24) as i64, nanoseconds: u32::from_le_bytes(nanoseconds) };
        let facts = Facts {
            number: word(0),
            hashed: word(8),
            size: Some(word(16)).filter(|size| *size != NO_SIZE),
            mtime: Some(time).filter(|time| time.nanoseconds != NO_TIME),
            is_hashed: facts[36] == 1,
        };
        (facts, rest)
    }
}

impl Batch {
    /// Adds a record with its number, and the number of hashed records before it. One that is not hashed must be added to
    /// `unhashed`, too.
    ///
    /// # Errors
    /// If it has digests that do not name their algorithm, or others than the records before it.
    fn add(&mut self, record: &Record, number: u64, hashed: u64) -> Result<(), Stop> {
        let kind = if record.is_sound() {
            EntryState::Hashed(self.add_digests(record)?)
        } else {
            EntryState::Unhashed(self.unhashed.len())
        };
        self.paths.extend_from_slice(&record.path);
        let (path_end, size, mtime) = (self.paths.len(), record.size, record.mtime);
        self.places.push(EntryPlace { path_end, number, hashed, size, mtime, kind });
        Ok(())
    }

    /// Adds the digests of a hashed record, and returns where they begin.
    fn add_digests(&mut self, record: &Record) -> Result<usize, Stop> {
        let is_stored = record.status != Status::Hashed;
        if is_stored || record.digests.is_empty() || record.digests.iter().any(|named| named.guessed) {
            return Err(Stop::Whole);
        }
        if self.algorithms.is_empty() {
            self.algorithms = record.digests.iter().map(|named| named.algorithm).collect();
        }
        let algorithms = record.digests.iter().map(|named| named.algorithm);
        if !algorithms.eq(self.algorithms.iter().copied()) {
            return Err(Stop::Whole);
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
        let EntryPlace { number, hashed, size, mtime, kind, .. } = self.places[at];
        let (digests, unhashed) = match kind {
            EntryState::Hashed(start) => (&self.digests[start..start + width(&self.algorithms)], None),
            EntryState::Unhashed(place) => (&[][..], Some(&self.unhashed[place])),
        };
        ListEntry { path: self.path(at), number, hashed, size, mtime, digests, unhashed }
    }

    /// Returns an empty batch with the memory of this one.
    fn cleared(mut self) -> Batch {
        self.paths.clear();
        self.digests.clear();
        self.places.clear();
        self.unhashed.clear();
        self.unhashed_bytes = 0;
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
    /// Starts a thread that reads a list. [`Entries::ready`] waits for the first records.
    ///
    /// # Errors
    /// If no thread can be started.
    pub(super) fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        (list, order): (&'scope List, Order),
        cancel: &'scope Cancel,
    ) -> Result<Entries, Stop> {
        let (sender, batches) = sync_channel(WAITING);
        let (used, returned) = channel();
        let out = Outlet { batches: sender, used: returned };
        let read = move || list.read(order, &out, cancel);
        thread::Builder::new().name("list".into()).spawn_scoped(scope, read).map_err(|_| Stop::Whole)?;
        Ok(Entries { batches, used, batch: Batch::default(), at: 0, hashed: 0, is_done: false })
    }

    /// Waits for the first records.
    ///
    /// # Errors
    /// If they don't fit.
    pub(super) fn ready(mut self) -> Result<Entries, Stop> {
        self.refill()?;
        Ok(self)
    }

    /// Returns the record to look at, or `None` at the end.
    pub(super) fn peek(&self) -> Option<ListEntry<'_>> {
        (self.at < self.batch.places.len()).then(|| self.batch.entry(self.at))
    }

    /// Goes on to the next record.
    ///
    /// # Errors
    /// If it does not fit.
    pub(super) fn advance(&mut self) -> Result<(), Stop> {
        let place = self.batch.places.get(self.at);
        self.hashed += u64::from(place.is_some_and(|place| matches!(place.kind, EntryState::Hashed(_))));
        self.at += 1;
        if self.at >= self.batch.places.len() { self.refill() } else { Ok(()) }
    }

    /// Takes the next batch that has records.
    fn refill(&mut self) -> Result<(), Stop> {
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

    /// Returns the number of hashed records so far.
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
