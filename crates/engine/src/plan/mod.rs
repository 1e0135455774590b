//! The values to compute, and the way to do it.

pub(crate) mod saving;
pub(crate) mod scanning;

use crate::Tap;
use crate::hash::HashSpec;
use hashmill_digest::Algorithm;
use hashmill_facts::{FactSet, Signatures};
use hashmill_similar::Similar;
use hashmill_source::{Device, Policy, Problem, ReadOrder, Reading};
use saving::Saver;
use scanning::Scanning;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The values to compute, and the way to do it.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The digests of each record, in this order.
    pub algorithms: Vec<&'static Algorithm>,
    /// The likeness digests of each record, in this order. At least one of the two lists is not empty.
    pub likeness: Vec<&'static Similar>,
    /// The facts of each record.
    pub facts: FactSet,
    /// The scanner of whole files, if rules are among the facts. Its memory is not a part of [`Plan::memory`].
    pub scanning: Option<Arc<Scanning>>,
    /// The signatures of PRONOM; needed for [`Fact::Puid`](hashmill_facts::Fact::Puid).
    pub pronom: Option<Arc<Signatures>>,
    /// Keep the digests of leaves with digests folded from leaves, see [`hashmill_digest::leaves::Leaves::kept_bytes`].
    pub leaves: bool,
    /// Hash every piece of this many bytes. Each piece has its own record.
    pub piece: Option<NonZeroU64>,
    /// Hash the whole file.
    pub whole: bool,
    /// The number of hashing threads.
    pub threads: NonZeroUsize,
    /// The maximum number of bytes of file data in buffers, for all threads together.
    pub memory: usize,
    /// The number of threads that only read.
    pub prefetch: Prefetch,
    /// The way to read files.
    pub reading: Reading,
    /// The order of results.
    pub order: Order,
    /// Keeps the states of long remote files, if another run may go on with them.
    pub saving: Option<Arc<dyn Saver>>,
    /// Receives the bytes of whole files as they are hashed. A plan with one has no pieces, and saves no states.
    pub tap: Option<Arc<dyn Tap>>,
    /// The flag that stops the run.
    pub cancel: Cancel,
}

impl Plan {
    /// Returns whether hashing takes far longer than reading, needs much memory for each stream, and gains nothing from
    /// several.
    pub(crate) fn is_slow(&self) -> bool {
        self.scanning.is_some() || HashSpec::all(self).any(|spec| spec.is_slow())
    }

    /// Returns the reason to refuse a file of this size: it has more leaves than the system behind a digest allows, or
    /// than memory can keep.
    pub(crate) fn refuses(&self, size: u64) -> Option<Problem> {
        let leaves =
            || self.algorithms.iter().filter_map(|algorithm| Some((algorithm.name, algorithm.leaves?)));
        let many = leaves().find_map(|(name, leaves)| {
            let (most, count) = (leaves.most?, leaves.count(size));
            let least = size.div_ceil(most).next_multiple_of(1 << 20) >> 20;
            let why = format!(
                "{name}: {size} bytes are {count} parts, and at most {most} are allowed; use parts of at least {least}M"
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

/// The share of memory for the leaves of one file: one part in this many.
const KEPT_PART: usize = 4;

/// The maximum bytes of leaves of one file: as text they still fit into a line of a manifest.
const MOST_KEPT: usize = 64 << 20;

/// The number of threads that only read, per device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prefetch {
    /// As many as suit the device; none while the files are in memory.
    #[default]
    Auto,
    /// This many. With 0, every thread reads the bytes that it hashes. With 1, only that thread reads from the device,
    /// one file after another in disk order.
    Fixed(usize),
}

impl Prefetch {
    /// Returns the policy for a device whose files are not in memory.
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

/// The order of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The order of the walk, which is the same in every run.
    Walk,
    /// The order in which they finish.
    Any,
}

/// A flag, shared by all clones, that stops a run.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the run to stop.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns the flag itself, for crates below this one.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// Whether the run was asked to stop.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
