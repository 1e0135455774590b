//! Checksums by tables, eight bytes at a time, on plain machine words.

use super::{Code, digest};
use crate::Digest;
use crate::bank::Stream;
use std::marker::PhantomData;

/// The streaming checksum.
pub(crate) struct CrcTable<C> {
    /// The remainder, with the bit of the highest power last.
    remainder: u64,
    code: PhantomData<C>,
}

impl<C: Code> Stream for CrcTable<C> {
    fn new() -> Self {
        CrcTable { remainder: if C::REFLECTED { ones::<C>() } else { 0 }, code: PhantomData }
    }
    fn update(&mut self, bytes: &[u8]) {
        let (chunks, rest) = bytes.as_chunks::<8>();
        for chunk in chunks {
            let word = self.remainder ^ order::<C>(u64::from_le_bytes(*chunk));
            let place = |place: usize| C::TABLES[7 - place][(word >> (8 * place)) as usize & 255];
            self.remainder = (0..8).fold(0, |sum, at| sum ^ place(at));
        }
        for byte in rest {
            let word = self.remainder ^ order::<C>(u64::from(*byte));
            self.remainder = self.remainder >> 8 ^ C::TABLES[0][word as usize & 255];
        }
    }
    fn finish(&mut self) -> Digest {
        digest::<C>(self.value())
    }
    fn kernel() -> &'static str {
        "portable"
    }
}

impl<C: Code> CrcTable<C> {
    fn value(&self) -> u64 {
        let unused = 64 - 8 * C::BYTES as u32;
        let value = if C::REFLECTED { self.remainder } else { self.remainder.reverse_bits() >> unused };
        value ^ ones::<C>()
    }
}

/// The checksum of a whole message.
pub(super) fn checksum<C: Code>(bytes: &[u8]) -> u64 {
    let mut crc = CrcTable::<C>::new();
    crc.update(bytes);
    crc.value()
}

fn ones<C: Code>() -> u64 {
    u64::MAX >> (64 - 8 * C::BYTES)
}

/// The bytes, with the bits of each in the order of their powers, highest first.
fn order<C: Code>(bytes: u64) -> u64 {
    if C::REFLECTED { bytes } else { bytes.reverse_bits().swap_bytes() }
}

/// What the polynomial makes of each byte when 0 to 7 zero bytes follow.
pub(super) const fn tables(polynomial: u64) -> [[u64; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut at = 0;
    while at < 8 * 256 {
        let (place, byte) = (at / 256, at % 256);
        let mut remainder = if place == 0 { byte as u64 } else { tables[place - 1][byte] };
        let mut bit = 0;
        while bit < 8 {
            remainder = remainder >> 1 ^ (polynomial & (remainder & 1).wrapping_neg());
            bit += 1;
        }
        tables[place][byte] = remainder;
        at += 1;
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::super::{Castagnoli, Posix, Xz, Zip};
    use super::*;

    fn agrees<C: Code>() {
        let message: Vec<u8> = (0..300_u32).map(|i| ((i * i) >> 3) as u8).collect();
        for length in 0..message.len() {
            let expected = crc_fast::checksum(C::ALGORITHM, &message[..length]);
            assert_eq!(checksum::<C>(&message[..length]), expected, "{length} bytes");
        }
    }

    #[test]
    fn tables_and_the_crate_agree() {
        agrees::<Zip>();
        agrees::<Castagnoli>();
        agrees::<Xz>();
        agrees::<Posix>();
    }
}
