//! The devices of a run: whether reads hit the page cache, how many threads read, and whether only one may.
//!
//! The system is asked about a device only when a file there is not in memory, so a run over cached files does not pay
//! for it.

use super::scaler::ReaderScaler;
use crate::{DriveStats, Prefetch};
use hashmill_source::{Device, Devices, Policy};
use parking_lot::Mutex;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// After this many cached files in a row, a device counts as cached again.
const WARM: u32 = 16;

#[derive(Debug)]
pub(crate) struct DeviceStates {
    states: Mutex<Vec<Arc<DeviceState>>>,
    devices: Devices,
    prefetch: Prefetch,
}

#[derive(Debug)]
pub(crate) struct DeviceState {
    /// The device number (`st_dev`).
    pub(crate) number: u64,
    /// The system's description, once it was asked for.
    known: OnceLock<Known>,
    /// How many of the probed files were not in memory, and how many were.
    cold: AtomicU64,
    warm: AtomicU64,
    warm_in_a_row: AtomicU32,
    /// Threads that read ahead now, and the maximum so far.
    running: AtomicUsize,
    peak: AtomicUsize,
    growth: Mutex<Option<Growth>>,
}

/// The system's description of a device, and its policy.
#[derive(Debug)]
struct Known {
    device: Arc<Device>,
    policy: Policy,
}

#[derive(Debug)]
struct Growth {
    scaler: ReaderScaler,
    last: Instant,
}

impl DeviceStates {
    pub(crate) fn new(prefetch: Prefetch) -> Self {
        DeviceStates { states: Mutex::default(), devices: Devices::default(), prefetch }
    }

    /// Returns the device with this number.
    pub(crate) fn get(&self, number: u64) -> Arc<DeviceState> {
        let mut states = self.states.lock();
        if let Some(state) = states.iter().find(|state| state.number == number) {
            return Arc::clone(state);
        }
        let state = Arc::new(DeviceState::new(number));
        states.push(Arc::clone(&state));
        state
    }

    /// Returns the counters of each device, in the order in which the run met them.
    pub(crate) fn stats(&self) -> Vec<DriveStats> {
        self.states.lock().iter().map(|state| state.stats()).collect()
    }

    /// Whether threads should read ahead there: the plan says so, or recent reads missed the page cache.
    pub(crate) fn wants_readers(&self, device: &DeviceState) -> bool {
        match self.prefetch {
            Prefetch::Auto => device.is_cold(),
            Prefetch::Fixed(readers) => readers > 0,
        }
    }

    /// Whether only one thread at a time may read there, if that is known yet.
    pub(crate) fn has_one_reader(&self, device: &DeviceState) -> bool {
        match self.prefetch {
            Prefetch::Auto => device.is_cold() && device.known.get().is_some_and(|known| known.policy.alone),
            Prefetch::Fixed(readers) => readers == 1,
        }
    }

    /// Returns the policy for the device that holds this file.
    pub(crate) fn policy(&self, device: &DeviceState, path: &[u8]) -> Policy {
        let known = device.known.get_or_init(|| {
            let found = self.devices.device(device.number, path);
            let policy = self.prefetch.policy(&found);
            Known { device: found, policy }
        });
        known.policy
    }
}

impl DeviceState {
    fn new(number: u64) -> Self {
        DeviceState {
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
    pub(crate) fn note_cached(&self, cached: bool) {
        if cached {
            self.warm.fetch_add(1, Ordering::Relaxed);
            self.warm_in_a_row.fetch_add(1, Ordering::Relaxed);
        } else {
            self.cold.fetch_add(1, Ordering::Relaxed);
            self.warm_in_a_row.store(0, Ordering::Relaxed);
        }
    }

    /// Whether recent reads missed the page cache.
    pub(crate) fn is_cold(&self) -> bool {
        self.cold.load(Ordering::Relaxed) > 0 && self.warm_in_a_row.load(Ordering::Relaxed) < WARM
    }

    /// Counts the readers that the policy wants and that are missing. The caller starts them, with these ranks.
    pub(crate) fn start_missing(&self, policy: &Policy) -> Range<usize> {
        let mut growth = self.growth.lock();
        let growth = growth.get_or_insert_with(|| Growth {
            scaler: ReaderScaler::new(policy.least, policy.most),
            last: Instant::now(),
        });
        let wanted = growth.scaler.now();
        let running = self.running.load(Ordering::Relaxed);
        let missing = wanted.saturating_sub(running);
        self.running.fetch_add(missing, Ordering::Relaxed);
        self.peak.fetch_max(running + missing, Ordering::Relaxed);
        running..running + missing
    }

    /// Counts requests that readers completed.
    pub(crate) fn count_requests(&self, requests: u64) {
        if let Some(growth) = &mut *self.growth.lock() {
            let spent = growth.last.elapsed();
            growth.last = Instant::now();
            growth.scaler.observe(requests, spent.min(Duration::from_secs(1)));
        }
    }

    /// Whether the reader of this rank should end. The last to start end first, so that they don't all end at once.
    pub(crate) fn has_enough_without(&self, rank: usize, devices: &DeviceStates) -> bool {
        let wanted = self.growth.lock().as_ref().map_or(0, |growth| growth.scaler.now());
        !devices.wants_readers(self) || rank >= wanted
    }

    /// Notes that a reader has ended.
    pub(crate) fn reader_ended(&self) {
        self.running.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_cold_until_many_files_are_in_memory() {
        let device = DeviceState::new(1);
        device.note_cached(true);
        assert!(!device.is_cold());
        device.note_cached(false);
        (1..WARM).for_each(|_| device.note_cached(true));
        assert!(device.is_cold());
        device.note_cached(true);
        assert!(!device.is_cold());
    }
}
