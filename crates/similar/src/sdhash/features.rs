//! The hashes of chosen windows, as bits of a filter.

use super::popularity::WINDOW;

/// Computes SHA-1 of several windows at once.
#[derive(Default)]
pub(super) struct Features {
    windows: Vec<[u8; WINDOW]>,
    digests: Vec<[u8; 20]>,
}

impl Features {
    pub(super) fn push(&mut self, window: [u8; WINDOW]) {
        self.windows.push(window);
    }

    /// Returns the hashes of the added windows and clears them. The low bits of each number select a bit of a filter.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = [u32; 5]> {
        self.digests.resize(self.windows.len(), [0; 20]);
        hashmill_digest::sha1_of_blocks(&self.windows, &mut self.digests);
        self.windows.clear();
        self.digests.drain(..).map(|digest| {
            let word = |i: usize| digest[4 * i..].first_chunk().copied().unwrap_or_default();
            std::array::from_fn(|i| u32::from_le_bytes(word(i)))
        })
    }
}
