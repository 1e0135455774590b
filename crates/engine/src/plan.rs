//! What to compute, and with what means.

use hashloom_digest::Algorithm;
use hashloom_similar::Similar;
use hashloom_source::{Device, Policy, ReadOrder, Reading};
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What to compute, and with what means.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The digests of each record, in this order.
    pub algorithms: Vec<&'static Algorithm>,
    /// The likeness digests of each record, in this order. Of the two lists one at least is not empty.
    pub likeness: Vec<&'static Similar>,
    /// Hash every piece of this many bytes, each with a record of its own.
    pub piece: Option<NonZeroU64>,
    /// Also (or only) hash the whole file.
    pub whole: bool,
    /// Threads that hash.
    pub threads: NonZeroUsize,
    /// The most bytes of file data that are buffered, all threads together.
    pub memory: usize,
    /// Threads that only read.
    pub prefetch: Prefetch,
    /// How files are read.
    pub reading: Reading,
    /// In which order outcomes come.
    pub order: Order,
    /// Stops the run soon after it is set.
    pub cancel: Cancel,
}

/// How many threads only read, on each device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prefetch {
    /// As many as suit the device, and none while the files are in memory.
    #[default]
    Auto,
    /// So many. With none every thread reads what it hashes. A single one is the only thread that reads
    /// from a device, and does so in the order of the disk, one file after another.
    Fixed(usize),
}

impl Prefetch {
    /// How a device is to be read whose files are not in memory.
    pub fn policy(self, device: &Device) -> Policy {
        match self {
            Prefetch::Auto => device.policy(),
            Prefetch::Fixed(1) => Policy { least: 1, most: 1, order: ReadOrder::Disk, alone: true },
            Prefetch::Fixed(readers) => {
                Policy { least: readers, most: readers, order: ReadOrder::Path, alone: false }
            }
        }
    }
}

/// In which order outcomes come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// As the entries came: the same every run.
    Walk,
    /// As they finish.
    Any,
}

/// A flag, shared by all clones, that stops a run.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks for the end.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the end was asked for.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
