//! The digest of a stream in any mode.

use super::blocks::{Blocks, Cut};
use super::whole::Whole;
use super::{MINIMUM, Version};
use crate::likeness::{Likeness, Refusal};

/// The length in bytes from which streams are cut into blocks by default.
const LARGE: u64 = 16 << 20;
/// The default and maximum length of a block in bytes.
const BLOCK: u32 = 16 << 10;
/// The default length of a segment in bytes.
const SEGMENT: u64 = 128 << 20;

/// The way in which a stream is hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// As a whole if it is shorter than 16 MiB, otherwise by blocks of 16 KiB.
    Auto,
    /// As a whole (`-b 0`).
    Whole,
    /// By blocks of 1 to 16 KiB (`-b`), in segments of at least 1 MiB (`-z`).
    Blocks {
        /// The length of a block in KiB.
        kib: u32,
        /// The length of a segment in MiB; the reference program's default is 128.
        segment: u64,
    },
}

/// The hash of a stream.
pub struct SdhashStream {
    whole: Option<Whole>,
    blocks: Option<Blocks>,
    mode: Mode,
    size: u64,
}

impl SdhashStream {
    /// Creates a hash in this mode, as computed by this version.
    ///
    /// [`Mode::Auto`] computes both kinds until the length decides: call [`Likeness::expect`] if it is known.
    pub fn new(mode: Mode, version: Version) -> Self {
        let cut = match mode {
            Mode::Blocks { kib, segment } => {
                Cut { block: kib.clamp(1, BLOCK >> 10) << 10, segment: segment.clamp(1, 1 << 40) << 20 }
            }
            Mode::Auto | Mode::Whole => Cut { block: BLOCK, segment: SEGMENT },
        };
        let whole = (!matches!(mode, Mode::Blocks { .. })).then(|| Whole::new(version));
        let blocks = (mode != Mode::Whole).then(|| Blocks::new(cut));
        SdhashStream { whole, blocks, mode, size: 0 }
    }
}

impl Likeness for SdhashStream {
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

    fn finish(&mut self) -> Result<crate::LikenessDigest, Refusal> {
        if self.size < MINIMUM {
            return Err(Refusal::TooSmall { minimum: MINIMUM });
        }
        let whole = self.whole.as_mut().map(|whole| vec![whole.finish(self.size)]);
        let segments = whole.or_else(|| self.blocks.as_mut().map(Blocks::finish));
        Ok(crate::LikenessDigest::Sdhash(segments.unwrap_or_default()))
    }
}
