//! The bytes that wait for the writers, which are bounded.

use parking_lot::{Condvar, Mutex};
use std::sync::Arc;

/// Limits the bytes that wait for the writers.
#[derive(Debug)]
pub(super) struct Room {
    most: usize,
    used: Mutex<usize>,
    freed: Condvar,
}

/// Bytes that wait for the writers; the last one that is done with them makes room.
#[derive(Debug)]
pub(super) struct HeldBytes {
    pub(super) bytes: Box<[u8]>,
    room: Arc<Room>,
}

impl Room {
    /// Makes room for so many bytes. One part may be longer.
    pub(super) fn new(most: usize) -> Arc<Room> {
        Arc::new(Room { most, used: Mutex::default(), freed: Condvar::new() })
    }

    /// Waits until there is room for these bytes, and holds them.
    pub(super) fn hold(self: &Arc<Room>, bytes: &[u8]) -> Arc<HeldBytes> {
        let mut used = self.used.lock();
        while *used > 0 && *used + bytes.len() > self.most {
            self.freed.wait(&mut used);
        }
        *used += bytes.len();
        drop(used);
        Arc::new(HeldBytes { bytes: bytes.into(), room: Arc::clone(self) })
    }
}

impl Drop for HeldBytes {
    fn drop(&mut self) {
        *self.room.used.lock() -= self.bytes.len();
        self.room.freed.notify_all();
    }
}
