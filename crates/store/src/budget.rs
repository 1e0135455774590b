//! The memory for bytes that wait to be read.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes of one unit.
const UNIT: usize = 4 << 10;

/// Bytes of a part, from the best down to the least that is worth a request of its own. With a request in 30 ms, eight
/// of the first kind side by side fill a line of 1 GB/s.
const PARTS: [usize; 4] = [4 << 20, 1 << 20, 256 << 10, 64 << 10];

/// Memory for objects: one half for those that are read, one for those that are asked for before. So a reader never waits
/// for memory that only objects behind its own give back.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    /// For objects that are read.
    pub(crate) reading: Pool,
    /// For objects that were announced, and that nobody reads yet.
    pub(crate) ahead: Pool,
    part: usize,
}

/// Memory that many parts share.
#[derive(Debug, Clone)]
pub(crate) struct Pool {
    units: Arc<Semaphore>,
    all: usize,
}

/// Memory that a part has, until it is dropped.
pub(crate) type Share = OwnedSemaphorePermit;

impl Budget {
    /// Divides so many bytes. There is always room for a part.
    pub(crate) fn new(bytes: usize) -> Budget {
        let half = bytes / 2;
        let part = PARTS.into_iter().find(|part| *part <= half).unwrap_or(PARTS[PARTS.len() - 1]);
        Budget { reading: Pool::new(half.max(part)), ahead: Pool::new(half), part }
    }

    /// Bytes of a part of an object that is read in order: the most that one request asks for.
    pub(crate) fn part(&self) -> u64 {
        self.part as u64
    }
}

impl Pool {
    fn new(bytes: usize) -> Pool {
        let all = (bytes / UNIT).clamp(1, Semaphore::MAX_PERMITS);
        Pool { units: Arc::new(Semaphore::new(all)), all }
    }

    /// Takes so many bytes, if they are there at once.
    pub(crate) fn try_take(&self, bytes: u64) -> Option<Share> {
        Arc::clone(&self.units).try_acquire_many_owned(self.units_for(bytes)?).ok()
    }

    /// Takes so many bytes if half of the memory is left then, for objects that are opened later.
    pub(crate) fn try_spare(&self, bytes: u64) -> Option<Share> {
        let left = self.units.available_permits().checked_sub(self.units_for(bytes)? as usize)?;
        if left >= self.all / 2 { self.try_take(bytes) } else { None }
    }

    /// Takes so many bytes once they are there. None if there are never so many.
    pub(crate) async fn take(&self, bytes: u64) -> Option<Share> {
        Arc::clone(&self.units).acquire_many_owned(self.units_for(bytes)?).await.ok()
    }

    fn units_for(&self, bytes: u64) -> Option<u32> {
        let units = bytes.div_ceil(UNIT as u64).max(1);
        u32::try_from(units).ok().filter(|units| *units as usize <= self.all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_comes_back_when_a_share_is_dropped() {
        let pool = Pool::new(64 << 10);
        let share = pool.try_take(40 << 10).unwrap();
        assert!(pool.try_take(40 << 10).is_none());
        drop(share);
        assert!(pool.try_take(40 << 10).is_some());
        assert!(pool.try_take(65 << 10).is_none(), "more than there is");
    }

    #[test]
    fn half_of_the_memory_is_kept_from_those_who_have_some() {
        let pool = Pool::new(64 << 10);
        let share = pool.try_spare(32 << 10);
        assert!(share.is_some() && pool.try_spare(4 << 10).is_none());
        assert!(pool.try_take(32 << 10).is_some());
    }

    #[test]
    fn there_is_room_for_a_part_however_little_memory_there_is() {
        for (bytes, part) in [(128 << 20, 4 << 20), (8 << 20, 4 << 20), (4 << 20, 1 << 20), (0, 64 << 10)] {
            let budget = Budget::new(bytes);
            assert_eq!(budget.part(), part);
            assert!(budget.reading.try_take(part).is_some());
        }
    }
}
