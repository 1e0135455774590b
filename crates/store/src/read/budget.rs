//! The memory for bytes that wait to be read.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The size of one unit in bytes.
const UNIT: usize = 4 << 10;

/// Sizes of a part in bytes, from the best to the smallest that is worth a request of its own. With 30 ms a request,
/// eight concurrent requests of the largest size fill a line of 1 GB/s.
const PARTS: [usize; 4] = [4 << 20, 1 << 20, 256 << 10, 64 << 10];

/// Memory for objects, in two halves: one for objects that are read side by side, one for objects that are prefetched
/// or read at random. Only the first half is waited for, and only objects that are being read on hold any of it: so
/// nobody waits for memory that only objects queued behind its own give back.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    /// For objects that are read side by side, and that were prepared for that.
    pub(crate) reading: Pool,
    /// For all others.
    pub(crate) ahead: Pool,
    part: usize,
    readers: Arc<AtomicUsize>,
}

/// A count of one object among those that are read side by side, until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn(Arc<AtomicUsize>);

/// Memory that many parts share.
#[derive(Debug, Clone)]
pub(crate) struct Pool {
    units: Arc<Semaphore>,
    all: usize,
}

/// The memory of a part, until it is dropped.
pub(crate) type Share = OwnedSemaphorePermit;

impl Budget {
    /// Divides this many bytes. There is always room for a part.
    pub(crate) fn new(bytes: usize) -> Budget {
        let half = bytes / 2;
        let part = PARTS.into_iter().find(|part| *part <= half).unwrap_or(PARTS[PARTS.len() - 1]);
        let (reading, ahead) = (Pool::new(half.max(part)), Pool::new(half));
        Budget { reading, ahead, part, readers: Arc::default() }
    }

    /// Returns the size of a part of an object that is read in order: the most that one request asks for.
    pub(crate) fn part(&self) -> u64 {
        self.part as u64
    }

    /// Counts one more object that is read.
    pub(crate) fn turn(&self) -> Turn {
        self.readers.fetch_add(1, Ordering::Relaxed);
        Turn(Arc::clone(&self.readers))
    }

    /// Returns whether one more object could have a part in memory beside the part that is read, as all others have.
    pub(crate) fn has_room(&self) -> bool {
        let others = self.readers.load(Ordering::Relaxed);
        others == 0 || (others + 1) * 2 * self.part <= self.reading.bytes()
    }

    /// Returns how many bytes an object may have in flight: its share of the memory.
    pub(crate) fn fair(&self) -> u64 {
        (self.reading.bytes() / self.readers.load(Ordering::Relaxed).max(1)) as u64
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Pool {
    fn new(bytes: usize) -> Pool {
        let all = (bytes / UNIT).clamp(1, Semaphore::MAX_PERMITS);
        Pool { units: Arc::new(Semaphore::new(all)), all }
    }

    /// Takes this many bytes, if they are available at once.
    pub(crate) fn try_take(&self, bytes: u64) -> Option<Share> {
        Arc::clone(&self.units).try_acquire_many_owned(self.units_for(bytes)?).ok()
    }

    /// Returns the size of the pool in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.all * UNIT
    }

    /// Takes this many bytes once they are available. None if the pool is smaller.
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
    fn objects_side_by_side_share_the_memory() {
        let budget = Budget::new(32 << 20);
        let all = budget.fair();
        assert!(all == 16 << 20 && budget.has_room());
        let first = budget.turn();
        assert!(budget.fair() == all && budget.has_room());
        let second = budget.turn();
        assert!(budget.fair() == all / 2 && !budget.has_room(), "a third could have no part ahead");
        drop((first, second));
        assert!(budget.fair() == all && budget.has_room());
        let little = Budget::new(0);
        assert!(little.has_room(), "there is always room for one");
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
