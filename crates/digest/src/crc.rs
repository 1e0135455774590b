//! Cyclic redundancy checks, by the crate crc-fast, which folds with carry-less multiplication.

use crate::Digest;
use crate::bank::Stream;
use crate::tree::{Node, Tree};
use crc_fast::CrcAlgorithm;

/// Which polynomial and form, and how many bytes of checksum.
pub(crate) trait Code: Send + Sync + 'static {
    /// The crate's name for it.
    const ALGORITHM: CrcAlgorithm;
    /// Bytes of the checksum.
    const BYTES: usize;
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident: $algorithm:ident, $bytes:literal;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;
        impl Code for $name {
            const ALGORITHM: CrcAlgorithm = CrcAlgorithm::$algorithm;
            const BYTES: usize = $bytes;
        }
    )*};
}

codes! {
    /// zlib, gzip, Ethernet (ISO/IEC 8802-3).
    Zip: Crc32IsoHdlc, 4;
    /// Castagnoli (RFC 3720).
    Castagnoli: Crc32Iscsi, 4;
    /// The xz format (ECMA-182, reflected).
    Xz: Crc64Xz, 8;
    /// POSIX `cksum`, without the length that it appends.
    Posix: Crc32Cksum, 4;
}

/// The streaming checksum.
pub(crate) struct Crc<C> {
    state: crc_fast::Digest,
    code: std::marker::PhantomData<C>,
}

impl<C: Code> Stream for Crc<C> {
    fn new() -> Self {
        Crc { state: crc_fast::Digest::new(C::ALGORITHM), code: std::marker::PhantomData }
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

/// POSIX `cksum`: the length follows the message, least significant byte first, without leading zeros.
pub(crate) struct Cksum {
    crc: Crc<Posix>,
    bytes: u64,
}

impl Stream for Cksum {
    fn new() -> Self {
        Cksum { crc: Crc::new(), bytes: 0 }
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
        kernel()
    }
}

/// Checksums of segments are joined by shifting one past the length of the next.
pub(crate) struct CrcTree<C>(pub std::marker::PhantomData<C>);

impl<C: Code> Tree for CrcTree<C> {
    fn segment_bytes(&self) -> u64 {
        SEGMENT
    }
    fn leaf(&self, _: u64, bytes: &[u8]) -> Node {
        node(crc_fast::checksum(C::ALGORITHM, bytes), bytes.len() as u64)
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
    fn leaf(&self, offset: u64, bytes: &[u8]) -> Node {
        CrcTree::<Posix>(std::marker::PhantomData).leaf(offset, bytes)
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
    nodes.iter().fold(node(crc_fast::checksum(C::ALGORITHM, &[]), 0), join)
}

/// A length's bytes without its leading zeros.
fn length(little: &[u8; 8]) -> &[u8] {
    let used = 8 - u64::from_le_bytes(*little).leading_zeros() as usize / 8;
    &little[..used]
}

fn digest<C: Code>(checksum: u64) -> Digest {
    Digest::new(&checksum.to_be_bytes()[8 - C::BYTES..])
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
