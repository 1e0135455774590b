//! Code of libraries on forced instruction sets. A library chooses the best one; to show the value of each set,
//! messages are passed one at a time to the library's building blocks.

use blake3::IncrementCounter;
use blake3::platform::{Platform, le_bytes_from_words_32};
use hashmill_digest::{Algorithm, Digest};
#[cfg(target_arch = "x86_64")]
use hashmill_digest::{Isa, Machine};

const CHUNK: usize = 1024;
const BLOCK: usize = 64;
/// The most chunks that the library hashes in one call.
const WIDEST: usize = 16;

/// BLAKE3's flags (table 3 of the paper).
const CHUNK_START: u8 = 1;
const CHUNK_END: u8 = 2;
const PARENT: u8 = 4;
const ROOT: u8 = 8;

/// The initial chaining value: that of SHA-256.
const START: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

type Node = [u8; 32];

/// A library's code for one message, on instructions that it would not choose.
pub(super) enum Forced {
    /// BLAKE3, whose tree is built in this module.
    Blake3(Platform, Vec<Node>),
    /// BLAKE2b, with this length of digest.
    Blake2b(blake2b_simd::Params),
    Blake2s(blake2s_simd::Params),
}

impl Forced {
    /// Returns all code of a library for an algorithm that this process may run, with names, narrow to wide.
    pub(super) fn all_of(algorithm: &Algorithm) -> Vec<(String, Forced)> {
        match algorithm.name {
            "blake3" => platforms()
                .into_iter()
                .map(|(name, platform)| (format!("{name} (blake3)"), Forced::Blake3(platform, Vec::new())))
                .collect(),
            "blake2b-512" | "blake2b-256" => {
                let mut params = blake2b_simd::Params::new();
                params.hash_length(algorithm.bits as usize / 8);
                blake2b_simd::benchmarks::force_portable(&mut params);
                vec![("portable (blake2b_simd)".to_string(), Forced::Blake2b(params))]
            }
            "blake2s-256" => {
                let mut params = blake2s_simd::Params::new();
                blake2s_simd::benchmarks::force_portable(&mut params);
                vec![("portable (blake2s_simd)".to_string(), Forced::Blake2s(params))]
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn hash(&mut self, message: &[u8]) -> Digest {
        match self {
            Forced::Blake3(platform, nodes) => Digest::new(&blake3(*platform, message, nodes)),
            Forced::Blake2b(params) => Digest::new(params.hash(message).as_bytes()),
            Forced::Blake2s(params) => Digest::new(params.hash(message).as_bytes()),
        }
    }
}

/// Returns BLAKE3's available instruction sets, narrow to wide.
fn platforms() -> Vec<(&'static str, Platform)> {
    let portable = ("portable", Platform::portable());
    #[cfg(not(target_arch = "x86_64"))]
    return vec![portable];
    #[cfg(target_arch = "x86_64")]
    {
        let mut all = vec![portable];
        let machine = Machine::detect();
        let sets = [("sse4.1", Isa::Sse41, Platform::sse41()), ("avx2", Isa::Avx2, Platform::avx2())];
        let allowed = |(name, isa, platform): (_, _, Option<Platform>)| {
            platform.filter(|_| machine.allows(isa)).map(|platform| (name, platform))
        };
        all.extend(sets.into_iter().filter_map(allowed));
        // Only the library knows whether it was built with AVX-512.
        let widest = Platform::detect();
        if widest.simd_degree() == WIDEST && machine.allows(Isa::Avx512) {
            all.push(("avx512", widest));
        }
        all
    }
}

/// Computes BLAKE3 level by level: adjacent nodes are merged, and one without a neighbour is moved up (section 2.1).
fn blake3(platform: Platform, message: &[u8], nodes: &mut Vec<Node>) -> Node {
    nodes.clear();
    if message.len() <= CHUNK {
        return chunk(platform, message, 0, ROOT);
    }
    let (whole, rest) = message.as_chunks::<CHUNK>();
    for (number, some) in whole.chunks(WIDEST).enumerate() {
        let mut inputs = [&[0; CHUNK]; WIDEST];
        inputs.iter_mut().zip(some).for_each(|(input, chunk)| *input = chunk);
        let first = (number * WIDEST) as u64;
        many(platform, &inputs[..some.len()], Some(first), CHUNK_FLAGS, nodes);
    }
    if !rest.is_empty() {
        nodes.push(chunk(platform, rest, whole.len() as u64, 0));
    }
    while nodes.len() > 2 {
        merge(platform, nodes);
    }
    let mut value = START;
    platform.compress_in_place(&mut value, &pair(nodes), BLOCK as u8, 0, PARENT | ROOT);
    le_bytes_from_words_32(&value)
}

/// Replaces a level with the next one.
fn merge(platform: Platform, nodes: &mut Vec<Node>) {
    let mut merged = Vec::with_capacity(nodes.len().div_ceil(2));
    for some in nodes.chunks(2 * WIDEST) {
        let mut blocks = [[0; BLOCK]; WIDEST];
        let pairs = some.chunks_exact(2);
        blocks.iter_mut().zip(pairs.clone()).for_each(|(block, nodes)| *block = pair(nodes));
        let inputs = blocks.each_ref();
        many(platform, &inputs[..pairs.len()], None, PARENT_FLAGS, &mut merged);
        merged.extend_from_slice(pairs.remainder());
    }
    *nodes = merged;
}

/// The flags of the blocks of a node.
#[derive(Clone, Copy)]
struct BlockFlags {
    all: u8,
    /// Further ones of the first block.
    first: u8,
    /// Further ones of the last block.
    last: u8,
}

const CHUNK_FLAGS: BlockFlags = BlockFlags { all: 0, first: CHUNK_START, last: CHUNK_END };
const PARENT_FLAGS: BlockFlags = BlockFlags { all: PARENT, first: 0, last: 0 };

/// Adds the nodes of inputs of whole blocks. Chunks are counted, from the number of the first one on.
fn many<const N: usize>(
    platform: Platform,
    inputs: &[&[u8; N]],
    first_chunk: Option<u64>,
    flags: BlockFlags,
    nodes: &mut Vec<Node>,
) {
    let mut out = [0; WIDEST * 32];
    let increment = if first_chunk.is_some() { IncrementCounter::Yes } else { IncrementCounter::No };
    let counter = first_chunk.unwrap_or(0);
    platform.hash_many(inputs, &START, counter, increment, flags.all, flags.first, flags.last, &mut out);
    nodes.extend_from_slice(&out.as_chunks::<32>().0[..inputs.len()]);
}

fn pair(nodes: &[Node]) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    block[..32].copy_from_slice(&nodes[0]);
    block[32..].copy_from_slice(&nodes[1]);
    block
}

/// Returns the node of a chunk, which may be incomplete.
fn chunk(platform: Platform, bytes: &[u8], number: u64, last: u8) -> Node {
    let mut value = START;
    let count = bytes.len().div_ceil(BLOCK).max(1);
    for at in 0..count {
        let part = &bytes[at * BLOCK..bytes.len().min((at + 1) * BLOCK)];
        let mut block = [0; BLOCK];
        block[..part.len()].copy_from_slice(part);
        let start = if at == 0 { CHUNK_START } else { 0 };
        let end = if at + 1 == count { CHUNK_END | last } else { 0 };
        platform.compress_in_place(&mut value, &block, part.len() as u8, number, start | end);
    }
    le_bytes_from_words_32(&value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_digest::{find, hash};

    #[test]
    fn digests_are_those_of_the_algorithms_at_any_length() {
        let message: Vec<u8> = (0..40_000_u64).map(|at| ((at * at) >> 5) as u8).collect();
        for name in ["blake3", "blake2b-512", "blake2b-256", "blake2s-256"] {
            let algorithm = find(name).unwrap();
            let all = Forced::all_of(algorithm);
            assert!(!all.is_empty(), "{name}");
            for (called, mut forced) in all {
                for length in
                    [0, 1, 64, 65, 1024, 1025, 2048, 3000, 4096, 5 * 1024, 17 * 1024, 33_333, 40_000]
                {
                    let message = &message[..length];
                    assert_eq!(forced.hash(message), hash(algorithm, message), "{called} {length}");
                }
            }
        }
        assert!(Forced::all_of(find("sha256").unwrap()).is_empty());
    }
}
