//! Devices as a run meets them: whether what is read there comes from memory, how many threads read
//! there, and whether only one may.
//!
//! Nothing is asked about a device until a file turns out not to be in memory: a run over cached files
//! costs no look at the system.

use crate::depth::Depth;
use crate::plan::{Plan, Prefetch};
use crate::stats::DriveStats;
use hashloom_source::{Device, Devices, Policy};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Samples in a row that were in memory, after which a device counts as cached again.
const WARM: u32 = 16;

/// All devices of a run.
#[derive(Debug)]
pub(crate) struct Drives {
    drives: Mutex<Vec<Arc<Drive>>>,
    devices: Devices,
    prefetch: Prefetch,
}

/// One device.
#[derive(Debug)]
pub(crate) struct Drive {
    /// Its number, as `stat` tells it.
    pub(crate) number: u64,
    /// What is known of it, once that was asked.
    known: OnceLock<Known>,
    /// Files that were not in memory, of those that were looked at; and those that were.
    cold: AtomicU64,
    warm: AtomicU64,
    warm_in_a_row: AtomicU32,
    /// Threads that read ahead there now, and the most there ever were.
    running: AtomicUsize,
    peak: AtomicUsize,
    growth: Mutex<Option<Growth>>,
}

/// What was found out about a device.
#[derive(Debug)]
struct Known {
    device: Arc<Device>,
    policy: Policy,
}

#[derive(Debug)]
struct Growth {
    depth: Depth,
    last: Instant,
}

impl Drives {
    pub(crate) fn new(plan: &Plan) -> Self {
        Drives { drives: Mutex::default(), devices: Devices::default(), prefetch: plan.prefetch }
    }

    /// The device with this number.
    pub(crate) fn get(&self, number: u64) -> Arc<Drive> {
        let mut drives = self.lock();
        if let Some(drive) = drives.iter().find(|drive| drive.number == number) {
            return Arc::clone(drive);
        }
        let drive = Arc::new(Drive::new(number));
        drives.push(Arc::clone(&drive));
        drive
    }

    /// What was seen of each device, in the order in which they were met.
    pub(crate) fn stats(&self) -> Vec<DriveStats> {
        self.lock().iter().map(|drive| drive.stats()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Drive>>> {
        self.drives.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether readers are called for: they were asked for, or files there are not in memory.
    pub(crate) fn is_wanted(&self, drive: &Drive) -> bool {
        match self.prefetch {
            Prefetch::Auto => drive.is_cold(),
            Prefetch::Fixed(readers) => readers > 0,
        }
    }

    /// Whether only one thread at a time may read there, as far as that is known.
    pub(crate) fn is_alone(&self, drive: &Drive) -> bool {
        match self.prefetch {
            Prefetch::Auto => drive.is_cold() && drive.known.get().is_some_and(|known| known.policy.alone),
            Prefetch::Fixed(readers) => readers == 1,
        }
    }

    /// How a device that holds this file is to be read.
    pub(crate) fn policy(&self, drive: &Drive, path: &[u8]) -> Policy {
        let known = drive.known.get_or_init(|| {
            let device = self.devices.of(drive.number, path);
            let policy = self.prefetch.policy(&device);
            Known { device, policy }
        });
        known.policy
    }
}

impl Drive {
    fn new(number: u64) -> Self {
        Drive {
            number,
            known: OnceLock::new(),
            cold: AtomicU64::new(0),
            warm: AtomicU64::new(0),
            warm_in_a_row: AtomicU32::new(0),
            running: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            growth: Mutex::default(),
        }
    }

    fn stats(&self) -> DriveStats {
        let known = self.known.get();
        DriveStats {
            number: self.number,
            device: known.map(|known| Arc::clone(&known.device)),
            policy: known.map(|known| known.policy),
            warm: self.warm.load(Ordering::Relaxed),
            cold: self.cold.load(Ordering::Relaxed),
            readers: self.peak.load(Ordering::Relaxed),
        }
    }

    /// Notes whether a file was in memory.
    pub(crate) fn saw(&self, cached: bool) {
        if cached {
            self.warm.fetch_add(1, Ordering::Relaxed);
            self.warm_in_a_row.fetch_add(1, Ordering::Relaxed);
        } else {
            self.cold.fetch_add(1, Ordering::Relaxed);
            self.warm_in_a_row.store(0, Ordering::Relaxed);
        }
    }

    /// Whether what is read now comes from the device, as far as was seen.
    pub(crate) fn is_cold(&self) -> bool {
        self.cold.load(Ordering::Relaxed) > 0 && self.warm_in_a_row.load(Ordering::Relaxed) < WARM
    }

    /// The ranks of the readers to start now, so that there are as many as the policy wants.
    pub(crate) fn missing(&self, policy: &Policy) -> Range<usize> {
        let mut growth = self.lock();
        let growth = growth.get_or_insert_with(|| Growth {
            depth: Depth::new(policy.least, policy.most),
            last: Instant::now(),
        });
        let wanted = growth.depth.now();
        let running = self.running.load(Ordering::Relaxed);
        let missing = wanted.saturating_sub(running);
        self.running.fetch_add(missing, Ordering::Relaxed);
        self.peak.fetch_max(running + missing, Ordering::Relaxed);
        running..running + missing
    }

    /// Counts requests that the readers got done.
    pub(crate) fn read(&self, requests: u64) {
        if let Some(growth) = &mut *self.lock() {
            let spent = growth.last.elapsed();
            growth.last = Instant::now();
            growth.depth.observe(requests, spent.min(Duration::from_secs(1)));
        }
    }

    /// Whether the reader of this rank should end. The last to come are the first to go, so that not all
    /// see at the same moment that they are too many.
    pub(crate) fn has_enough_without(&self, rank: usize, drives: &Drives) -> bool {
        let wanted = self.lock().as_ref().map_or(0, |growth| growth.depth.now());
        !drives.is_wanted(self) || rank >= wanted
    }

    /// A reader has ended.
    pub(crate) fn left(&self) {
        self.running.fetch_sub(1, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, Option<Growth>> {
        self.growth.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_cold_until_much_of_it_is_in_memory() {
        let drive = Drive::new(1);
        drive.saw(true);
        assert!(!drive.is_cold());
        drive.saw(false);
        (1..WARM).for_each(|_| drive.saw(true));
        assert!(drive.is_cold());
        drive.saw(true);
        assert!(!drive.is_cold());
    }
}
