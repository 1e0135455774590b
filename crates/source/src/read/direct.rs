//! Direct reads, which bypass the page cache (`O_DIRECT` on Linux), while the file system accepts them.

use super::aligned::ALIGNMENT;
use crate::{Notes, sys};
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The state of direct reading of one file, shared by the threads that read it.
#[derive(Debug)]
pub(super) struct Direct {
    on: AtomicBool,
    /// The file once more, where only opening decides how it is read.
    again: Option<Arc<File>>,
    device: u64,
    path: Box<[u8]>,
    notes: Notes,
}

impl Direct {
    /// Switches to direct reading. Returns `None` and adds a note if the file system does not support it. It is
    /// switched on after opening, because for a FIFO the flag has another meaning in `open`.
    pub(super) fn start(file: &File, device: u64, path: &[u8], notes: &Notes) -> Option<Direct> {
        match sys::start_direct(file) {
            Ok(again) => {
                let (on, again) = (AtomicBool::new(true), again.map(Arc::new));
                Some(Direct { on, again, device, path: path.into(), notes: notes.clone() })
            }
            Err(_) => {
                notes.add(device, path);
                None
            }
        }
    }

    pub(super) fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    /// Returns whether no byte so far came out of the page cache.
    pub(super) fn is_fresh(&self) -> bool {
        sys::DIRECT_IS_FRESH && self.is_on()
    }

    /// Returns the second file, which is read directly, if one was opened for that.
    pub(super) fn again(&self) -> Option<&Arc<File>> {
        self.again.as_ref().filter(|_| self.is_on())
    }

    /// Records that the file can't be read directly after all.
    pub(super) fn give_up(&self, file: &File) {
        if self.stop(file) {
            self.notes.add(self.device, &self.path);
        }
    }

    /// Switches to reads through the cache; returns whether the file was read directly before.
    pub(super) fn stop(&self, file: &File) -> bool {
        // If clearing the flag fails, the next read fails.
        self.on.swap(false, Ordering::Relaxed) && sys::stop_direct(file).is_ok()
    }
}

/// Returns whether a direct read can fill this buffer.
pub(super) fn is_aligned(offset: u64, buffer: &[u8]) -> bool {
    let numbers = [offset as usize, buffer.len(), buffer.as_ptr().addr()];
    numbers.iter().all(|number| number.is_multiple_of(ALIGNMENT))
}
