//! The digest of a stream in any mode.

use super::blocks::{Blocks, Cut};
use super::whole::Whole;
use super::{MINIMUM, Version};
use crate::likeness::{Likeness, Refusal};

/// Streams of at least this many bytes are cut into blocks, unless the mode says otherwise.
const LARGE: u64 = 16 << 20;
/// Bytes of a block unless the mode says otherwise, and the most that it may say.
const BLOCK: u32 = 16 << 10;
/// Bytes of a segment unless the mode says otherwise.
const SEGMENT: u64 = 128 << 20;

/// How a stream is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// As a whole if it is shorter than 16 MiB, by blocks of 16 KiB otherwise.
    Auto,
    /// As a whole (`-b 0`).
    Whole,
    /// By blocks of so many KiB (`-b`), at least 1 and at most 16, in segments of so many MiB (`-z`), at
    /// least 1.
    Blocks {
        /// KiB of a block.
        kib: u32,
        /// MiB of a segment; the reference's default is 128.
        segment: u64,
    },
}

/// The hash.
pub struct Stream {
    whole: Option<Whole>,
    blocks: Option<Blocks>,
    mode: Mode,
    size: u64,
}

impl Stream {
    /// A hash in this mode, as this version computes it.
    ///
    /// In [`Mode::Auto`] both kinds are computed until the length decides. Tell the length by [`Likeness::expect`] where
    /// it is known.
    pub fn new(mode: Mode, version: Version) -> Self {
        let cut = match mode {
            Mode::Blocks { kib, segment } => {
                Cut { block: kib.clamp(1, BLOCK >> 10) << 10, segment: segment.clamp(1, 1 << 40) << 20 }
            }
            Mode::Auto | Mode::Whole => Cut { block: BLOCK, segment: SEGMENT },
        };
        let whole = (!matches!(mode, Mode::Blocks { .. })).then(|| Whole::new(version));
        let blocks = (mode != Mode::Whole).then(|| Blocks::new(cut));
        Stream { whole, blocks, mode, size: 0 }
    }
}

impl Likeness for Stream {
    fn expect(&mut self, size: u64) {
        if self.mode == Mode::Auto && size < LARGE {
            self.blocks = None;
        } else if self.mode == Mode::Auto {
            self.whole = None;
        }
    }

    fn update(&mut self, bytes: &[u8]) {
        self.size += bytes.len() as u64;
        if self.size >= LARGE && self.mode == Mode::Auto && self.blocks.is_some() {
            self.whole = None;
        }
        if let Some(whole) = &mut self.whole {
            whole.update(bytes);
        }
        if let Some(blocks) = &mut self.blocks {
            blocks.update(bytes);
        }
    }

    fn finish(&mut self) -> Result<crate::Digest, Refusal> {
        if self.size < MINIMUM {
            return Err(Refusal::TooSmall { minimum: MINIMUM });
        }
        let whole = self.whole.as_mut().map(|whole| vec![whole.finish(self.size)]);
        let segments = whole.or_else(|| self.blocks.as_mut().map(Blocks::finish));
        Ok(crate::Digest::Sdhash(segments.unwrap_or_default()))
    }
}
