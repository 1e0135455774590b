//! BLAKE3 on a limited instruction set. The crate has no such limit for a stream, but its parts do: a [`Platform`]
//! compresses chunks and parents, and this module builds their tree (the paper, section 2).

use super::flag;
use crate::algorithms::sha256::Sha256;
use crate::block::BlockHash;
use crate::field::{Field, LONGEST_MESSAGE};
#[cfg(target_arch = "x86_64")]
use crate::machine::{Isa, Machine};
use blake3::IncrementCounter;
use blake3::platform::{Platform, le_bytes_from_words_32};

const CHUNK: usize = 1024;
const BLOCK: usize = 64;

type Node = [u8; 32];

/// The nodes of the complete chunks so far, and the bytes of the last one.
#[derive(Clone)]
pub(crate) struct Hasher {
    /// The number of the first chunk.
    first: u64,
    /// The number of chunks in `nodes`.
    chunks: u64,
    /// The roots of complete subtrees, left to right and so from large to small.
    nodes: Vec<Node>,
    /// The last chunk so far; more may follow.
    last: [u8; CHUNK],
    filled: usize,
}

impl Hasher {
    /// Creates a hasher for a message, or for a subtree at this offset.
    pub(super) fn new(offset: u64) -> Self {
        let first = offset / CHUNK as u64;
        Hasher { first, chunks: 0, nodes: Vec::new(), last: [0; CHUNK], filled: 0 }
    }

    pub(super) fn update(&mut self, mut bytes: &[u8]) {
        if self.filled > 0 {
            bytes = self.fill(bytes);
            if bytes.is_empty() {
                return;
            }
            let chunk = self.last;
            self.take(&[chunk]);
            self.filled = 0;
        }
        let whole = bytes.len().saturating_sub(1) / CHUNK * CHUNK;
        let (chunks, rest) = bytes.split_at(whole);
        let side_by_side = platform().simd_degree();
        chunks.as_chunks::<CHUNK>().0.chunks(side_by_side).for_each(|chunks| self.take(chunks));
        self.fill(rest);
    }

    /// Fills up the last chunk. Returns the bytes that don't fit.
    fn fill<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let (now, later) = bytes.split_at(bytes.len().min(CHUNK - self.filled));
        self.last[self.filled..self.filled + now.len()].copy_from_slice(now);
        self.filled += now.len();
        later
    }

    /// Takes at most 16 complete chunks that are not the end of the message.
    fn take(&mut self, chunks: &[[u8; CHUNK]]) {
        let mut inputs = [&[0; CHUNK]; 16];
        inputs.iter_mut().zip(chunks).for_each(|(input, chunk)| *input = chunk);
        let mut nodes = [0; 16 * 32];
        platform().hash_many(
            &inputs[..chunks.len()],
            &Sha256::START,
            self.first + self.chunks,
            IncrementCounter::Yes,
            0,
            flag::START as u8,
            flag::END as u8,
            &mut nodes,
        );
        nodes.as_chunks::<32>().0[..chunks.len()].iter().for_each(|node| self.push(*node));
    }

    /// Adds the node of a chunk, and merges subtrees of equal size.
    fn push(&mut self, mut node: Node) {
        self.chunks += 1;
        for _ in 0..self.chunks.trailing_zeros() {
            let left = self.nodes.pop().unwrap_or_default();
            node = merge(&left, &node);
        }
        self.nodes.push(node);
    }

    /// Writes the state of a message.
    pub(super) fn save(&self, into: &mut Vec<u8>) {
        (self.chunks, self.nodes.clone()).put(into);
        self.last[..self.filled].to_vec().put(into);
    }

    /// Reads the state of a message; `None` if it is none.
    pub(super) fn load(from: &mut &[u8]) -> Option<Hasher> {
        let ((chunks, nodes), last) = <((u64, Vec<Node>), Vec<u8>)>::take(from)?;
        let fits =
            nodes.len() == chunks.count_ones() as usize && chunks <= LONGEST_MESSAGE && last.len() <= CHUNK;
        let mut hasher = Hasher { chunks, nodes, ..Hasher::new(0) };
        fits.then(|| {
            hasher.fill(&last);
            hasher
        })
    }

    pub(super) fn root(&self) -> [u8; 32] {
        self.top().node(flag::ROOT)
    }

    /// Returns the chaining value, for a part of a message.
    pub(super) fn subtree(&self) -> [u8; 32] {
        self.top().node(0)
    }

    /// Writes the output from this byte on (section 2.6).
    pub(super) fn extend(&self, from: u64, output: &mut [u8]) {
        let (top, mut at) = (self.top(), from);
        let mut rest = output;
        while !rest.is_empty() {
            let skipped = (at % BLOCK as u64) as usize;
            let block = top.output(at / BLOCK as u64);
            let (now, later) = rest.split_at_mut(rest.len().min(BLOCK - skipped));
            now.copy_from_slice(&block[skipped..skipped + now.len()]);
            at += now.len() as u64;
            rest = later;
        }
    }

    /// Returns the top node.
    fn top(&self) -> Last {
        let Some((top, rest)) = self.nodes.split_first() else { return self.last_chunk() };
        let right = rest.iter().rfold(self.last_chunk().node(0), |right, left| merge(left, &right));
        parent(top, &right)
    }

    /// Returns the node of the last chunk.
    fn last_chunk(&self) -> Last {
        let counter = self.first + self.chunks;
        let mut last = Last { value: Sha256::START, block: [0; BLOCK], length: 0, counter, flags: 0 };
        let count = self.filled.div_ceil(BLOCK).max(1);
        for (number, block) in self.last.as_chunks::<BLOCK>().0[..count].iter().enumerate() {
            let start = if number == 0 { flag::START } else { 0 };
            let end = if number + 1 == count { flag::END } else { 0 };
            let length = (self.filled - number * BLOCK).min(BLOCK);
            (last.block, last.length, last.flags) = ([0; BLOCK], length as u8, start | end);
            last.block[..length].copy_from_slice(&block[..length]);
            if number + 1 < count {
                last.compress(0);
            }
        }
        last
    }
}

