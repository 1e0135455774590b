//! Ends the run when one of its threads panics.

use super::Shared;

/// A guard in every thread of a run. If the thread panics, it ends the run, since the others would wait forever.
pub(crate) struct PanicGuard<'a>(pub(crate) &'a Shared);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.thread_panicked();
        }
    }
}
