//! What happens when a thread of a run panics.

use crate::shared::Shared;

/// Held by every thread of a run: if it panics, the run ends, because the others would wait for what never comes.
pub(crate) struct Alarm<'a>(pub(crate) &'a Shared);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fall();
        }
    }
}
