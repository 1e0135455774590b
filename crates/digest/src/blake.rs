//! BLAKE2 and BLAKE3, by their authors' crates, which choose instructions at run time by themselves.

use crate::Digest;
use crate::bank::Stream;
use crate::tree::{Node, Tree};
use blake3::hazmat::{self, HasherExt, Mode};

/// BLAKE2b with `N` bytes of digest (RFC 7693).
pub(crate) struct Blake2b<const N: usize>(blake2b_simd::State);

impl<const N: usize> Stream for Blake2b<N> {
    fn new() -> Self {
        Blake2b(blake2b_simd::Params::new().hash_length(N).to_state())
    }
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
    fn finish(&mut self) -> Digest {
        Digest::new(self.0.finalize().as_bytes())
    }
    fn kernel() -> &'static str {
        if has("avx2") { "avx2 (blake2b_simd)" } else { "portable (blake2b_simd)" }
    }
}

/// BLAKE2s with 256 bits (RFC 7693).
pub(crate) struct Blake2s(blake2s_simd::State);

impl Stream for Blake2s {
    fn new() -> Self {
        Blake2s(blake2s_simd::State::new())
    }
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
    fn finish(&mut self) -> Digest {
        Digest::new(self.0.finalize().as_bytes())
    }
    fn kernel() -> &'static str {
        if has("sse4.1") { "sse4.1 (blake2s_simd)" } else { "portable (blake2s_simd)" }
    }
}

/// BLAKE3 on one thread.
pub(crate) struct Blake3(blake3::Hasher);

impl Stream for Blake3 {
    fn new() -> Self {
        Blake3(blake3::Hasher::new())
    }
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
    fn finish(&mut self) -> Digest {
        Digest::new(self.0.finalize().as_bytes())
    }
    fn kernel() -> &'static str {
        match () {
            () if has("avx512") => "avx512 (blake3)",
            () if has("avx2") => "avx2 (blake3)",
            () if has("sse4.1") => "sse4.1 (blake3)",
            () => "portable (blake3)",
        }
    }
}

/// The segments of BLAKE3 are subtrees.
pub(crate) struct Blake3Tree;

impl Tree for Blake3Tree {
    fn segment_bytes(&self) -> u64 {
        // Sixteen chunks fill the widest registers; eight times that hides the merging of chaining values.
        128 * 1024
    }

    fn leaf(&self, offset: u64, bytes: &[u8]) -> Node {
        let mut hasher = blake3::Hasher::new();
        hasher.set_input_offset(offset).update(bytes);
        Node { value: hasher.finalize_non_root(), bytes: bytes.len() as u64 }
    }

    fn parent(&self, left: &Node, right: &Node) -> Node {
        let value = hazmat::merge_subtrees_non_root(&left.value, &right.value, Mode::Hash);
        Node { value, bytes: left.bytes + right.bytes }
    }

    fn join(&self, nodes: &[Node]) -> Digest {
        let (left, right) = halves(nodes);
        let root = hazmat::merge_subtrees_root(&subtree(left), &subtree(right), Mode::Hash);
        Digest::new(root.as_bytes())
    }
}

/// The chaining value over these segments.
fn subtree(nodes: &[Node]) -> [u8; 32] {
    if let [node] = nodes {
        return node.value;
    }
    let (left, right) = halves(nodes);
    hazmat::merge_subtrees_non_root(&subtree(left), &subtree(right), Mode::Hash)
}

/// The left subtree has the largest power of two of chunks that leaves at least one byte for the right
/// (paper, section 2.1).
fn halves(nodes: &[Node]) -> (&[Node], &[Node]) {
    let left = hazmat::left_subtree_len(nodes.iter().map(|node| node.bytes).sum());
    let ends = nodes.iter().scan(0, |end, node| {
        *end += node.bytes;
        Some(*end)
    });
    nodes.split_at(ends.take_while(|end| *end <= left).count())
}

#[cfg(target_arch = "x86_64")]
fn has(feature: &str) -> bool {
    use std::arch::is_x86_feature_detected as has;
    match feature {
        "avx512" => has!("avx512f") && has!("avx512vl"),
        "avx2" => has!("avx2"),
        _ => has!("sse4.1"),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn has(_: &str) -> bool {
    false
}
