//! Sorts full heaps into runs while the next heaps fill, with a thread for each length of digest.

use super::heap::Heap;
use super::runs::{Record, Spool, common_size};
use crate::detail::catalogue::Catalogue;
use crate::error::Error;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

pub(crate) type Spools = BTreeMap<usize, Spool>;

/// Sorts heaps on its own thread. It holds one load; the caller waits before it sends another.
pub(crate) struct Sorter {
    loads: SyncSender<Vec<Heap>>,
    thread: JoinHandle<Result<Spools, Error>>,
}

/// The runs sorted so far.
struct Sorting {
    spools: Spools,
    target: PathBuf,
    catalogue: Arc<Mutex<Catalogue>>,
}

impl Sorter {
    /// Starts the thread, which creates its spools beside `target`.
    pub fn start(target: &Path, catalogue: Arc<Mutex<Catalogue>>) -> Result<Self, Error> {
        let (loads, received) = sync_channel::<Vec<Heap>>(0);
        let mut sorting = Sorting { spools: Spools::new(), target: target.to_path_buf(), catalogue };
        let thread = thread::Builder::new().spawn(move || {
            received.into_iter().try_for_each(|load| sorting.load(load))?;
            Ok(sorting.spools)
        });
        Ok(Sorter { loads, thread: thread.map_err(Error::io(target, "start a thread"))? })
    }

    /// Sends a load. Returns false if sorting has failed: [`Sorter::finish`] returns the error.
    pub fn bring(&mut self, load: Vec<Heap>) -> bool {
        self.loads.send(load).is_ok()
    }

    /// Waits for the last load and returns the spools.
    pub fn finish(self) -> Result<Spools, Error> {
        drop(self.loads);
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// The heaps of one length and their spool, for the first thread that takes them.
type Share<'a> = Mutex<Option<(Vec<Heap>, &'a mut Spool)>>;

impl Sorting {
    fn load(&mut self, load: Vec<Heap>) -> Result<(), Error> {
        let mut heaps: BTreeMap<usize, Vec<Heap>> = BTreeMap::new();
        load.into_iter().for_each(|heap| heaps.entry(heap.form.digest).or_default().push(heap));
        for (length, heaps) in &heaps {
            if !self.spools.contains_key(length) {
                self.spools.insert(*length, Spool::new(&self.target, heaps[0].form)?);
            }
        }
        let catalogue = &*self.catalogue;
        // Few lengths have so many digests that they need a thread each, and no set has many lengths.
        let shares =
            self.spools.iter_mut().filter_map(|(length, spool)| Some((heaps.remove(length)?, spool)));
        let shares: Vec<Share<'_>> = shares.map(|share| Mutex::new(Some(share))).collect();
        let sort = |share: &Share<'_>| {
            let taken = share.lock().take();
            taken.map_or(Ok(()), |(heaps, spool)| sort_into(heaps, spool, catalogue))
        };
        thread::scope(|scope| {
            let start = |share| (share, thread::Builder::new().spawn_scoped(scope, move || sort(share)));
            let threads: Vec<_> = shares.iter().map(start).collect();
            threads.into_iter().try_for_each(|(share, thread)| match thread {
                Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                // No thread could be started.
                Err(_) => sort(share),
            })
        })
    }
}

fn sort_into(heaps: Vec<Heap>, spool: &mut Spool, catalogue: &Mutex<Catalogue>) -> Result<(), Error> {
    heaps.into_iter().try_for_each(|heap| sort(heap, spool, catalogue))
}

/// Writes a heap's records as a run, joining the records of each digest.
fn sort(heap: Heap, spool: &mut Spool, catalogue: &Mutex<Catalogue>) -> Result<(), Error> {
    let form = heap.form;
    spool.start(form);
    let mut last: Option<Record> = None;
    heap.drain_sorted(|bytes| {
        let record = Record::from_bytes(form, bytes);
        match &mut last {
            Some(last) if last.digest() == record.digest() => {
                if last.number != record.number {
                    last.number = catalogue.lock().union(last.number, record.number);
                }
                last.size = common_size(last.size, record.size);
                Ok(())
            }
            _ => match last.replace(record) {
                Some(done) => spool.push(done.digest(), done.number, done.size),
                None => Ok(()),
            },
        }
    })?;
    match last {
        Some(done) => spool.push(done.digest(), done.number, done.size),
        None => Ok(()),
    }
}
