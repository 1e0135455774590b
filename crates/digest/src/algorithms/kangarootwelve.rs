//! KangarooTwelve: KT128 with 256 bits of output and no customization (RFC 9861).

use super::keccak::TurboShake128;
use crate::Digest;
use crate::bank::StreamState;
use crate::field::{LONGEST_MESSAGE, saved};

/// The bytes of a leaf (RFC 9861, 3.2).
const LEAF: usize = 8192;

#[derive(Clone)]
pub(crate) struct KangarooTwelve {
    /// Takes the first leaf, and then the chaining value of each other leaf.
    root: TurboShake128,
    leaf: TurboShake128,
    /// The number of leaves begun, and the bytes of the newest.
    leaves: u64,
    filled: usize,
}

impl StreamState for KangarooTwelve {
    fn new() -> Self {
        let sponge = TurboShake128::new();
        KangarooTwelve { root: sponge.clone(), leaf: sponge, leaves: 1, filled: 0 }
    }

    fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.filled == LEAF {
                self.next_leaf();
            }
            let (now, later) = bytes.split_at(bytes.len().min(LEAF - self.filled));
            if self.leaves == 1 { &mut self.root } else { &mut self.leaf }.feed(now);
            self.filled += now.len();
            bytes = later;
        }
    }

    fn finish(&mut self) -> Digest {
        // The customization string is empty; its encoded length is one zero byte.
        self.update(&[0]);
        if self.leaves == 1 {
            return Digest::new(&self.root.squeeze(0x07));
        }
        self.end_leaf();
        let (count, used) = length_encode(self.leaves - 1);
        self.root.feed(&count[..used]);
        self.root.feed(&[0xff, 0xff]);
        Digest::new(&self.root.squeeze(0x06))
    }

    saved!(root, leaf, leaves, filled; this: this.filled <= LEAF && (1..=LONGEST_MESSAGE).contains(&this.leaves));

    fn kernel() -> &'static str {
        TurboShake128::kernel()
    }
}

impl KangarooTwelve {
    fn next_leaf(&mut self) {
        if self.leaves == 1 {
            self.root.feed(&[3, 0, 0, 0, 0, 0, 0, 0]);
        } else {
            self.end_leaf();
        }
        self.leaf = TurboShake128::new();
        self.leaves += 1;
        self.filled = 0;
    }

    fn end_leaf(&mut self) {
        let value = self.leaf.squeeze(0x0b);
        self.root.feed(&value);
    }
}

/// Returns the number's bytes without leading zeros, then their count (RFC 9861, 3.3).
fn length_encode(number: u64) -> ([u8; 9], usize) {
    let width = 8 - number.leading_zeros() as usize / 8;
    let mut code = [0; 9];
    code[..width].copy_from_slice(&number.to_be_bytes()[8 - width..]);
    code[width] = width as u8;
    (code, width + 1)
}

#[cfg(test)]
mod tests {
    use super::length_encode;

    #[test]
    fn lengths_are_encoded_as_in_the_rfc() {
        for (number, code) in [(0, &[0][..]), (12, &[12, 1]), (65538, &[1, 0, 2, 3])] {
            let (bytes, used) = length_encode(number);
            assert_eq!(&bytes[..used], code);
        }
    }
}
