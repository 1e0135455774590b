//! Counters of a job over images.

use hashmill_engine::{Cancel, Live};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// Counters of a job over images, and the flag that ends it.
pub(super) struct Progress {
    pub(super) live: Arc<Live>,
    cancel: Cancel,
    /// The number of bytes of the images before the current one.
    before: u64,
}

impl Progress {
    /// Makes the counters for this number of images, which have this number of bytes together.
    pub(super) fn new(cancel: Cancel, images: u64, bytes: u64) -> Progress {
        let live = Arc::new(Live::default());
        live.files_met.store(images, Relaxed);
        live.bytes_met.store(bytes, Relaxed);
        live.walked.store(true, Relaxed);
        Progress { live, cancel, before: 0 }
    }

    /// Records how many bytes of the current image are done. Returns whether to go on.
    pub(super) fn note(&self, done: u64) -> ControlFlow<()> {
        self.live.bytes_done.store(self.before + done, Relaxed);
        if self.cancel.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Records that an image is done.
    pub(super) fn next(&mut self, bytes: u64) {
        self.before += bytes;
        Live::add(&self.live.files_done, 1);
    }
}
