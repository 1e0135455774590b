//! Starts threads that only read: for a device whose files turn out not to be in memory, or when the plan asks for
//! them.

mod disk_order;
mod loader;

use crate::read::DeviceState;
use crate::shared::PanicGuard;
use crate::shared::Shared;
use crate::work::work;
use disk_order::DiskOrderReader;
use hashmill_source::Policy;
use loader::Loader;
use std::sync::Arc;
use std::thread;

/// Starts the reader of this rank on a device.
pub(crate) fn start_reader(shared: &Arc<Shared>, device: &Arc<DeviceState>, policy: Policy, rank: usize) {
    if policy.alone {
        shared.queue.reserve(device.number);
    }
    shared.queue.count_reader(1);
    let body = {
        let (shared, device, sender) = (Arc::clone(shared), Arc::clone(device), shared.result_sender());
        move || {
            let _guard = PanicGuard(&shared);
            let loader = Loader::new(&shared, &device, rank);
            let (stats, has_read) =
                if policy.alone { DiskOrderReader::new(loader).run() } else { (loader.run(), false) };
            ended(&shared, &device);
            shared.count(&stats);
            if has_read && policy.alone {
                // With nothing left to read, it hashes what it has read. Otherwise it ends: one more thread than
                // planned would take files from the others and leave their lanes emptier.
                work(&shared, sender);
            }
        }
    };
    let started = thread::Builder::new().name("reader".into()).spawn(body);
    match started {
        Ok(thread) => shared.readers.lock().push(thread),
        // Without a reader, the workers read.
        Err(_) => ended(shared, device),
    }
}

fn ended(shared: &Shared, device: &DeviceState) {
    device.reader_ended();
    shared.queue.release(device.number);
    shared.queue.count_reader(-1);
}
