//! Cyclic redundancy checks, by the crate crc-fast, which folds with carry-less multiplication, or, where that
//! is forbidden, by tables.

mod table;

use crate::Digest;
use crate::bank::{Library, Stream};
use crate::machine::{Isa, Machine};
use crate::tree::{Node, Tree};
use crc_fast::CrcAlgorithm;
use std::marker::PhantomData;
pub(crate) use table::CrcTable;

/// Which polynomial and form, and how many bytes of checksum.
pub(crate) trait Code: Send + Sync + 'static {
    /// The crate's name for it.
    const ALGORITHM: CrcAlgorithm;
    /// Bytes of the checksum.
    const BYTES: usize;
    /// Whether a byte's least significant bit comes first, and all bits are ones before the message.
    const REFLECTED: bool;
    /// For bytes in each of eight places, what the polynomial makes of them.
    const TABLES: &'static [[u64; 256]; 8];
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident: $algorithm:ident, $bytes:literal, $reflected:literal, $polynomial:literal;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;
        impl Code for $name {
            const ALGORITHM: CrcAlgorithm = CrcAlgorithm::$algorithm;
            const BYTES: usize = $bytes;
            const REFLECTED: bool = $reflected;
            const TABLES: &'static [[u64; 256]; 8] = &table::tables($polynomial);
        }
    )*};
}

// Polynomials have the bit of the highest power last.
codes! {
    /// zlib, gzip, Ethernet (ISO/IEC 8802-3).
    Zip: Crc32IsoHdlc, 4, true, 0xedb8_8320;
    /// Castagnoli (RFC 3720).
    Castagnoli: Crc32Iscsi, 4, true, 0x82f6_3b78;
    /// The xz format (ECMA-182, reflected).
    Xz: Crc64Xz, 8, true, 0xc96c_5795_d787_0f42;
    /// NVM Express, S3, Azure.
    Nvme: Crc64Nvme, 8, true, 0x9a6c_9329_ac4b_c9b5;
    /// POSIX `cksum`, without the length that it appends.
    Posix: Crc32Cksum, 4, false, 0xedb8_8320;
}

/// The streaming checksum by the crate.
pub(crate) struct CrcLibrary<C> {
    state: crc_fast::Digest,
    code: PhantomData<C>,
}

impl<C: Code> Stream for CrcLibrary<C> {
    fn new() -> Self {
        CrcLibrary { state: crc_fast::Digest::new(C::ALGORITHM), code: PhantomData }
    }
    fn update(&mut self, bytes: &[u8]) {
        self.state.update(bytes);
    }
    fn finish(&mut self) -> Digest {
        digest::<C>(self.state.finalize())
    }
    fn kernel() -> &'static str {
        kernel()
    }
}

impl<C: Code> Library for CrcLibrary<C> {
    fn picks() -> Isa {
        picks()
    }
}

/// POSIX `cksum`: the length follows the message, least significant byte first, without leading zeros.
pub(crate) struct Cksum<S> {
    crc: S,
    bytes: u64,
}

impl<S: Stream> Stream for Cksum<S> {
    fn new() -> Self {
        Cksum { crc: S::new(), bytes: 0 }
    }
    fn update(&mut self, bytes: &[u8]) {
        self.bytes = self.bytes.wrapping_add(bytes.len() as u64);
        self.crc.update(bytes);
    }
    fn finish(&mut self) -> Digest {
        self.crc.update(length(&self.bytes.to_le_bytes()));
        self.crc.finish()
    }
    fn kernel() -> &'static str {
        S::kernel()
    }
}

impl<S: Library> Library for Cksum<S> {
    fn picks() -> Isa {
        S::picks()
    }
}

/// Checksums of segments are joined by shifting one past the length of the next.
pub(crate) struct CrcTree<C>(pub PhantomData<C>);

