//! Cyclic redundancy checks: long messages are folded by carry-less multiplication ([`fold`]), the rest is looked up in
//! tables ([`table`]).

mod fold;
mod keys;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon;
mod table;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::Digest;
use crate::bank::StreamState;
use crate::field::{Field, saved};
use crate::machine::Machine;
use crate::tree::{Node, SegmentTree};
use fold::{Blocks, Fold, LEAST_BLOCKS};
use keys::Keys;
use std::marker::PhantomData;

/// A polynomial, its form, and the size of the checksum.
pub(crate) trait Code: Send + Sync + 'static {
    const BYTES: usize;
    /// A byte's least significant bit comes first, and the message is preceded by ones.
    const REFLECTED: bool;
    /// The polynomial; the last bit is that of the highest power.
    const POLYNOMIAL: u64;
    /// The remainders of bytes in each of eight places.
    const TABLES: &'static [[u64; 256]; 8] = &table::tables(Self::POLYNOMIAL);
    const KEYS: &'static Keys = &Keys::from_polynomial(Self::POLYNOMIAL, 8 * Self::BYTES as u32);
    const SHIFTS: &'static [u64; 64] = &keys::shifts(Self::POLYNOMIAL, 8 * Self::BYTES as u32);
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident: $bytes:literal, $reflected:literal, $polynomial:literal;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;
        impl Code for $name {
            const BYTES: usize = $bytes;
            const REFLECTED: bool = $reflected;
            const POLYNOMIAL: u64 = $polynomial;
        }
    )*};
}

codes! {
    /// zlib, gzip, Ethernet (ISO/IEC 8802-3).
    Zip: 4, true, 0xedb8_8320;
    /// Castagnoli (RFC 3720).
    Castagnoli: 4, true, 0x82f6_3b78;
    /// The xz format (ECMA-182, reflected).
    Xz: 8, true, 0xc96c_5795_d787_0f42;
    /// NVM Express, S3, Azure.
    Nvme: 8, true, 0x9a6c_9329_ac4b_c9b5;
    /// POSIX `cksum`, without the length that it appends.
    Posix: 4, false, 0xedb8_8320;
}

pub(crate) struct Crc<C> {
    /// The remainder of the message so far; the last bit is that of the highest power.
    remainder: u64,
    fold: Option<Fold>,
    code: PhantomData<C>,
}

impl<C: Code> Crc<C> {
    /// Creates a checksum with this implementation of folding, if there is one.
    fn by(way: Option<&fold::FoldKernel>) -> Self {
        let fold = way.map(|way| way.folds[usize::from(!C::REFLECTED)]);
        Crc { remainder: if C::REFLECTED { ones::<C>() } else { 0 }, fold, code: PhantomData }
    }

    fn value(&self) -> u64 {
        turned::<C>(self.remainder) ^ ones::<C>()
    }
}

impl<C> Clone for Crc<C> {
    fn clone(&self) -> Self {
        Crc { ..*self }
    }
}

impl<C: Code> StreamState for Crc<C> {
    fn new() -> Self {
        Crc::by(fold::best(Machine::detect().limit()))
    }
    fn update(&mut self, bytes: &[u8]) {
        let (blocks, rest) = bytes.as_chunks();
        let Some(fold) = self.fold.filter(|_| blocks.len() >= LEAST_BLOCKS) else {
            self.remainder = table::remainder::<C>(self.remainder, bytes);
            return;
        };
        let words = fold(Blocks { keys: C::KEYS, remainder: self.remainder, blocks });
        let remainder = words.into_iter().fold(0, table::after_word::<C>);
        self.remainder = table::remainder::<C>(remainder, rest);
    }
    fn finish(&mut self) -> Digest {
        digest::<C>(self.value())
    }
    saved!(remainder; this: this.remainder <= ones::<C>());
    fn kernel() -> &'static str {
        fold::best(Machine::detect().limit()).map_or("portable", |way| way.name)
    }
}

/// POSIX `cksum`: the length follows the message, least significant byte first, without leading zeros.
#[derive(Clone)]
pub(crate) struct Cksum<S> {
    crc: S,
    bytes: u64,
}

impl<S: StreamState> StreamState for Cksum<S> {
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
    fn save(&self, into: &mut Vec<u8>) -> bool {
        self.bytes.put(into);
        self.crc.save(into)
    }
    fn load(&mut self, from: &mut &[u8]) -> Option<()> {
        self.bytes = Field::take(from)?;
        self.crc.load(from)
    }
    fn kernel() -> &'static str {
        S::kernel()
    }
}

/// Joins checksums of segments by shifting one past the length of the next.
pub(crate) struct CrcTree<C>(pub PhantomData<C>);

impl<C: Code> SegmentTree for CrcTree<C> {
    fn segment_bytes(&self) -> u64 {
        SEGMENT
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

/// Does the same for [`Cksum`]: the length is another, short segment.
pub(crate) struct CksumTree;

impl SegmentTree for CksumTree {
    fn segment_bytes(&self) -> u64 {
        SEGMENT
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

/// Returns the node of adjacent segments together.
fn combined<C: Code>(nodes: &[Node]) -> Node {
    let join = |left: Node, right: &Node| {
        node(joined::<C>(value(&left), value(right), right.bytes), left.bytes + right.bytes)
    };
    nodes.iter().fold(node(checksum::<C>(&[]), 0), join)
}

/// Returns the checksum of two consecutive messages; the second has this many bytes. The ones before and after both
/// messages cancel out.
fn joined<C: Code>(left: u64, right: u64, bytes: u64) -> u64 {
    let behind = if C::REFLECTED { 0 } else { ones::<C>() };
    let left = turned::<C>(left ^ behind);
    turned::<C>(keys::shifted(left, bytes, C::SHIFTS, C::POLYNOMIAL, 8 * C::BYTES as u32)) ^ right
}

/// Returns a length's bytes without leading zeros.
fn length(little: &[u8; 8]) -> &[u8] {
    let used = 8 - u64::from_le_bytes(*little).leading_zeros() as usize / 8;
    &little[..used]
}

fn digest<C: Code>(checksum: u64) -> Digest {
    Digest::new(&checksum.to_be_bytes()[8 - C::BYTES..])
}

/// Returns the checksum of a message.
fn checksum<C: Code>(bytes: &[u8]) -> u64 {
    let mut crc = Crc::<C>::new();
    crc.update(bytes);
    crc.value()
}

/// Converts between the bit orders of remainder and checksum.
fn turned<C: Code>(remainder: u64) -> u64 {
    if C::REFLECTED { remainder } else { remainder.reverse_bits() >> (64 - 8 * C::BYTES) }
}

/// Computes the CRC-32C of a message: for blocks of a file, which are too many and too short for a [`crate::Bank`].
pub fn crc32c(bytes: &[u8]) -> u32 {
    checksum::<Castagnoli>(bytes) as u32
}

/// Computes the CRC-32C of a message that goes on behind one with this CRC-32C.
pub fn crc32c_after(first: u32, rest: &[u8]) -> u32 {
    let mut crc = Crc::<Castagnoli>::new();
    crc.remainder ^= u64::from(first);
    crc.update(rest);
    crc.value() as u32
}

/// Computes the CRC-32C of two consecutive messages from those of each. The second has this many bytes.
pub fn crc32c_joined(first: u32, second: u32, second_bytes: u64) -> u32 {
    joined::<Castagnoli>(first.into(), second.into(), second_bytes) as u32
}

/// Returns ones in all bits of a checksum.
fn ones<C: Code>() -> u64 {
    u64::MAX >> (64 - 8 * C::BYTES)
}

#[cfg(test)]
mod tests;
