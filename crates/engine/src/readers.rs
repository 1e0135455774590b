//! Threads that only read: started for a device when it is seen that its files are not in memory, or when
//! they were asked for.

use crate::alarm::Alarm;
use crate::drive::Drive;
use crate::load::Loader;
use crate::run::work;
use crate::shared::Shared;
use crate::sweep::Sweeper;
use hashloom_source::Policy;
use std::sync::{Arc, PoisonError};
use std::thread;

/// Sees to it that as many threads read on this device as its policy wants. `path` is a file there, by
/// which the device can be found; it may be empty once that was done.
pub(crate) fn wake(shared: &Arc<Shared>, drive: &Arc<Drive>, path: &[u8]) {
    // A run of one small file has no other threads and needs none.
    let threads = shared.way().is_some();
    if !threads || !shared.holds.exist() || !shared.drives.is_wanted(drive) {
        return;
    }
    let policy = shared.drives.policy(drive, path);
    for rank in drive.missing(&policy) {
        start(shared, drive, policy, rank);
    }
}

fn start(shared: &Arc<Shared>, drive: &Arc<Drive>, policy: Policy, rank: usize) {
    if policy.alone {
        shared.queue.reserve(drive.number);
    }
    shared.queue.readers(1);
    let body = {
        let (shared, drive, sender) = (Arc::clone(shared), Arc::clone(drive), shared.way());
        move || {
            let _alarm = Alarm(&shared);
            let loader = Loader::new(&shared, &drive, rank);
            let stats = if policy.alone { Sweeper::new(loader).run() } else { loader.run() };
            ended(&shared, &drive);
            shared.count(&stats);
            if policy.alone {
                // With nothing left to read it hashes what it has read.
                work(&shared, sender);
            }
        }
    };
    let started = thread::Builder::new().name("reader".into()).spawn(body);
    match started {
        Ok(thread) => shared.readers.lock().unwrap_or_else(PoisonError::into_inner).push(thread),
        // The workers read as well.
        Err(_) => ended(shared, drive),
    }
}

fn ended(shared: &Shared, drive: &Drive) {
    drive.left();
    shared.queue.release(drive.number);
    shared.queue.readers(-1);
}
