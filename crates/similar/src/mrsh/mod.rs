//! mrsh-v2: Bloom filters of the hashes of content-defined pieces.
//!
//! Source: Breitinger and Baier, "Similarity preserving hashing: eligible properties and a new algorithm
//! MRSH-v2" (2012), and the reference program of 2013 (Apache-2.0).

mod list;
mod marks;
mod score;
mod set;
mod stream;

pub use list::{line, parse};
pub use set::{Set, Whole};
pub(crate) use stream::MrshStream;
pub use stream::Variant;

use crate::bloom::Filter;

/// The maximum number of pieces in a filter.
const FULL: u32 = 160;
/// The minimum number of pieces of a filter that is compared.
const FEWEST: u32 = 8;

/// A digest of mrsh-v2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MrshDigest {
    /// The length of the stream, in bytes.
    pub size: u64,
    /// The filters, at least one. All but the last one hold 160 pieces.
    pub filters: Vec<Filter>,
    /// The number of pieces in the last filter.
    pub last: u32,
}

impl MrshDigest {
    /// Returns the number of pieces in a filter.
    pub fn pieces(&self, filter: usize) -> u32 {
        if filter + 1 == self.filters.len() { self.last } else { FULL }
    }

    /// Returns whether its filters and numbers are valid.
    pub(crate) fn is_whole(&self) -> bool {
        !self.filters.is_empty() && self.last <= FULL
    }

    /// Returns whether it has too few pieces to be compared.
    pub fn is_sparse(&self) -> bool {
        self.filters.len() == 1 && self.last < FEWEST
    }
}