/// A node before its last compression.
struct Last {
    value: [u32; 8],
    block: [u8; BLOCK],
    length: u8,
    counter: u64,
    flags: u32,
}

impl Last {
    /// Compresses the block, with this flag more.
    fn compress(&mut self, flag: u32) {
        let flags = (self.flags | flag) as u8;
        platform().compress_in_place(&mut self.value, &self.block, self.length, self.counter, flags);
    }

    /// The chaining value, or the digest, as the flag says.
    fn node(mut self, flag: u32) -> Node {
        self.compress(flag);
        le_bytes_from_words_32(&self.value)
    }

    /// One block of a root's output.
    fn output(&self, number: u64) -> [u8; BLOCK] {
        let flags = (self.flags | flag::ROOT) as u8;
        platform().compress_xof(&self.value, &self.block, self.length, number, flags)
    }
}

/// Returns the chaining value of two subtrees.
pub(super) fn merge(left: &Node, right: &Node) -> Node {
    parent(left, right).node(0)
}

/// Returns the digest of two subtrees.
pub(super) fn merge_root(left: &Node, right: &Node) -> [u8; 32] {
    parent(left, right).node(flag::ROOT)
}

fn parent(left: &Node, right: &Node) -> Last {
    let mut block = [0; BLOCK];
    block[..32].copy_from_slice(left);
    block[32..].copy_from_slice(right);
    Last { value: Sha256::START, block, length: BLOCK as u8, counter: 0, flags: flag::PARENT }
}

/// Returns the widest platform that is allowed.
#[cfg(target_arch = "x86_64")]
fn platform() -> Platform {
    let machine = Machine::detect();
    let allowed = |isa, platform: fn() -> Option<Platform>| platform().filter(|_| machine.limit() >= isa);
    allowed(Isa::Avx2, Platform::avx2)
        .or_else(|| allowed(Isa::Sse41, Platform::sse41))
        .or_else(|| allowed(Isa::Portable, Platform::sse2))
        .unwrap_or_else(Platform::portable)
}

/// Returns the only platform that is never forbidden. The crate's others can't be chosen here.
#[cfg(not(target_arch = "x86_64"))]
fn platform() -> Platform {
    Platform::portable()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_crate() {
        let message: Vec<u8> = (0..70_000_u64).map(|i| ((i * i) >> 7) as u8).collect();
        for length in
            [0, 1, 63, 64, 65, 1023, 1024, 1025, 2048, 2049, 3072, 5000, 16384, 16385, 33000, 70_000]
        {
            for part in [1, 700, 1024, 5000, 70_000] {
                let mut hasher = Hasher::new(0);
                message[..length].chunks(part).for_each(|part| hasher.update(part));
                assert_eq!(hasher.root(), *blake3::hash(&message[..length]).as_bytes(), "{length} {part}");
            }
        }
    }

    #[test]
    fn output_is_that_of_the_crate_from_any_byte_on() {
        let message = [9; 5000];
        for length in [0, 1, 64, 65, 1024, 1025, 5000] {
            let mut hasher = Hasher::new(0);
            hasher.update(&message[..length]);
            for (from, bytes) in [(0, 200), (1, 63), (63, 2), (64, 64), (1000, 129)] {
                let (mut ours, mut theirs) = (vec![0; bytes], vec![0; bytes]);
                hasher.extend(from, &mut ours);
                let mut output = blake3::Hasher::new().update(&message[..length]).finalize_xof();
                output.set_position(from);
                output.fill(&mut theirs);
                assert_eq!(ours, theirs, "{length} {from}");
            }
        }
    }

    #[test]
    fn subtrees_make_the_digest() {
        let message = [7; 8 * CHUNK + 5];
        let (left, right) = message.split_at(8 * CHUNK);
        let node = |offset, bytes| {
            let mut hasher = Hasher::new(offset);
            hasher.update(bytes);
            hasher.subtree()
        };
        let root = merge_root(&node(0, left), &node(8 * CHUNK as u64, right));
        assert_eq!(root, *blake3::hash(&message).as_bytes());
    }
}
