//! One hasher for each value of the plan, and streams that run through all of them.

use super::hasher::{Occupancy, StreamHasher};
use super::scan::ScanHasher;
use super::spec::HashSpec;
use super::tap::TapHasher;
use super::value::DigestValues;
use crate::Plan;
use hashmill_digest::{About, Slot, StreamPart};
use hashmill_facts::Fact;

/// The slots of one stream in all hashers.
#[derive(Debug)]
pub(crate) struct StreamSlots(Vec<Slot>);

/// The next bytes of a stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Feed<'a> {
    pub(crate) stream: &'a StreamSlots,
    pub(crate) bytes: &'a [u8],
    pub(crate) last: bool,
}

/// One hasher for each value of the plan, and one for its tap.
pub(crate) struct Hashers {
    hashers: Vec<Box<dyn StreamHasher>>,
    digests: usize,
    likeness: usize,
    slow: bool,
    sizes: bool,
    /// Whether the last bytes of streams are kept, which takes less where they are known to be.
    ends: bool,
    specs: Vec<HashSpec>,
}

impl Hashers {
    pub(crate) fn new(plan: &Plan) -> Self {
        let scan = plan.scanning.iter().map(|scan| Box::new(ScanHasher::new(scan)) as Box<dyn StreamHasher>);
        let tap = plan.tap.iter().map(|tap| Box::new(TapHasher::new(tap)) as Box<dyn StreamHasher>);
        Hashers {
            hashers: HashSpec::all(plan).map(HashSpec::for_many).chain(scan).chain(tap).collect(),
            digests: plan.algorithms.len(),
            likeness: plan.likeness.len(),
            slow: plan.is_slow(),
            sizes: HashSpec::all(plan).any(|spec| spec.wants_size()),
            ends: plan.facts.has(Fact::Type) || plan.facts.has(Fact::Puid),
            specs: HashSpec::all(plan).collect(),
        }
    }

    /// Returns how many long streams are best hashed side by side. With a slow hasher, which takes one stream after
    /// another, lanes don't matter.
    pub(crate) fn lanes(&self) -> usize {
        if self.slow {
            return 1;
        }
        self.hashers.iter().map(|hasher| hasher.lanes()).max().unwrap_or(1)
    }

    /// Returns the ratio of a file's hashing time beside others, with all lanes full, to its time alone.
    pub(crate) fn slowdown(&self) -> f64 {
        let paces = self.hashers.iter().filter_map(|hasher| hasher.pace());
        let sum = paces.fold([0.0, 0.0], |sum, pace| [sum[0] + pace.alone, sum[1] + pace.beside]);
        if sum[0] > 0.0 { sum[1] / sum[0] } else { 1.0 }
    }

    pub(crate) fn occupancy(&self) -> Occupancy {
        self.hashers.iter().map(|hasher| hasher.occupancy()).sum()
    }

    /// Whether it helps to know the length of a stream in advance.
    pub(crate) fn wants_sizes(&self) -> bool {
        self.slow || self.sizes || self.ends
    }

    /// Whether a digest can't start before the length of its stream is known.
    pub(crate) fn needs_sizes(&self) -> bool {
        self.sizes
    }

    /// Whether all values are folded from leaves, and those of a file of this size fill the lanes without other files.
    pub(crate) fn fills_lanes(&self, bytes: u64) -> bool {
        let about = About::sized(Some(bytes));
        let units = self.specs.iter().map(|spec| spec.leaf_unit(&about)).collect::<Option<Vec<_>>>();
        let longest = units.and_then(|units| units.into_iter().max());
        longest.is_some_and(|leaf| bytes / leaf >= self.lanes() as u64)
    }

    /// Opens a stream in all hashers.
    pub(crate) fn open(&mut self, about: &About<'_>) -> StreamSlots {
        StreamSlots(self.hashers.iter_mut().map(|hasher| hasher.open(about)).collect())
    }

    /// Hashes the batch with one hasher after the other, so that each finds the bytes in the cache.
    pub(crate) fn update(&mut self, batch: &[Feed<'_>]) {
        let mut parts = Vec::with_capacity(batch.len());
        for (row, hasher) in self.hashers.iter_mut().enumerate() {
            parts.clear();
            parts.extend(batch.iter().map(|feed| StreamPart {
                slot: feed.stream.0[row],
                bytes: feed.bytes,
                last: feed.last,
            }));
            hasher.update(&parts);
        }
    }

    pub(crate) fn close(&mut self, stream: StreamSlots) -> DigestValues {
        let mut digests = DigestValues::with_room(self.digests, self.likeness);
        let slots = self.hashers.iter_mut().zip(stream.0);
        slots.for_each(|(hasher, slot)| digests.push(hasher.close(slot)));
        digests
    }

    pub(crate) fn abandon(&mut self, stream: StreamSlots) {
        self.hashers.iter_mut().zip(stream.0).for_each(|(hasher, slot)| hasher.abandon(slot));
    }
}
