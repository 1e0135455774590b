//! The candidates: all implementations, and two that do not hash.

use crate::implementation::{Implementation, MOST_LANES, Origin, empty};
use hashmill_digest::{Algorithm, Digest, hash};
use hashmill_similar::Similar;
use std::hint::black_box;

/// Rows are offset by a cache line from multiples of the page, so that they do not compete for the same cache sets.
const LINE: usize = 64;

/// The length in bytes of the dummy digest in rows that do not hash.
const NO_DIGEST: usize = 32;

/// A candidate with the memory that it hashes.
pub(super) struct Candidate {
    how: How,
    lanes: usize,
    block: usize,
    memory: Vec<u8>,
    digests: Vec<Digest>,
    /// Whether all digests so far were right.
    right: bool,
}

enum How {
    /// None: shows the cost of filling and calling.
    Nop,
    /// Copying: shows the cost of reading.
    Copy,
    Hash(Implementation),
    /// Computing likeness digests.
    Likeness(&'static Similar),
    #[cfg(test)]
    Wrong(&'static Algorithm),
}

impl Candidate {
    /// Returns all candidates, first the two that do not hash.
    pub(super) fn all(
        algorithms: &[&'static Algorithm],
        likeness: &[&'static Similar],
        block: usize,
    ) -> Vec<Candidate> {
        let mut all = vec![Candidate::new(How::Nop, 1, block), Candidate::new(How::Copy, 1, block)];
        for algorithm in algorithms {
            for implementation in Implementation::all_of(algorithm, block) {
                let lanes = implementation.lanes;
                all.push(Candidate::new(How::Hash(implementation), lanes, block));
            }
        }
        all.extend(likeness.iter().map(|row| Candidate::new(How::Likeness(row), 1, block)));
        all
    }

    fn new(how: How, lanes: usize, block: usize) -> Candidate {
        let memory = vec![0; lanes * stride(block)];
        Candidate { how, lanes, block, memory, digests: vec![empty(); lanes], right: true }
    }

    #[cfg(test)]
    pub(super) fn wrong(algorithm: &'static Algorithm, block: usize) -> Candidate {
        Candidate::new(How::Wrong(algorithm), 1, block)
    }

    /// Fills the blocks with this byte and hashes them.
    pub(super) fn go(&mut self, byte: u8) {
        match self.how {
            // Equal bytes have no likeness digest, or one that takes no time, so the blocks stay varied.
            How::Likeness(_) => self.memory[0] = byte,
            _ => self.memory.fill(byte),
        }
        self.digests.fill(empty());
        self.hash();
    }

    fn hash(&mut self) {
        let memory = black_box(&self.memory);
        if let [digest] = &mut self.digests[..] {
            self.how.hash(&[&memory[..self.block]], std::slice::from_mut(digest));
        } else {
            let mut messages: [&[u8]; MOST_LANES] = [&[]; MOST_LANES];
            for (message, row) in messages.iter_mut().zip(memory.chunks(stride(self.block))) {
                *message = &row[..self.block];
            }
            self.how.hash(&messages[..self.lanes], &mut self.digests);
        }
        black_box(&self.digests);
    }

    /// Checks the digests of blocks with different bytes in each lane.
    pub(super) fn check(&mut self) {
        // A multiplicative generator (Knuth's MMIX constants): each position must have another pattern of bytes.
        let mut state = 1_u64;
        for byte in &mut self.memory {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *byte = (state >> 56) as u8;
        }
        self.hash();
        self.check_likeness();
        let Some(algorithm) = self.algorithm() else { return };
        let rows = self.memory.chunks(stride(self.block)).map(|row| hash(algorithm, &row[..self.block]));
        self.right &= rows.eq(self.digests.iter().copied());
    }

    /// Checks the digests of the last call, whose blocks were filled with this byte.
    pub(super) fn check_last(&mut self, byte: u8) {
        self.check_likeness();
        let Some(algorithm) = self.algorithm() else { return };
        let wanted = hash(algorithm, &vec![byte; self.block]);
        self.right &= self.digests.iter().all(|digest| *digest == wanted);
    }

    /// Compares a likeness digest with that of the same bytes in two parts.
    fn check_likeness(&mut self) {
        let How::Likeness(row) = &self.how else { return };
        let message = &self.memory[..self.block];
        let (first, second) = message.split_at(self.block / 3);
        self.right &= likeness(row, &[message]) == likeness(row, &[first, second]);
    }

    fn algorithm(&self) -> Option<&'static Algorithm> {
        match &self.how {
            How::Nop | How::Copy | How::Likeness(_) => None,
            How::Hash(implementation) => Some(implementation.algorithm),
            #[cfg(test)]
            How::Wrong(algorithm) => Some(algorithm),
        }
    }

    pub(super) fn algo(&self) -> &'static str {
        match &self.how {
            How::Nop => "null-nop",
            How::Copy => "null-memcpy",
            How::Likeness(row) => row.name,
            _ => self.algorithm().map_or("", |algorithm| algorithm.name),
        }
    }

    pub(super) fn implementation(&self) -> &str {
        match &self.how {
            How::Hash(implementation) => &implementation.name,
            _ => "",
        }
    }

    /// Returns the title for people.
    pub(super) fn title(&self) -> String {
        format!("{} {}", self.algo(), self.implementation()).trim_end().to_string()
    }

    pub(super) fn origin(&self) -> Origin {
        match &self.how {
            How::Hash(implementation) => implementation.origin,
            How::Likeness(_) => Origin::Own,
            _ => Origin::Calibration,
        }
    }

    pub(super) fn lanes(&self) -> usize {
        self.lanes
    }

    pub(super) fn block(&self) -> usize {
        self.block
    }

    pub(super) fn right(&self) -> bool {
        self.right
    }
}

impl How {
    fn hash(&mut self, messages: &[&[u8]], digests: &mut [Digest]) {
        match self {
            How::Nop => digests[0] = Digest::new(&[0xff; NO_DIGEST]),
            How::Copy => digests[0] = copy(messages[0]),
            How::Hash(implementation) => implementation.hash(messages, digests),
            How::Likeness(row) => {
                let _ = black_box(likeness(row, &messages[..1]));
            }
            #[cfg(test)]
            How::Wrong(_) => digests[0] = Digest::new(&[0; NO_DIGEST]),
        }
    }
}

/// Returns the likeness digest of these parts, as a stream of known length.
fn likeness(
    row: &Similar,
    parts: &[&[u8]],
) -> Result<hashmill_similar::LikenessDigest, hashmill_similar::Refusal> {
    let mut stream = (row.stream)();
    stream.expect(parts.iter().map(|part| part.len() as u64).sum());
    parts.iter().for_each(|part| stream.update(part));
    stream.finish()
}

/// Reads the whole message, and keeps its last bytes.
fn copy(message: &[u8]) -> Digest {
    let mut digest = [0; NO_DIGEST];
    for piece in message.chunks(NO_DIGEST) {
        digest[..piece.len()].copy_from_slice(piece);
        black_box(&mut digest);
    }
    Digest::new(&digest)
}

/// Returns the distance in bytes from one lane's block to the next.
fn stride(block: usize) -> usize {
    block.next_multiple_of(LINE) + LINE
}
