//! sdhash: Bloom filters of the windows of 64 bytes that are the least common in their neighbourhood.
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
pub use score::{Fast, Newer, Older, Scoring, score};
pub use set::Set;
pub use stream::{Mode, Stream};

use crate::bloom::Filter;

/// The shortest stream that has a digest, in bytes.
pub const MINIMUM: u64 = 512;
/// A filter with fewer elements is not compared.
const FEWEST: u8 = 16;
/// Elements that a filter of a whole stream takes.
const FULL: u8 = 160;
/// Elements that a filter of a block takes.
const BLOCK_FULL: u8 = 192;

/// The release of the reference program that gives the same digests. Digests of whole streams differ between releases,
/// and their text does not say the release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Version {
    /// Each filter leaves out what it already holds.
    V3_4,
    /// Elements of earlier filters are left out, too.
    V4_0,
}

/// What the filters stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    /// The stream as a whole: `sdbf`.
    Whole,
    /// One filter for each block of this many bytes: `sdbf-dd`.
    Blocks(u32),
}

/// A digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// What the filters stand for.
    pub layout: Layout,
    /// The length of the stream or segment, in bytes.
    pub size: u64,
    /// Where the segment begins, in MiB, if the stream was cut into segments.
    pub offset: Option<u64>,
    /// The filters, at least one.
    pub filters: Vec<Filter>,
    /// The elements of each.
    pub counts: Vec<u8>,
}

/// Two unrelated digests with fewer elements may score high.
const SPARSE: u64 = 64;

impl Digest {
    /// Whether it has the filters and numbers that a digest has.
    pub(crate) fn is_whole(&self) -> bool {
        let most = if self.layout == Layout::Whole { FULL } else { BLOCK_FULL };
        !self.filters.is_empty()
            && self.filters.len() == self.counts.len()
            && self.counts.iter().all(|count| *count <= most)
    }

    /// Whether it holds so few elements that unrelated files may score high.
    pub fn is_sparse(&self) -> bool {
        self.counts.iter().map(|count| u64::from(*count)).sum::<u64>() < SPARSE
    }
}
