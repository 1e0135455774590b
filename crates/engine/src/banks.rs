//! One bank for each algorithm of the plan, and the streams that run through all of them.

use crate::event::named;
use hashloom_digest::{Algorithm, Bank, Part, Slot};
use hashloom_manifest::Named;

/// One message, open in every bank.
#[derive(Debug)]
pub(crate) struct Stream(Vec<Slot>);

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
}

impl Banks {
    pub(crate) fn new(algorithms: &[&'static Algorithm]) -> Self {
        Banks { rows: algorithms.iter().map(|algorithm| (*algorithm, (algorithm.bank)())).collect() }
    }

    /// How many long streams are best hashed side by side: a bank whose streams are as fast alone has no
    /// use for company.
    pub(crate) fn lanes(&self) -> usize {
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

    pub(crate) fn open(&mut self) -> Stream {
        Stream(self.rows.iter_mut().map(|(_, bank)| bank.open()).collect())
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
    }

    pub(crate) fn close(&mut self, stream: Stream) -> Vec<Named> {
        let slots = self.rows.iter_mut().zip(stream.0);
        slots.map(|((algorithm, bank), slot)| named(algorithm, bank.close(slot))).collect()
    }

    pub(crate) fn abandon(&mut self, stream: Stream) {
        for ((_, bank), slot) in self.rows.iter_mut().zip(stream.0) {
            bank.abandon(slot);
        }
    }
}
