//! What to compute, and how.

use hashloom_digest::Algorithm;
use hashloom_similar::Similar;
use hashloom_source::{Device, Policy, Problem, ReadOrder, Reading};
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What to compute, and how.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The digests of each record, in this order.
    pub algorithms: Vec<&'static Algorithm>,
    /// The likeness digests of each record, in this order. At least one of the two lists is not empty.
    pub likeness: Vec<&'static Similar>,
    /// Keep the digests of leaves beside digests that are leaves and a fold, see
    /// [`hashloom_digest::leaves::Leaves::kept_bytes`].
    pub leaves: bool,
    /// Hash every piece of this many bytes. Each piece has a record of its own.
    pub piece: Option<NonZeroU64>,
    /// Hash the whole file.
    pub whole: bool,
    /// Threads that hash.
    pub threads: NonZeroUsize,
    /// The most bytes of file data that are buffered, all threads together.
    pub memory: usize,
    /// Threads that only read.
    pub prefetch: Prefetch,
    /// How files are read.
    pub reading: Reading,
    /// In which order results come.
    pub order: Order,
    /// Stops the run soon after it is set.
    pub cancel: Cancel,
}

impl Plan {
    /// Why there is no digest of a file of so many bytes: it has more leaves than the system which defines a digest takes,
    /// or than there is memory to keep.
    pub(crate) fn refuses(&self, size: u64) -> Option<Problem> {
        let leaves =
            || self.algorithms.iter().filter_map(|algorithm| Some((algorithm.name, algorithm.leaves?)));
        let many = leaves().find_map(|(name, leaves)| {
            let (most, count) = (leaves.most?, leaves.count(size));
            let least = size.div_ceil(most).next_multiple_of(1 << 20) >> 20;
            let why = format!(
                "{name}: {size} bytes are {count} parts, and at most {most} are allowed; parts of {least}M would do"
            );
            (count > most).then_some(why)
        });
        let kept = || {
            let most = (self.memory / KEPT_PART).min(MOST_KEPT) as u64;
            let kept: u64 = leaves().map(|(_, leaves)| leaves.kept_count(size) * leaves.digest as u64).sum();
            let why = format!(
                "the leaves of {size} bytes take {kept} bytes, and at most {most} are kept (a quarter of -m, no more than 64M)"
            );
            (self.leaves && kept > most).then_some(why)
        };
        many.or_else(kept).map(|why| Problem::Refused { why: why.into() })
    }
}

/// The leaves of one file may take this fraction of the memory: one in so many.
const KEPT_PART: usize = 4;

/// The most bytes of leaves of one file: as text they still fit into a line of a manifest.
const MOST_KEPT: usize = 64 << 20;

/// How many threads only read, on each device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prefetch {
    /// As many as suit the device; none while the files are in memory.
    #[default]
    Auto,
    /// So many. With 0, every thread reads what it hashes. A single one is the only thread that reads from a device, and
    /// reads in the order of the disk, one file after another.
    Fixed(usize),
}

impl Prefetch {
    /// How to read a device whose files are not in memory.
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

/// In which order results come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// As the walk met the entries: the same in every run.
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

    /// The flag itself, for work below this crate.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// Whether the end was asked for.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
