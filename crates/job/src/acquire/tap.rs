//! The receiver of the bytes of the source, which passes them on to the writer of the image.

use hashmill_digest::About;
use hashmill_engine::{Cancel, Tap, TapStream};
use hashmill_image::ImageWriter;
use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Passes bytes on to the writer of an image. Clones share it.
#[derive(Clone)]
pub(super) struct ImageTap {
    writer: Arc<Mutex<Option<ImageWriter>>>,
    has_failed: Arc<AtomicBool>,
    cancel: Cancel,
}

impl ImageTap {
    /// Passes bytes on to this writer. If that fails, the run is cancelled.
    pub(super) fn new(writer: ImageWriter, cancel: Cancel) -> ImageTap {
        ImageTap { writer: Arc::new(Mutex::new(Some(writer))), has_failed: Arc::default(), cancel }
    }

    /// Takes the writer. A thread that still reads writes nothing more.
    pub(super) fn take(&self) -> Option<ImageWriter> {
        self.writer.lock().take()
    }

    /// Returns whether writing has failed.
    pub(super) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Acquire)
    }
}

impl fmt::Debug for ImageTap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ImageTap")
    }
}

impl Tap for ImageTap {
    fn open(&self, _about: &About<'_>) -> Box<dyn TapStream> {
        Box::new(self.clone())
    }
}

impl TapStream for ImageTap {
    fn write(&mut self, bytes: &[u8]) {
        if self.has_failed() {
            return;
        }
        if let Some(writer) = &mut *self.writer.lock()
            && writer.write(bytes).is_err()
        {
            self.has_failed.store(true, Ordering::Release);
            self.cancel.set();
        }
    }

    fn end(self: Box<Self>) {}
}
