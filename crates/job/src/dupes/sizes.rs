//! Look-up of the sizes of files that a walk has only listed. It uses all threads, because it takes most of the time
//! where little else is to be done.

use hashmill_source::{Entry, Error, Meta, ParentCache, Problem, Reader, Reading};
use parking_lot::Mutex;
use std::sync::mpsc::{self, Receiver};
use std::thread;

/// The number of files that a thread looks up at a time. For fewer files, no other thread is started.
const SHARE: usize = 256;

/// An entry, or the reason why its size is not known.
pub(super) type SizedEntry = Result<Entry, Error>;

/// Some of the entries, with their place among all.
type Share = (usize, Vec<SizedEntry>);

/// The settings of the look-up.
#[derive(Clone, Copy)]
pub(super) struct Asking<'a> {
    /// The number of threads.
    pub threads: usize,
    /// The way to open files, where the path alone does not give the size.
    pub reading: &'a Reading,
}

/// Adds size, device and inode number to entries that lack them. Work begins while entries still arrive; their order is
/// kept.
pub(super) fn measure(mut entries: impl Iterator<Item = SizedEntry>, asking: Asking<'_>) -> Vec<SizedEntry> {
    let (sender, receiver) = mpsc::channel();
    let (shares, done) = (Mutex::new(receiver), Mutex::new(Vec::new()));
    let work = || {
        let mut parents = ParentCache::default();
        while let Some((number, mut share)) = next(&shares) {
            share.iter_mut().for_each(|entry| ask(entry, &mut parents, asking));
            done.lock().push((number, share));
        }
    };
    thread::scope(|scope| {
        for number in 0.. {
            let share: Vec<SizedEntry> = entries.by_ref().take(SHARE).collect();
            let last = share.len() < SHARE;
            // The receiver lives as long as this scope.
            let _ = sender.send((number, share));
            if last {
                break;
            }
            if asking.threads > 1 && number < asking.threads {
                // If no thread can be started, this one does the work.
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
        }
        drop(sender);
        work();
    });
    let mut done = done.into_inner();
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().flat_map(|(_, share)| share).collect()
}

/// Returns the next share; `None` once no more will come.
fn next(shares: &Mutex<Receiver<Share>>) -> Option<Share> {
    shares.lock().recv().ok()
}

fn ask(slot: &mut SizedEntry, parents: &mut ParentCache, asking: Asking<'_>) {
    let Ok(entry) = slot else { return };
    if entry.size.is_some() {
        return;
    }
    match look(entry, parents, asking) {
        Ok(meta) => (entry.size, entry.device, entry.ino) = (Some(meta.size), meta.dev, meta.ino),
        Err(error) => *slot = Err(error),
    }
}

/// Returns the metadata of an entry.
///
/// # Errors
/// If it can't be had.
pub(super) fn look(entry: &Entry, parents: &mut ParentCache, asking: Asking<'_>) -> Result<Meta, Error> {
    let open = || Reader::open(entry, asking.reading).map(|reader| *reader.meta());
    if entry.content.is_some() {
        return open();
    }
    match parents.meta(entry) {
        Ok(meta) if meta.is_file() => Ok(meta),
        Err(Problem::Swapped) => Err(Error { path: entry.path.clone(), problem: Problem::Swapped }),
        // It is no longer a regular file, or too many files are open. Opening it reports the former and waits for the
        // latter.
        Ok(_) | Err(_) => open(),
    }
}
