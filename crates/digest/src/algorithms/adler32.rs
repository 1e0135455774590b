//! Adler-32 (RFC 1950), by the crate simd-adler32. Its implementations are chosen here in the crate's own order.

use crate::Digest;
use crate::bank::StreamState;
use crate::field::saved;
use crate::machine::{Isa, Machine};
use crate::tree::{Node, SegmentTree};
use simd_adler32::imp::{self, Adler32Imp};

#[derive(Clone)]
pub(crate) struct Adler32 {
    sums: (u16, u16),
    update: Adler32Imp,
}

impl StreamState for Adler32 {
    fn new() -> Self {
        Adler32 { sums: (1, 0), update: way(Machine::detect().limit()).0 }
    }
    fn update(&mut self, bytes: &[u8]) {
        self.sums = (self.update)(self.sums.0, self.sums.1, bytes);
    }
    fn finish(&mut self) -> Digest {
        let (low, high) = self.sums;
        Digest::new([high, low].map(u16::to_be_bytes).as_flattened())
    }
    saved!(sums; this: this.sums.0 < MODULUS as u16 && this.sums.1 < MODULUS as u16);
    fn kernel() -> &'static str {
        way(Machine::detect().limit()).1
    }
}

/// Joins the sums of ranges: the second sum of the left range counts once more for each byte of the right one.
pub(crate) struct Adler32Tree;

/// Small, since joining costs next to nothing.
const SEGMENT: u64 = 64 << 10;

/// The largest prime below 2^16.
const MODULUS: u64 = 65_521;

impl SegmentTree for Adler32Tree {
    fn segment_bytes(&self) -> u64 {
        SEGMENT
    }
    fn leaf(&self, _: u64, bytes: &[u8]) -> Node {
        let mut range = Adler32::new();
        range.update(bytes);
        node(range.sums.0, range.sums.1, bytes.len() as u64)
    }
    fn parent(&self, left: &Node, right: &Node) -> Node {
        let ([a, b], [c, d]) = (sums(left), sums(right));
        let low = (a + c + MODULUS - 1) % MODULUS;
        let high = (b + d + right.bytes % MODULUS * (a + MODULUS - 1)) % MODULUS;
        node(low as u16, high as u16, left.bytes + right.bytes)
    }
    fn join(&self, nodes: &[Node]) -> Digest {
        let all = nodes.iter().fold(node(1, 0, 0), |all, node| self.parent(&all, node));
        let [low, high] = sums(&all);
        Digest::new([high as u16, low as u16].map(u16::to_be_bytes).as_flattened())
    }
}

fn node(low: u16, high: u16, bytes: u64) -> Node {
    let mut value = [0; 32];
    value[..2].copy_from_slice(&low.to_le_bytes());
    value[2..4].copy_from_slice(&high.to_le_bytes());
    Node { value, bytes }
}

/// Returns the first and the second sum.
fn sums(node: &Node) -> [u64; 2] {
    [0, 2].map(|at| u64::from(u16::from_le_bytes([node.value[at], node.value[at + 1]])))
}

/// Returns the best implementation up to a limit, and its name.
fn way(limit: Isa) -> (Adler32Imp, &'static str) {
    if limit == Isa::WIDEST {
        return (imp::get_imp(), "simd-adler32");
    }
    let allowed =
        |isa, way: fn() -> Option<Adler32Imp>, name| way().filter(|_| isa <= limit).map(|way| (way, name));
    allowed(Isa::Avx512, imp::avx512::get_imp, "avx512 (simd-adler32)")
        .or_else(|| allowed(Isa::Neon, imp::neon::get_imp, "neon (simd-adler32)"))
        .or_else(|| allowed(Isa::Avx2, imp::avx2::get_imp, "avx2 (simd-adler32)"))
        .or_else(|| allowed(Isa::Sse41, imp::ssse3::get_imp, "sse4.1 (simd-adler32)"))
        .or_else(|| allowed(Isa::Portable, imp::sse2::get_imp, "portable (simd-adler32)"))
        .unwrap_or((imp::scalar::update, "portable (simd-adler32)"))
}
