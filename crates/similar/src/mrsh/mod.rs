//! mrsh-v2: Bloom filters of the hashes of pieces that the content cuts.
//!
//! Source: Breitinger and Baier, "Similarity preserving hashing: eligible properties and a new algorithm
//! MRSH-v2" (2012), and the reference program of 2013 (Apache-2.0).

mod list;
mod marks;
mod score;
mod set;
mod stream;

pub use list::{line, parse};
pub use score::{Denominator, score};
pub use set::{Set, Whole};
pub(crate) use stream::Stream;
pub use stream::Variant;

use crate::bloom::Filter;

/// Pieces that one filter takes.
const FULL: u32 = 160;
/// Pieces without which a filter is not compared.
const FEWEST: u32 = 8;

/// A digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// The length of the stream, in bytes.
    pub size: u64,
    /// The filters, at least one. All but the last hold 160 pieces.
    pub filters: Vec<Filter>,
    /// The pieces of the last filter.
    pub last: u32,
}

impl Digest {
    /// The pieces of a filter.
    pub fn pieces(&self, filter: usize) -> u32 {
        if filter + 1 == self.filters.len() { self.last } else { FULL }
    }

    /// Whether it has the filters and numbers that a digest has.
    pub(crate) fn is_whole(&self) -> bool {
        !self.filters.is_empty() && self.last <= FULL
    }

    /// Whether there are too few pieces to be compared.
    pub fn is_sparse(&self) -> bool {
        self.filters.len() == 1 && self.last < FEWEST
    }
}
