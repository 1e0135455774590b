//! Progress of a run over images, and the signal that ends it.

use crate::options::report::Progress;
use crate::output::Output;
use crate::progress::Heartbeat;
use crate::signal;
use hashloom_engine::{Cancel, Live};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// A run over the media of images: its progress, and the signal that ends it.
pub(super) struct Watch {
    live: Arc<Live>,
    cancel: Cancel,
    /// Bytes of the images before this one.
    before: u64,
    _heartbeat: Heartbeat,
}

impl Watch {
    /// Starts it for images that have so many bytes together; `output` is flushed meanwhile.
    pub fn start(progress: Progress, output: &Output, images: u64, bytes: u64) -> anyhow::Result<Watch> {
        let (live, cancel) = (Arc::new(Live::default()), Cancel::default());
        signal::watch(cancel.clone(), output.clone())?;
        live.files_met.store(images, Relaxed);
        live.bytes_met.store(bytes, Relaxed);
        live.walked.store(true, Relaxed);
        let heartbeat = Heartbeat::start(progress, Arc::clone(&live), output.clone());
        Ok(Watch { live, cancel, before: 0, _heartbeat: heartbeat })
    }

    /// Notes how many bytes of this image are done; the answer is whether to go on.
    pub fn note(&self, done: u64) -> ControlFlow<()> {
        self.live.bytes_done.store(self.before + done, Relaxed);
        if self.cancel.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// An image is done.
    pub fn next(&mut self, bytes: u64) {
        self.before += bytes;
        Live::add(&self.live.files_done, 1);
    }
}
