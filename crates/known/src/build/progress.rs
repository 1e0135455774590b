//! The progress of a build, and how to end it.

use crate::error::{Error, Why};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Digests between two updates of the counters.
const STEP: u64 = 4096;

/// The progress of a build. Other threads read it, and may end the build.
#[derive(Debug, Default)]
pub struct BuildProgress {
    /// Digests that were read from inputs.
    pub read: AtomicU64,
    /// Different digests that were written to the index.
    pub written: AtomicU64,
    cancelled: Arc<AtomicBool>,
}

impl BuildProgress {
    /// The progress of a build that ends soon after this flag is set, as by [`BuildProgress::cancel`].
    pub fn ended_by(flag: Arc<AtomicBool>) -> BuildProgress {
        BuildProgress { cancelled: flag, ..BuildProgress::default() }
    }

    /// Ends the build soon, with [`Why::Cancelled`].
    pub fn cancel(&self) {
        self.cancelled.store(true, Relaxed);
    }

    /// Whether the build is to end.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Relaxed)
    }

    /// Stores a count of `number`, which grew by `more`; fails if the build is cancelled. Does so only now and then.
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
