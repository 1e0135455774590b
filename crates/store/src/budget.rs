//! The memory for bytes that wait to be read.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes of one unit.
const UNIT: usize = 4 << 10;

/// Memory that many parts share.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    units: Arc<Semaphore>,
    all: usize,
}

/// Memory that a part has, until it is dropped.
pub(crate) type Share = OwnedSemaphorePermit;

impl Budget {
    /// So many bytes.
    pub(crate) fn new(bytes: usize) -> Budget {
        let all = (bytes / UNIT).clamp(1, Semaphore::MAX_PERMITS);
        Budget { units: Arc::new(Semaphore::new(all)), all }
    }

    /// Memory for so many bytes, if it is there at once.
    pub(crate) fn try_take(&self, bytes: usize) -> Option<Share> {
        Arc::clone(&self.units).try_acquire_many_owned(self.units_for(bytes)?).ok()
    }

    /// Memory for so many bytes, once it is there. None if there is never so much.
    pub(crate) async fn take(&self, bytes: usize) -> Option<Share> {
        Arc::clone(&self.units).acquire_many_owned(self.units_for(bytes)?).await.ok()
    }

    fn units_for(&self, bytes: usize) -> Option<u32> {
        // What is kept of an object besides its bytes takes memory, too.
        let units = bytes.div_ceil(UNIT) + 1;
        u32::try_from(units).ok().filter(|_| units <= self.all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_comes_back_when_a_share_is_dropped() {
        let budget = Budget::new(64 << 10);
        let share = budget.try_take(40 << 10).unwrap();
        assert!(budget.try_take(40 << 10).is_none());
        drop(share);
        assert!(budget.try_take(40 << 10).is_some());
        assert!(budget.try_take(64 << 10).is_none(), "more than there is");
    }
}
