//! The counters of a run.

use crate::hash::Occupancy;
use crate::{EngineEvent, Trouble};
use hashmill_source::{Device, Policy};
use std::sync::Arc;
use std::time::Duration;

/// The counters of a run. `seen = hashed + skipped + failed` always holds.
#[derive(Debug, Clone, Default)]
pub struct Stats {
    /// Entries found.
    pub seen: u64,
    /// Files that were read whole and did not change meanwhile.
    pub hashed: u64,
    /// Entries left out, each with its reason.
    pub skipped: u64,
    /// Entries that could not be read, or changed.
    pub failed: u64,
    /// Those of the hashed files that were not read, because an earlier manifest has their digests.
    pub reused: u64,
    /// Bytes hashed.
    pub bytes: u64,
    /// Bytes of the reused files, which `bytes` does not include.
    pub bytes_reused: u64,
    /// Time from start to end.
    pub elapsed: Duration,
    /// Time spent listing directories (one thread).
    pub walking: Duration,
    /// Time spent opening and reading, all threads together.
    pub reading: Duration,
    /// Time spent hashing, all threads together.
    pub hashing: Duration,
    /// Time spent in the caller's sink.
    pub writing: Duration,
    /// Time that hashing threads waited for something to read, all together.
    pub waiting_for_files: Duration,
    /// Time that the walk waited for room in the window of unfinished entries.
    pub waiting_for_memory: Duration,
    /// Blocks that multi-lane kernels hashed.
    pub lanes_used: u64,
    /// Blocks that they could have hashed in that time with all lanes full.
    pub lanes_offered: u64,
    /// How cached files were read, by size class.
    pub ways: Vec<WayStats>,
    /// The devices, in the order in which the run met them.
    pub drives: Vec<DriveStats>,
}

/// How one device was read.
#[derive(Debug, Clone)]
pub struct DriveStats {
    /// The device number (`st_dev`); 0 if unknown.
    pub number: u64,
    /// The device's description. `None` if it was not needed: all files were in memory, and no readers were wanted.
    pub device: Option<Arc<Device>>,
    /// The policy; `None` in the same case.
    pub policy: Option<Policy>,
    /// How many probed files were in memory.
    pub warm: u64,
    /// How many probed files were not in memory.
    pub cold: u64,
    /// The maximum number of threads that only read there at the same time.
    pub readers: usize,
}

/// How cached files of similar size were read: copied or mapped, as a trial decided.
#[derive(Debug, Clone)]
pub struct WayStats {
    /// The files were each hashed by all threads together, not beside others.
    pub alone: bool,
    /// The minimum size of these files, in bytes.
    pub from: u64,
    /// The size that they are below; `None` without a limit.
    pub below: Option<u64>,
    /// The number of mapped files, including the trial.
    pub mapped: u64,
    /// Whether the trial chose mapping. `None` if there were too few bytes to decide.
    pub is_mapped: Option<bool>,
    /// The trial's results: bytes per second that one thread reads and hashes if they are copied, and if mapped.
    pub rates: Option<(f64, f64)>,
}

impl Stats {
    pub(crate) fn count(&mut self, event: &EngineEvent) {
        let EngineEvent::Done(outcome) = event else { return };
        self.seen += 1;
        match &outcome.trouble {
            None => {
                self.hashed += 1;
                let size = outcome.record.size.unwrap_or(0);
                let is_reused = outcome.record.is_reused();
                self.reused += u64::from(is_reused);
                *(if is_reused { &mut self.bytes_reused } else { &mut self.bytes }) += size;
            }
            Some(Trouble::Skipped(_)) => self.skipped += 1,
            Some(Trouble::Failed(_)) => self.failed += 1,
        }
    }

    pub(crate) fn add_lanes(&mut self, occupancy: Occupancy) {
        self.lanes_used += occupancy.used;
        self.lanes_offered += occupancy.offered;
    }

    /// Adds another thread's counters.
    pub fn add(&mut self, other: &Stats) {
        self.seen += other.seen;
        self.hashed += other.hashed;
        self.skipped += other.skipped;
        self.failed += other.failed;
        self.reused += other.reused;
        self.bytes += other.bytes;
        self.bytes_reused += other.bytes_reused;
        self.walking += other.walking;
        self.reading += other.reading;
        self.hashing += other.hashing;
        self.writing += other.writing;
        self.waiting_for_files += other.waiting_for_files;
        self.waiting_for_memory += other.waiting_for_memory;
        self.lanes_used += other.lanes_used;
        self.lanes_offered += other.lanes_offered;
        self.ways.extend(other.ways.iter().cloned());
        self.drives.extend(other.drives.iter().cloned());
    }
}
