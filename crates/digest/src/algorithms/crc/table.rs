//! Remainders by tables, eight bytes at a time, on plain machine words.

use super::Code;

/// Returns the remainder of a message that ends with these bytes.
pub(super) fn remainder<C: Code>(before: u64, bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let words = words.iter().map(|word| order::<C>(u64::from_le_bytes(*word)));
    let remainder = words.fold(before, after_word::<C>);
    rest.iter().fold(remainder, |remainder, byte| {
        let word = remainder ^ order::<C>(u64::from(*byte));
        remainder >> 8 ^ C::TABLES[0][word as usize & 255]
    })
}

/// Returns the remainder of a message that ends with eight bytes, given with their bits in the order of their powers.
pub(super) fn after_word<C: Code>(before: u64, word: u64) -> u64 {
    let word = before ^ word;
    let place = |place: usize| C::TABLES[7 - place][(word >> (8 * place)) as usize & 255];
    (0..8).fold(0, |sum, at| sum ^ place(at))
}

/// Returns the bytes with the bits of each in the order of their powers, highest first.
fn order<C: Code>(bytes: u64) -> u64 {
    if C::REFLECTED { bytes } else { bytes.reverse_bits().swap_bytes() }
}

/// Returns the remainder of each byte followed by 0 to 7 zero bytes.
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
