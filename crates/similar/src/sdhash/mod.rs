//! sdhash: Bloom filters of those 64-byte windows that are the rarest in their neighbourhood.
//!
//! Source: Roussev, "Data fingerprinting with similarity digests" (2010), and the reference programs 3.4 and
//! 4.0 (Apache-2.0).

mod blocks;
mod features;
mod list;
mod popularity;
mod score;
mod set;
mod stream;
mod tables;
mod whole;

pub(crate) use list::{join, segment_name};
pub use list::{lines, parse};
pub use score::{Fast, Newer, Older, Scoring};
pub use set::Set;
pub use stream::{Mode, SdhashStream};

use crate::bloom::Filter;

/// The minimum length of a stream, in bytes.
pub const MINIMUM: u64 = 512;
/// The minimum number of elements of a filter that is compared.
const FEWEST: u8 = 16;
/// The maximum number of elements in a filter of a whole stream.
const FULL: u8 = 160;
/// The maximum number of elements in a filter of a block.
const BLOCK_FULL: u8 = 192;

/// The release of the reference program with the same digests. Digests of whole streams differ between releases, but
/// their text does not contain the release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Version {
    /// Each filter skips elements that it already holds.
    V3_4,
    /// Elements of earlier filters are skipped, too.
    V4_0,
}

/// The division of the stream into filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    /// The stream as a whole: `sdbf`.
    Whole,
    /// One filter for each block of this many bytes: `sdbf-dd`.
    Blocks(u32),
}

/// A digest of sdhash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SdhashDigest {
    /// The division of the stream into filters.
    pub layout: Layout,
    /// The length of the stream or segment, in bytes.
    pub size: u64,
    /// The offset of the segment in MiB, if the stream was cut into segments.
    pub offset: Option<u64>,
    /// The filters, at least one.
    pub filters: Vec<Filter>,
    /// The number of elements in each filter.
    pub counts: Vec<u8>,
}

/// The number of elements below which two unrelated digests may score high.
const SPARSE: u64 = 64;

impl SdhashDigest {
    /// Returns whether its filters and numbers are valid.
    pub(crate) fn is_whole(&self) -> bool {
        let most = if self.layout == Layout::Whole { FULL } else { BLOCK_FULL };
        !self.filters.is_empty()
            && self.filters.len() == self.counts.len()
            && self.counts.iter().all(|count| *count <= most)
    }

    /// Returns whether it has so few elements that unrelated files may score high.
    pub fn is_sparse(&self) -> bool {
        self.counts.iter().map(|count| u64::from(*count)).sum::<u64>() < SPARSE
    }
}
