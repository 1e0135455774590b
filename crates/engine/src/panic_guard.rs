//! What happens when a thread of a run panics.

use crate::shared::Shared;

/// Every thread of a run holds one. If the thread panics, the run ends: the others would wait for it forever.
pub(crate) struct PanicGuard<'a>(pub(crate) &'a Shared);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.thread_panicked();
        }
    }
}
