//! Runs a relay from start to end, for its owner.

use crate::Stats;
use crate::event::{EntryResult, Hashed};
use crate::read::{Sharing, is_cached};
use crate::relay::{Relay, RelayFile, Role, TimeSpent};
use crate::shared::Shared;
use hashmill_manifest::Record;
use hashmill_source::{Entry, Error, Reader};
use std::sync::Arc;

pub(crate) struct RelayJob<'a> {
    pub(crate) entry: &'a Entry,
    pub(crate) reader: Reader,
    /// The part of the calling thread.
    pub(crate) role: Role,
}

/// Takes a file through a relay, with the help of all idle threads. Returns its outcome; `None` if the run was
/// cancelled. `ready` gets the records of pieces in order, as soon as they are known.
///
/// `opened` is called once other threads can see the relay.
pub(crate) fn run_relay(
    shared: &Shared,
    job: RelayJob<'_>,
    opened: &mut dyn FnMut(),
    ready: &mut dyn FnMut(Vec<Record>),
    stats: &mut Stats,
) -> Option<EntryResult> {
    let RelayJob { entry, reader, role } = job;
    let relay = Arc::new(Relay::new(&shared.relay_settings(), file(shared, entry, reader)));
    shared.queue.open_relay(&relay);
    opened();
    let mut spent = TimeSpent::default();
    let mut records = |pieces: Vec<_>| {
        ready(pieces.into_iter().map(|(piece, digests)| relay.record(&entry.path, piece, digests)).collect());
    };
    relay.run(role, &mut records, &mut spent);
    shared.queue.close_relay(&relay);
    spent.add_to(stats);
    if shared.plan.cancel.is_set() {
        return None;
    }
    let finished = relay.finish();
    stats.add_lanes(finished.occupancy);
    let refused = || shared.plan.refuses(finished.bytes).filter(|_| shared.plan.whole);
    let refused = || refused().map(|problem| Error { path: entry.path.clone(), problem });
    Some(match finished.failed.or_else(refused) {
        Some(error) => EntryResult::failed(error),
        None => {
            let hashed = Hashed { digests: finished.digests, bad_blocks: relay.bad_blocks(0..u64::MAX) };
            EntryResult::hashed(entry.path.clone(), finished.bytes, finished.read, hashed)
        }
    })
}

fn file(shared: &Shared, entry: &Entry, reader: Reader) -> RelayFile {
    let device = shared.devices.get(entry.device);
    let one_reader = shared.devices.has_one_reader(&device);
    let resident = reader.seekable() && is_cached(&reader, &shared.plan.reading) == Some(true);
    // Any thread can read a file in memory; remote files arrive in order.
    let one_reader = (one_reader && !resident) || entry.is_remote();
    let map = resident.then(|| shared.mapping.map(&reader, Sharing::Alone)).flatten();
    let size = reader.meta().size;
    RelayFile {
        path: entry.path.clone(),
        reader,
        device: device.number,
        one_reader,
        cold: device.is_cold() && !resident,
        waits: entry.waits(),
        resident,
        map,
        entry: shared.plan.saving.is_some().then(|| entry.clone()),
        threads: threads(shared.plan.threads.get(), size, shared.queue.bytes_left(size)),
    }
}

/// Returns how many of all threads share a file of this size, while this many bytes of others wait. If those keep the
/// other threads as busy, pieces or leaves stay in one thread, where they fill more lanes.
fn threads(all: usize, size: u64, waiting: u64) -> usize {
    let others = size.saturating_mul(all as u64 - 1);
    if waiting >= others { 1 } else { all }
}

#[cfg(test)]
mod tests {
    use super::threads;

    #[test]
    fn a_file_is_divided_once_the_others_have_nothing_as_long_to_do() {
        assert_eq!([0, 5, 10, 99].map(|waiting| threads(2, 10, waiting)), [2, 2, 1, 1]);
        assert_eq!([0, 20, 30].map(|waiting| threads(4, 10, waiting)), [4, 4, 1]);
        assert_eq!(threads(1, 10, 0), 1);
        assert_eq!(threads(2, u64::MAX, u64::MAX), 1);
    }
}
