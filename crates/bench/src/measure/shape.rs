//! The input of a bank during a measurement.

use super::rounds::Work;
use hashmill_digest::{Bank, StreamPart};
use std::hint::black_box;

/// Rows are offset by a cache line from multiples of the page, so that they do not compete for the same cache sets, as
/// in the engine.
const LINE: usize = 64;
const PAGE: usize = 4096;

/// The input of a bank in one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// The number of parallel streams.
    pub streams: usize,
    /// The length of each in bytes.
    pub bytes: usize,
    /// Whether streams are opened and closed in each call: whole messages, not parts of long ones.
    pub whole: bool,
}

/// The bytes to hash: enough for the largest shape.
pub struct Memory(Vec<u8>);

impl Shape {
    /// Returns the number of bytes that one call hashes.
    pub fn total(&self) -> usize {
        self.streams * self.bytes
    }

    /// Returns the distance in bytes from one stream's start to the next.
    fn stride(&self) -> usize {
        self.bytes.next_multiple_of(LINE) + LINE
    }

    /// Returns a work that passes these streams to a bank.
    pub fn work(self, mut bank: Box<dyn Bank>, memory: &Memory) -> Work<'_> {
        let data = memory.rows();
        let rows = data.chunks(self.stride()).take(self.streams);
        let parts: Vec<StreamPart<'_>> = rows
            .map(|row| StreamPart { slot: bank.open(), bytes: &row[..self.bytes], last: self.whole })
            .collect();
        assert_eq!(parts.len(), self.streams, "memory for a smaller shape");
        Box::new(move || {
            bank.update(&parts);
            if self.whole {
                renew(&mut *bank, &parts);
            }
        })
    }
}

/// Closes the streams and opens as many, which get the same slots.
fn renew(bank: &mut dyn Bank, parts: &[StreamPart<'_>]) {
    for part in parts {
        black_box(bank.close(part.slot));
    }
    for _ in parts {
        bank.open();
    }
}

impl Memory {
    /// Allocates memory for any of these shapes.
    pub fn with_shapes(shapes: impl IntoIterator<Item = Shape>) -> Memory {
        let most = shapes.into_iter().map(|shape| shape.streams * shape.stride()).max().unwrap_or(0);
        Memory(vec![0x5a; most + PAGE])
    }

    /// Returns the bytes from the first page boundary on, like buffers for reads.
    fn rows(&self) -> &[u8] {
        &self.0[self.0.as_ptr().align_offset(PAGE)..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_digest::find;

    #[test]
    fn a_work_can_be_done_again_and_again() {
        for whole in [false, true] {
            for bytes in [0, 1, 64, 1000] {
                let shape = Shape { streams: 33, bytes, whole };
                let memory = Memory::with_shapes([shape]);
                let mut work = shape.work((find("sha256").unwrap().bank)(), &memory);
                for _ in 0..3 {
                    work();
                }
            }
        }
    }
}
