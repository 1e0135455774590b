//! One bank for each algorithm of the plan, and the streams that run through all of them, and through the
//! likeness hashes beside them.

use crate::Plan;
use crate::event::{Digests, named};
use crate::kin::Kin;
use hashloom_digest::{Algorithm, Bank, Part, Slot};

/// One message, open in every bank, and its place among the likeness hashes.
#[derive(Debug)]
pub(crate) struct Stream(Vec<Slot>, usize);

/// Bytes of one stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Feed<'a> {
    pub(crate) stream: &'a Stream,
    pub(crate) bytes: &'a [u8],
    pub(crate) last: bool,
}

/// One bank for each algorithm of the plan.
pub(crate) struct Banks {
    rows: Vec<(&'static Algorithm, Box<dyn Bank>)>,
    kin: Kin,
}

impl Banks {
    pub(crate) fn new(plan: &Plan) -> Self {
        let rows = plan.algorithms.iter().map(|algorithm| (*algorithm, (algorithm.bank)()));
        Banks { rows: rows.collect(), kin: Kin::new(&plan.likeness) }
    }

    /// How many long streams are best hashed side by side: a bank whose streams are as fast alone has no
    /// use for company. Likeness hashes take far longer than any bank, and one stream after another.
    pub(crate) fn lanes(&self) -> usize {
        if !self.kin.is_empty() {
            return 1;
        }
        let wide = self.rows.iter().filter(|(_, bank)| bank.pace().beside > bank.pace().alone);
        wide.map(|(_, bank)| bank.lanes()).max().unwrap_or(1)
    }

    /// How much longer a file takes beside others, with all lanes full, than alone.
    pub(crate) fn slowdown(&self) -> f64 {
        let paces = self.rows.iter().map(|(_, bank)| bank.pace());
        let sum = paces.fold([0.0, 0.0], |sum, pace| [sum[0] + pace.alone, sum[1] + pace.beside]);
        if sum[0] > 0.0 { sum[1] / sum[0] } else { 1.0 }
    }

    /// Blocks hashed in lanes, and blocks that the lanes could have hashed in that time.
    pub(crate) fn occupancy(&self) -> (u64, u64) {
        let counts = self.rows.iter().map(|(_, bank)| bank.occupancy());
        counts.fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1))
    }

    /// Whether it is worth while to know how long a stream will be.
    pub(crate) fn wants_sizes(&self) -> bool {
        !self.kin.is_empty()
    }

    /// Opens a stream; of so many bytes, if that is known.
    pub(crate) fn open(&mut self, size: Option<u64>) -> Stream {
        Stream(self.rows.iter_mut().map(|(_, bank)| bank.open()).collect(), self.kin.open(size))
    }

    /// Hashes the batch by one algorithm after the other, so that each finds the bytes in the cache.
    pub(crate) fn update(&mut self, batch: &[Feed<'_>]) {
        let mut parts = Vec::with_capacity(batch.len());
        for (row, (_, bank)) in self.rows.iter_mut().enumerate() {
            parts.clear();
            parts.extend(batch.iter().map(|feed| Part {
                slot: feed.stream.0[row],
                bytes: feed.bytes,
                last: feed.last,
            }));
            bank.update(&parts);
        }
        for feed in batch {
            self.kin.update(feed.stream.1, feed.bytes);
        }
    }

    pub(crate) fn close(&mut self, stream: Stream) -> Digests {
        let slots = self.rows.iter_mut().zip(stream.0);
        let named = slots.map(|((algorithm, bank), slot)| named(algorithm, bank.close(slot))).collect();
        Digests { named, likeness: self.kin.close(stream.1) }
    }

    pub(crate) fn abandon(&mut self, stream: Stream) {
        for ((_, bank), slot) in self.rows.iter_mut().zip(stream.0) {
            bank.abandon(slot);
        }
        self.kin.abandon(stream.1);
    }
}
