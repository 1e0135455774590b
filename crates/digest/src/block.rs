//! What all block hashes share: partial blocks, the count of bytes, and the padding.
//!
//! A [`BlockHash`] says how its padding differs; [`Blocks`] is the streaming hash made of it.

use crate::Digest;
use crate::bank::Stream;
use crate::hw::{Choice, Path};

/// Bytes that do not fill a block yet.
#[derive(Clone)]
pub(crate) struct Carry<const N: usize> {
    bytes: [u8; N],
    filled: usize,
}

impl<const N: usize> Carry<N> {
    /// No bytes.
    pub fn new() -> Self {
        Carry { bytes: [0; N], filled: 0 }
    }

    /// Takes bytes; gives every run of whole blocks to `take`, and keeps the rest (less than a block).
    pub fn feed(&mut self, mut bytes: &[u8], mut take: impl FnMut(&[u8])) {
        if self.filled > 0 {
            let wanted = bytes.len().min(N - self.filled);
            self.bytes[self.filled..self.filled + wanted].copy_from_slice(&bytes[..wanted]);
            self.filled += wanted;
            bytes = &bytes[wanted..];
            if self.filled < N {
                return;
            }
            take(&self.bytes);
        }
        let whole = bytes.len() - bytes.len() % N;
        if whole > 0 {
            take(&bytes[..whole]);
        }
        self.filled = bytes.len() - whole;
        self.bytes[..self.filled].copy_from_slice(&bytes[whole..]);
    }

    /// The bytes that wait.
    pub fn rest(&self) -> &[u8] {
        &self.bytes[..self.filled]
    }
}

/// How the bit count of the message ends the padding.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Length {
    /// 64 bits, least significant byte first.
    Little64,
    /// 64 bits, most significant byte first.
    Big64,
    /// 128 bits, most significant byte first.
    Big128,
    /// 256 bits, most significant byte first.
    Big256,
}

/// A hash in Merkle and Damgård's construction, of blocks of `N` bytes.
pub(crate) trait BlockHash<const N: usize>: Send + 'static {
    /// The chaining value.
    type State: Copy + Send + Sync + 'static;
    /// Its value before the first block.
    const START: Self::State;
    /// The byte after the message.
    const MARK: u8 = 0x80;
    /// The field at the end.
    const LENGTH: Length;
    /// The ways to take blocks.
    fn choice() -> &'static Choice<Self::State>;
    /// The digest that the last state stands for.
    fn digest(state: &Self::State) -> Digest;
}

/// The streaming hash made of a [`BlockHash`].
pub(crate) struct Blocks<H: BlockHash<N>, const N: usize> {
    state: H::State,
    path: &'static Path<H::State>,
    carry: Carry<N>,
    bytes: u64,
}

impl<H: BlockHash<N>, const N: usize> Stream for Blocks<H, N> {
    fn new() -> Self {
        Blocks { state: H::START, path: H::choice().best(), carry: Carry::new(), bytes: 0 }
    }

    fn update(&mut self, bytes: &[u8]) {
        self.bytes = self.bytes.wrapping_add(bytes.len() as u64);
        self.carry.feed(bytes, |blocks| (self.path.compress)(&mut self.state, blocks));
    }

    fn finish(&mut self) -> Digest {
        let (tail, used) = pad::<N>(self.carry.rest(), self.bytes, (H::MARK, H::LENGTH));
        (self.path.compress)(&mut self.state, tail[..used].as_flattened());
        H::digest(&self.state)
    }

    fn kernel() -> &'static str {
        H::choice().best().name
    }
}

/// The last one or two blocks of a message of `bytes` bytes that ends with `rest`, and how many they are.
pub(crate) fn pad<const N: usize>(rest: &[u8], bytes: u64, padding: (u8, Length)) -> ([[u8; N]; 2], usize) {
    let (mark, length) = padding;
    let bits = u128::from(bytes) << 3;
    let (field, width) = match length {
        // RFC 1321, 3.2: of a longer count only the low 64 bits are used.
        Length::Little64 => (((bits as u64).swap_bytes()).into(), 8),
        Length::Big64 => (bits & u128::from(u64::MAX), 8),
        Length::Big128 => (bits, 16),
        Length::Big256 => (bits, 32),
    };
    let mut tail = [[0; N]; 2];
    let flat = tail.as_flattened_mut();
    flat[..rest.len()].copy_from_slice(rest);
    flat[rest.len()] = mark;
    let used = if rest.len() + 1 + width <= N { 1 } else { 2 };
    let field: [u8; 16] = u128::to_be_bytes(field);
    let shown = width.min(16);
    flat[used * N - shown..used * N].copy_from_slice(&field[16 - shown..]);
    (tail, used)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_takes_a_second_block_only_when_the_length_does_not_fit() {
        for (rest, length, blocks) in [
            (55, Length::Big64, 1),
            (56, Length::Big64, 2),
            (55, Length::Little64, 1),
            (63, Length::Little64, 2),
            (47, Length::Big128, 1),
            (48, Length::Big128, 2),
            (31, Length::Big256, 1),
            (32, Length::Big256, 2),
        ] {
            let (_, used) = pad::<64>(&vec![1; rest], rest as u64, (0x80, length));
            assert_eq!(used, blocks, "{rest} {length:?}");
        }
    }

    #[test]
    fn bit_counts_past_32_and_past_64_bits_are_whole() {
        let (tail, _) = pad::<64>(&[], 1 << 29, (0x80, Length::Big64));
        assert_eq!(tail[0][56..], [0, 0, 0, 1, 0, 0, 0, 0]);
        let (tail, _) = pad::<64>(&[], (1 << 32) + 1, (0x80, Length::Little64));
        assert_eq!(tail[0][56..], [8, 0, 0, 0, 8, 0, 0, 0]);
        let (tail, _) = pad::<128>(&[], 1 << 61, (0x80, Length::Big128));
        assert_eq!(tail[0][112..], [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn carried_bytes_come_out_once_and_in_order() {
        let message: Vec<u8> = (0..200).collect();
        for first in 0..100 {
            for second in 0..100 {
                let mut carry = Carry::<16>::new();
                let mut seen = Vec::new();
                for part in [&message[..first], &message[first..first + second], &message[first + second..]] {
                    carry.feed(part, |blocks| seen.extend_from_slice(blocks));
                    assert_eq!(seen.len() % 16, 0);
                }
                seen.extend_from_slice(carry.rest());
                assert_eq!(seen, message);
            }
        }
    }
}
