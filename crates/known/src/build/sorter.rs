//! Sorts full heaps into runs while the next ones fill, those of each length on a thread of their own.

use super::heap::Heap;
use super::partial::beside;
use super::runs::{Record, Spool, common_size};
use crate::catalogue::{Catalogue, lock};
use crate::error::Error;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// The spools of a build, by the length of their digests.
pub(crate) type Spools = BTreeMap<usize, Spool>;

/// Sorts heaps on a thread of its own. It holds one load; whoever brings another waits.
pub(crate) struct Sorter {
    loads: SyncSender<Vec<Heap>>,
    thread: JoinHandle<Result<Spools, Error>>,
}

impl Sorter {
    /// Starts the thread, whose spools will stand beside `target`.
    pub fn start(target: &Path, catalogue: Arc<Mutex<Catalogue>>) -> Self {
        let (loads, received) = sync_channel(0);
        let target = target.to_path_buf();
        let thread = thread::spawn(move || sort_all(received, target, &catalogue));
        Sorter { loads, thread }
    }

    /// Brings a load. False if the thread has ended, with an error that [`Sorter::finish`] gives.
    pub fn bring(&self, load: Vec<Heap>) -> bool {
        self.loads.send(load).is_ok()
    }

    /// Waits for the last load.
    pub fn finish(self) -> Result<Spools, Error> {
        drop(self.loads);
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

fn sort_all(
    loads: Receiver<Vec<Heap>>,
    target: PathBuf,
    catalogue: &Mutex<Catalogue>,
) -> Result<Spools, Error> {
    let mut spools = Spools::new();
    for load in loads {
        let mut heaps: BTreeMap<usize, Vec<Heap>> = BTreeMap::new();
        load.into_iter().for_each(|heap| heaps.entry(heap.form.digest).or_default().push(heap));
        for length in heaps.keys() {
            if !spools.contains_key(length) {
                spools.insert(*length, Spool::new(&beside(&target, &format!("-{length}")))?);
            }
        }
        // Few lengths have so much that a thread for each is worth it, and no set has many lengths.
        let work = spools.iter_mut().filter_map(|(length, spool)| Some((heaps.remove(length)?, spool)));
        thread::scope(|scope| {
            let sort =
                |(heaps, spool): (Vec<Heap>, _)| scope.spawn(move || sort_into(heaps, spool, catalogue));
            let threads: Vec<_> = work.map(sort).collect();
            let join = |thread: thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().try_for_each(join)
        })?;
    }
    Ok(spools)
}

fn sort_into(heaps: Vec<Heap>, spool: &mut Spool, catalogue: &Mutex<Catalogue>) -> Result<(), Error> {
    heaps.into_iter().try_for_each(|heap| sort(heap, spool, catalogue))
}

/// Writes a heap's records as a run, those of one digest as one.
fn sort(heap: Heap, spool: &mut Spool, catalogue: &Mutex<Catalogue>) -> Result<(), Error> {
    let form = heap.form;
    spool.start(form)?;
    let mut last: Option<Record> = None;
    heap.drain_sorted(|bytes| {
        let record = Record::of(form, bytes);
        match &mut last {
            Some(last) if last.digest() == record.digest() => {
                if last.number != record.number {
                    last.number = lock(catalogue).union(last.number, record.number);
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
