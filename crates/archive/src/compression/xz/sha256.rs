//! SHA-256 (FIPS 180-4): few files have it as their check, so that it need not be fast.

/// The constants of the rounds.
#[rustfmt::skip]
const K: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

/// SHA-256, as bytes come.
pub(super) struct Sha256 {
    state: [u32; 8],
    /// The bytes that don't fill a block yet.
    rest: Vec<u8>,
    length: u64,
}

impl Sha256 {
    /// Creates the state of no bytes.
    pub(super) fn new() -> Sha256 {
        let state =
            [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];
        Sha256 { state, rest: Vec::with_capacity(64), length: 0 }
    }

    /// Adds bytes.
    pub(super) fn update(&mut self, mut bytes: &[u8]) {
        self.length = self.length.wrapping_add(bytes.len() as u64);
        if !self.rest.is_empty() {
            let (now, later) = bytes.split_at((64 - self.rest.len()).min(bytes.len()));
            self.rest.extend_from_slice(now);
            bytes = later;
            let Some(&block) = self.rest.first_chunk() else { return };
            compress(&mut self.state, &block);
            self.rest.clear();
        }
        let (blocks, rest) = bytes.as_chunks();
        blocks.iter().for_each(|block| compress(&mut self.state, block));
        self.rest.extend_from_slice(rest);
    }

    /// Returns the digest of all bytes.
    pub(super) fn sum(mut self) -> [u8; 32] {
        let bits = self.length.wrapping_mul(8);
        self.update(&[0x80]);
        while self.rest.len() != 56 {
            self.update(&[0]);
        }
        self.update(&bits.to_be_bytes());
        let mut digest = [0; 32];
        let (words, _) = digest.as_chunks_mut();
        words.iter_mut().zip(self.state).for_each(|(word, state)| *word = state.to_be_bytes());
        digest
    }
}

/// Adds a block (section 6.2.2).
fn compress(state: &mut [u32; 8], block: &[u8; 64]) {
    let mut words = [0_u32; 16];
    let (bytes, _) = block.as_chunks();
    words.iter_mut().zip(bytes).for_each(|(word, bytes)| *word = u32::from_be_bytes(*bytes));
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (round, k) in K.iter().enumerate() {
        let at = |back: usize| words[(round + 16 - back) % 16];
        let word = if round < 16 {
            words[round]
        } else {
            let (x, y) = (at(15), at(2));
            let small = x.rotate_right(7) ^ x.rotate_right(18) ^ (x >> 3);
            let large = y.rotate_right(17) ^ y.rotate_right(19) ^ (y >> 10);
            at(16).wrapping_add(small).wrapping_add(at(7)).wrapping_add(large)
        };
        words[round % 16] = word;
        let large = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let first = [large, choice, *k, word].into_iter().fold(h, u32::wrapping_add);
        let small = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let second = small.wrapping_add((a & b) ^ (a & c) ^ (b & c));
        (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(first), c, b, a, first.wrapping_add(second));
    }
    for (state, value) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *state = state.wrapping_add(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8], split: usize) -> String {
        let mut hash = Sha256::new();
        let (first, second) = bytes.split_at(split);
        hash.update(first);
        hash.update(second);
        hash.sum().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn known_answers_hold_for_every_split() {
        assert_eq!(hex(b"", 0), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        let text = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        for split in 0..=text.len() {
            let digest = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";
            assert_eq!(hex(text, split), digest, "{split}");
        }
    }
}
