//! Snefru 2.5 with 8 passes (R. Merkle, "A fast software one-way hash function", 1990). Collisions can be made.
//!
//! A partial block is padded with zeros, and a last block has only the length in bits.

mod boxes;

use crate::Digest;
use crate::bank::StreamState;
use crate::field::saved;
use crate::stream::Carry;
use boxes::BOXES;

/// Snefru with 4 or 8 words of digest. The rest of 16 words is the block.
#[derive(Clone)]
pub(crate) struct Snefru<const WORDS: usize> {
    state: [u32; WORDS],
    carry: Carry,
    bytes: u64,
}

/// The words that a pass transforms.
const ALL: usize = 16;

impl<const WORDS: usize> Snefru<WORDS> {
    const BLOCK: usize = 4 * (ALL - WORDS);
}

impl<const WORDS: usize> StreamState for Snefru<WORDS> {
    fn new() -> Self {
        Snefru { state: [0; WORDS], carry: Carry::new(), bytes: 0 }
    }

    fn update(&mut self, bytes: &[u8]) {
        self.bytes = self.bytes.wrapping_add(bytes.len() as u64);
        let state = &mut self.state;
        let blocks =
            |blocks: &[u8]| blocks.chunks_exact(Self::BLOCK).for_each(|block| compress(state, block));
        self.carry.feed(Self::BLOCK, 0, bytes, blocks);
    }

    fn finish(&mut self) -> Digest {
        let mut block = [0; 4 * ALL];
        let rest = self.carry.rest();
        if !rest.is_empty() {
            block[..rest.len()].copy_from_slice(rest);
            compress(&mut self.state, &block[..Self::BLOCK]);
            block.fill(0);
        }
        block[Self::BLOCK - 8..Self::BLOCK].copy_from_slice(&(self.bytes << 3).to_be_bytes());
        compress(&mut self.state, &block[..Self::BLOCK]);
        Digest::new(self.state.map(u32::to_be_bytes).as_flattened())
    }

    saved!(state, carry, bytes; this: this.carry.fits(Self::BLOCK, 0, this.bytes));

    fn kernel() -> &'static str {
        "portable"
    }
}

/// Compresses one block.
fn compress<const WORDS: usize>(state: &mut [u32; WORDS], block: &[u8]) {
    let mut words = [0; ALL];
    words[..WORDS].copy_from_slice(state);
    for (word, bytes) in words[WORDS..].iter_mut().zip(block.as_chunks::<4>().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    for pair in BOXES.as_chunks::<2>().0 {
        for turn in [16, 8, 16, 24] {
            for at in 0..ALL {
                // Two words use one box, the next two the other.
                let value = pair[at / 2 % 2][(words[at] & 255) as usize];
                words[(at + 15) % ALL] ^= value;
                words[(at + 1) % ALL] ^= value;
            }
            words = words.map(|word| word.rotate_right(turn));
        }
    }
    for (word, mixed) in state.iter_mut().zip(words.iter().rev()) {
        *word ^= mixed;
    }
}
