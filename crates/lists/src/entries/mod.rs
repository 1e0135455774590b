//! The records of a manifest in the order of paths, read on a thread of their own.

mod batch;
mod common;
mod facts;
mod filling;
pub mod spool;
mod stop;

pub use batch::{ListEntry, each_digest, hashed};
pub use common::Common;
pub use facts::{SizeAndTime, numbers};
pub use stop::Stop;

use crate::entries::spool::weight;
use crate::error::Error;
use crate::file_state::FileState;
use crate::history;
use crate::listing::{Listing, name_of};
use batch::{Batch, EntryState, bytes_of};
use facts::Facts;
use filling::{Filling, Outlet};
use hashmill_content::File as Tried;
use hashmill_content::output::sort::Sorter;
use hashmill_digest::Algorithm;
use hashmill_engine::Cancel;
use hashmill_manifest::Record;
use hashmill_manifest::format::{Format, Hint, open_path};
use hashmill_os::{Links, facts_at, names};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::thread::{self, Scope};

/// The number of batches that may wait: one is filled, one waits, one is compared.
const WAITING: usize = 1;

/// The formats whose lists have links, FIFOs and the like, as hashmill writes them.
const WITH_OTHERS: [&str; 6] = ["jsonl", "csv", "sqlite", "parquet", "dfxml", "ecs"];

/// A manifest in a file, which is read several times.
pub struct List {
    path: PathBuf,
    /// The state of the file when it was first seen.
    was: Option<FileState>,
    /// Whether its records are not in the order of paths.
    is_unordered: AtomicBool,
}

/// The order in which the records of a list are wanted.
#[derive(Clone, Copy)]
pub enum Order {
    /// As they stand in the list.
    AsWritten,
    /// By path. A list in another order is sorted in so many bytes of memory, once that is known of it.
    ByPath(usize),
}

/// The records of a list, one after another.
pub struct Entries {
    batches: Receiver<Result<Batch, Stop>>,
    used: Sender<Batch>,
    batch: Batch,
    at: usize,
    /// The number of hashed records so far.
    pub hashed: u64,
    /// Whether the list was read to its end, and nothing was found that does not fit.
    is_done: bool,
}

impl List {
    /// Takes the list at this path, if it is a regular file that was not copied.
    pub fn new(path: &Path, listing: &Listing) -> Option<List> {
        if !listing.is_file() || history::is_history(path) {
            return None;
        }
        let found = facts_at(path, Links::Follow).ok().filter(|facts| facts.is_file());
        let was = found.map(FileState::from_facts);
        was.is_some().then(|| List { path: path.to_path_buf(), was, is_unordered: AtomicBool::new(false) })
    }

    /// Returns its name for messages.
    pub fn name(&self) -> Box<[u8]> {
        name_of(self.path.as_os_str())
    }

    /// Returns whether it is in a format that has links, FIFOs and the like.
    pub fn has_others(&self) -> bool {
        open_path(&self.path, self.hint()).is_ok_and(|opened| has_others(opened.format))
    }

    fn hint(&self) -> Hint {
        Hint::from_name(&names::path_bytes(&self.path))
    }

    /// Returns whether its records were found not to be in the order of paths.
    pub fn is_unordered(&self) -> bool {
        self.is_unordered.load(Relaxed)
    }

    /// Returns whether the file is as it was when it was first seen.
    pub fn is_unchanged(&self) -> bool {
        self.was == FileState::at(&self.path).ok()
    }

    /// Returns the error of a list that changed between two times that it was read.
    pub fn changed(&self) -> Error {
        Error::file(&self.name(), Tried::Read)(io::Error::other("it was changed while it was compared"))
    }

    /// Passes the paths of all hashed records in order, and returns their number.
    ///
    /// # Errors
    /// If the list was changed so that it has to be read as a whole.
    pub fn each_hashed(&self, cancel: &Cancel, take: &mut dyn FnMut(&[u8])) -> Result<u64, Stop> {
        thread::scope(|scope| {
            let mut entries = Entries::start(scope, self, Order::AsWritten, cancel)?.ready()?;
            while let Some(entry) = entries.peek() {
                if entry.unhashed.is_none() {
                    take(entry.path);
                }
                entries.advance()?;
            }
            Ok(entries.hashed)
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
            sorter.push(&record.path, &[facts.as_flattened().as_flattened(), rest]).map_err(Stop::Failed)?;
            if !record.is_sound() {
                bytes += weight(&record);
                unhashed.push(Some(record));
            }
            if bytes > memory { Err(Some(Stop::Whole)) } else { Ok(()) }
        })?;
        let mut sorted = sorter.sorted().map_err(Stop::Failed)?;
        let mut filling = Filling::new(out);
        filling.batch.algorithms = one.algorithms;
        while let Some((path, rest)) = sorted.next_entry().map_err(Stop::Failed)? {
            if cancel.is_set() {
                return Err(Some(Stop::Cancelled));
            }
            if filling.last() == path {
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
        let opened = open_path(&self.path, self.hint()).map_err(|_| Stop::Whole)?;
        for record in opened.reader {
            let record = record.map_err(|_| Stop::Whole)?;
            if cancel.is_set() {
                return Err(Some(Stop::Cancelled));
            }
            if record.piece.is_some() || !is_plain(&record.path) {
                return Err(Some(Stop::Whole));
            }
            take(record)?;
        }
        Ok(())
    }
}

/// Returns whether a path has only one spelling: no part is empty or a dot, and there are no backslashes.
fn is_plain(path: &[u8]) -> bool {
    let below = path.strip_prefix(b"/").unwrap_or(path);
    memchr::memchr(b'\\', path).is_none()
        && below.split(|byte| *byte == b'/').all(|part| !part.is_empty() && part != b".")
}

/// Returns whether lists of a format have links, FIFOs and the like.
pub fn has_others(format: &Format) -> bool {
    WITH_OTHERS.contains(&format.name)
}

impl Entries {
    /// Starts a thread that reads a list. [`Entries::ready`] waits for the first records.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        list: &'scope List,
        order: Order,
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
    pub fn ready(mut self) -> Result<Entries, Stop> {
        self.refill()?;
        Ok(self)
    }

    /// Returns the record to look at, or `None` at the end.
    pub fn peek(&self) -> Option<ListEntry<'_>> {
        (self.at < self.batch.places.len()).then(|| self.batch.entry(self.at))
    }

    /// Goes on to the next record.
    ///
    /// # Errors
    /// If it does not fit.
    pub fn advance(&mut self) -> Result<(), Stop> {
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

    /// Returns the algorithms of the digests.
    pub fn algorithms(&self) -> &[&'static Algorithm] {
        &self.batch.algorithms
    }

    /// Returns the place of the digest by this algorithm among those of a record, if they have it.
    pub fn place_of(&self, algorithm: &Algorithm) -> Option<Range<usize>> {
        let before = self.algorithms().iter().take_while(|other| ***other != *algorithm);
        let start = before.map(|other| bytes_of(other)).sum();
        let algorithm = self.algorithms().iter().find(|other| ***other == *algorithm)?;
        Some(start..start + bytes_of(algorithm))
    }

    /// Makes a record of an entry of this list.
    pub fn record(&self, entry: ListEntry<'_>) -> Record {
        if let Some(record) = entry.unhashed {
            return record.clone();
        }
        let facts = SizeAndTime { size: entry.size, mtime: entry.mtime };
        hashed(entry.path, facts, self.algorithms(), entry.digests)
    }
}
