//! XXH32, the checksum of LZ4.

/// The primes of the algorithm.
const P: [u32; 5] = [0x9E37_79B1, 0x85EB_CA77, 0xC2B2_AE3D, 0x27D4_EB2F, 0x1656_67B1];

/// XXH32 with a seed of zero, as bytes come.
#[derive(Clone)]
pub(super) struct Xxh32 {
    lanes: [u32; 4],
    /// The bytes that don't fill a stripe yet.
    rest: Vec<u8>,
    length: u64,
}

impl Xxh32 {
    /// Creates the state of no bytes.
    pub(super) fn new() -> Xxh32 {
        let lanes = [P[0].wrapping_add(P[1]), P[1], 0, 0_u32.wrapping_sub(P[0])];
        Xxh32 { lanes, rest: Vec::with_capacity(16), length: 0 }
    }

    /// Returns the checksum of bytes.
    pub(super) fn of(bytes: &[u8]) -> u32 {
        let mut state = Xxh32::new();
        state.update(bytes);
        state.sum()
    }

    /// Adds bytes.
    pub(super) fn update(&mut self, mut bytes: &[u8]) {
        self.length = self.length.wrapping_add(bytes.len() as u64);
        if !self.rest.is_empty() {
            let (now, later) = bytes.split_at((16 - self.rest.len()).min(bytes.len()));
            self.rest.extend_from_slice(now);
            bytes = later;
            let Some(&stripe) = self.rest.first_chunk() else { return };
            self.stripe(&stripe);
            self.rest.clear();
        }
        let (stripes, rest) = bytes.as_chunks();
        stripes.iter().for_each(|stripe| self.stripe(stripe));
        self.rest.extend_from_slice(rest);
    }

    /// Adds 16 bytes: four to every lane.
    fn stripe(&mut self, stripe: &[u8; 16]) {
        let (words, _) = stripe.as_chunks();
        for (lane, word) in self.lanes.iter_mut().zip(words) {
            let sum = lane.wrapping_add(u32::from_le_bytes(*word).wrapping_mul(P[1]));
            *lane = sum.rotate_left(13).wrapping_mul(P[0]);
        }
    }

    /// Returns the checksum of all bytes so far.
    pub(super) fn sum(&self) -> u32 {
        let mut hash = P[4];
        if self.length >= 16 {
            let turned = self.lanes.iter().zip([1, 7, 12, 18]).map(|(lane, by)| lane.rotate_left(by));
            hash = turned.fold(0, u32::wrapping_add);
        }
        // The length is taken modulo 2^32.
        hash = hash.wrapping_add(self.length as u32);
        let (words, bytes) = self.rest.as_chunks();
        for word in words {
            let sum = hash.wrapping_add(u32::from_le_bytes(*word).wrapping_mul(P[2]));
            hash = sum.rotate_left(17).wrapping_mul(P[3]);
        }
        for &byte in bytes {
            hash = hash.wrapping_add(u32::from(byte).wrapping_mul(P[4])).rotate_left(11).wrapping_mul(P[0]);
        }
        hash = (hash ^ (hash >> 15)).wrapping_mul(P[1]);
        hash = (hash ^ (hash >> 13)).wrapping_mul(P[2]);
        hash ^ (hash >> 16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers_hold_for_every_split() {
        assert_eq!(Xxh32::of(b""), 0x02CC_5D05);
        assert_eq!(Xxh32::of(b"a"), 0x550D_7456);
        assert_eq!(Xxh32::of(b"abc"), 0x32D1_53FF);
        let text = b"Nobody inspects the spammish repetition";
        for at in 0..=text.len() {
            let mut state = Xxh32::new();
            state.update(&text[..at]);
            state.update(&text[at..]);
            assert_eq!(state.sum(), 0xE229_3B2F, "{at}");
        }
    }
}
