//! How far a build is.

use crate::error::{Error, Why};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// How often the counters are told of, in digests.
const STEP: u64 = 4096;

/// How far a build is, for other threads to look at; and how they end it.
#[derive(Debug, Default)]
pub struct Live {
    /// Digests that were read from inputs.
    pub read: AtomicU64,
    /// Different digests that were written to the index.
    pub written: AtomicU64,
    cancelled: AtomicBool,
}

impl Live {
    /// Has the build end soon, with [`Why::Cancelled`].
    pub fn cancel(&self) {
        self.cancelled.store(true, Relaxed);
    }

    /// Whether the build is to end.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Relaxed)
    }

    /// Counts `more` digests, which make it `number`; now and then looks whether to go on.
    #[inline]
    pub(crate) fn step(
        &self,
        counter: &AtomicU64,
        number: u64,
        more: u64,
        target: &Path,
    ) -> Result<(), Error> {
        if number / STEP == (number - more) / STEP {
            return Ok(());
        }
        counter.store(number, Relaxed);
        if self.is_cancelled() { Err(Error::new(target, Why::Cancelled)) } else { Ok(()) }
    }
}