impl<C: Code> Tree for CrcTree<C> {
    fn segment_bytes(&self) -> u64 {
        SEGMENT
    }
    fn unit(&self) -> u64 {
        1
    }
    fn leaf(&self, _: u64, bytes: &[u8]) -> Node {
        node(checksum::<C>(bytes), bytes.len() as u64)
    }
    fn parent(&self, left: &Node, right: &Node) -> Node {
        combined::<C>(&[*left, *right])
    }
    fn join(&self, nodes: &[Node]) -> Digest {
        digest::<C>(value(&combined::<C>(nodes)))
    }
}

/// The same for [`Cksum`]: the length is one more, short segment.
pub(crate) struct CksumTree;

impl Tree for CksumTree {
    fn segment_bytes(&self) -> u64 {
        SEGMENT
    }
    fn unit(&self) -> u64 {
        1
    }
    fn leaf(&self, offset: u64, bytes: &[u8]) -> Node {
        CrcTree::<Posix>(PhantomData).leaf(offset, bytes)
    }
    fn parent(&self, left: &Node, right: &Node) -> Node {
        combined::<Posix>(&[*left, *right])
    }
    fn join(&self, nodes: &[Node]) -> Digest {
        let message = combined::<Posix>(nodes);
        let total = message.bytes.to_le_bytes();
        let end = self.leaf(message.bytes, length(&total));
        digest::<Posix>(value(&combined::<Posix>(&[message, end])))
    }
}

/// Joining costs about a microsecond a segment.
const SEGMENT: u64 = 1 << 20;

fn node(checksum: u64, bytes: u64) -> Node {
    let mut value = [0; 32];
    value[..8].copy_from_slice(&checksum.to_le_bytes());
    Node { value, bytes }
}

fn value(node: &Node) -> u64 {
    node.value.iter().take(8).rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// The node of adjacent segments together.
fn combined<C: Code>(nodes: &[Node]) -> Node {
    let join = |left: Node, right: &Node| {
        let checksum = crc_fast::checksum_combine(C::ALGORITHM, value(&left), value(right), right.bytes);
        node(checksum, left.bytes + right.bytes)
    };
    nodes.iter().fold(node(checksum::<C>(&[]), 0), join)
}

/// A length's bytes without its leading zeros.
fn length(little: &[u8; 8]) -> &[u8] {
    let used = 8 - u64::from_le_bytes(*little).leading_zeros() as usize / 8;
    &little[..used]
}

fn digest<C: Code>(checksum: u64) -> Digest {
    Digest::new(&checksum.to_be_bytes()[8 - C::BYTES..])
}

/// The checksum of a whole message.
fn checksum<C: Code>(bytes: &[u8]) -> u64 {
    if picks() <= Machine::detect().limit() {
        return crc_fast::checksum(C::ALGORITHM, bytes);
    }
    table::checksum::<C>(bytes)
}

#[cfg(target_arch = "x86_64")]
fn kernel() -> &'static str {
    use std::arch::is_x86_feature_detected as has;
    match () {
        () if has!("avx512vl") && has!("vpclmulqdq") => "avx512 vpclmulqdq (crc-fast)",
        () if has!("pclmulqdq") && has!("sse4.1") => "pclmulqdq (crc-fast)",
        () => "portable (crc-fast)",
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn kernel() -> &'static str {
    "crc-fast"
}

/// The crate uses AVX-512 wherever it is. All processors with AVX2 have carry-less multiplication, and not all
/// with SSE4.1.
#[cfg(target_arch = "x86_64")]
fn picks() -> Isa {
    use std::arch::is_x86_feature_detected as has;
    match has!("pclmulqdq") && has!("sse4.1") {
        true if has!("avx512vl") => Isa::Avx512,
        true => Isa::Avx2,
        false => Isa::Portable,
    }
}

#[cfg(target_arch = "aarch64")]
fn picks() -> Isa {
    Isa::Neon
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn picks() -> Isa {
    Isa::Portable
}
