//! The progress of a build, and its cancellation.

use crate::error::{Error, Why};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// The number of digests between two updates of the counters.
const STEP: u64 = 4096;

/// The progress of a build. Other threads can read it, and cancel the build.
#[derive(Debug, Default)]
pub struct BuildProgress {
    /// The number of digests read from inputs.
    pub read: AtomicU64,
    /// The number of different digests written to the index.
    pub written: AtomicU64,
    cancelled: Arc<AtomicBool>,
}

impl BuildProgress {
    /// Returns the progress of a build that is cancelled when this flag is set.
    pub fn ended_by(flag: Arc<AtomicBool>) -> BuildProgress {
        BuildProgress { cancelled: flag, ..BuildProgress::default() }
    }

    /// Cancels the build, which ends soon with [`Why::Cancelled`].
    pub fn cancel(&self) {
        self.cancelled.store(true, Relaxed);
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Relaxed)
    }

    /// Stores a count of `number`, which grew by `more`; fails if the build is cancelled. Acts only every [`STEP`]
    /// digests.
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
