//! Random content.

/// Random numbers.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 8) as usize % bound.max(1)
    }

    /// Returns a number of some bits at most, each number of bits as often as the others.
    pub(super) fn short(&mut self, bits: usize) -> usize {
        let bits = self.below(bits + 1);
        self.below(1 << bits)
    }

    /// Returns content of a random length, most of them short.
    pub(super) fn content(&mut self, most: u32) -> Vec<u8> {
        let length = self.short(most as usize);
        let mut content = Vec::with_capacity(length + 64);
        while content.len() < length {
            let part = 1 + self.below(3000);
            match self.below(6) {
                0 => content.extend((0..part).map(|_| self.next() as u8)),
                1 => content.extend((0..part).map(|_| b"etaoin shrdlu\n"[self.below(14)])),
                2 => content.resize(content.len() + part * 10, self.next() as u8),
                3 => content.extend((0..part).flat_map(|at| (at as u32 * 7).to_le_bytes())),
                // Calls of x86 and branches of ARM.
                4 => (0..part / 8).for_each(|_| {
                    let to = (self.next() as u32 & 0xFFFF).to_le_bytes();
                    content.extend([0xE8, to[0], to[1], to[2], to[3], 0x90, to[1], 0xEB]);
                }),
                _ if content.is_empty() => {}
                _ => {
                    let from = self.below(content.len());
                    let to = (from + part).min(content.len());
                    content.extend_from_within(from..to);
                }
            }
        }
        content.truncate(length);
        content
    }
}
