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

/// A part of a room; it is free again when this is dropped.
#[derive(Debug)]
pub(super) struct Space {
    bytes: usize,
    room: Arc<Room>,
}

/// Bytes that wait for the writers; the last one that is done with them makes room.
#[derive(Debug)]
pub(super) struct HeldBytes {
    pub(super) bytes: Box<[u8]>,
    _space: Space,
}

impl Room {
    /// Makes room for so many bytes. One part may be longer.
    pub(super) fn new(most: usize) -> Arc<Room> {
        Arc::new(Room { most, used: Mutex::default(), freed: Condvar::new() })
    }

    /// Waits until there is room for so many bytes, and takes it.
    pub(super) fn take(self: &Arc<Room>, bytes: usize) -> Space {
        let mut used = self.used.lock();
        while *used > 0 && *used + bytes > self.most {
            self.freed.wait(&mut used);
        }
        *used += bytes;
        drop(used);
        Space { bytes, room: Arc::clone(self) }
    }

    /// Waits until there is room for these bytes, and holds them.
    pub(super) fn hold(self: &Arc<Room>, bytes: &[u8]) -> Arc<HeldBytes> {
        let space = self.take(bytes.len());
        Arc::new(HeldBytes { bytes: bytes.into(), _space: space })
    }
}

impl Drop for Space {
    fn drop(&mut self) {
        *self.room.used.lock() -= self.bytes;
        self.room.freed.notify_all();
    }
}
