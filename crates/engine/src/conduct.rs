//! A relay from its start to its end, as its owner sees it.

use crate::Stats;
use crate::event::{Found, Outcome};
use crate::relay::{Relay, Role, Spent};
use crate::shared::Shared;
use hashloom_manifest::Record;
use hashloom_source::{Entry, Reader};
use std::sync::Arc;

/// Takes a file through a relay, with the help of whoever has nothing else to do: what became of it, or
/// none if the run was cancelled. `ready` gets the records of pieces as they come, in order.
///
/// `cached` says that the file is in memory. `opened` is called once the others can see the relay.
pub(crate) fn conduct(
    shared: &Shared,
    entry: &Entry,
    (reader, cached): (Reader, bool),
    role: Role,
    opened: &mut dyn FnMut(),
    ready: &mut dyn FnMut(Vec<Record>),
    stats: &mut Stats,
) -> Option<Outcome> {
    let meta = *reader.meta();
    let drive = shared.drives.get(entry.device);
    let relay = Arc::new(Relay::new(shared, reader, &drive, cached));
    shared.queue.open_relay(&relay);
    opened();
    let mut spent = Spent::default();
    let mut records = |pieces: Vec<_>| {
        ready(pieces.into_iter().map(|piece| relay.record(&entry.path, piece)).collect());
    };
    relay.drive(role, &mut records, &mut spent);
    shared.queue.close_relay(&relay);
    spent.add_to(stats);
    if shared.plan.cancel.is_set() {
        return None;
    }
    let finished = relay.finish();
    stats.lanes_used += finished.occupancy.0;
    stats.lanes_offered += finished.occupancy.1;
    Some(match finished.failed {
        Some(error) => Outcome::failed(error),
        None => {
            let found = Found { digests: finished.digests, bad_blocks: relay.bad_blocks(0..u64::MAX) };
            Outcome::hashed(entry.path.clone(), finished.bytes, meta, found)
        }
    })
}
