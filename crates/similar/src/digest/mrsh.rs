//! The digest of mrsh-v2, and its line in a file.

use crate::bloom::Filter;

/// The maximum number of pieces in a filter.
pub(crate) const FULL: u32 = 160;
/// The minimum number of pieces of a filter that is compared.
pub(crate) const FEWEST: u32 = 8;

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

/// Returns the line of a file, without its end; the reference program adds an empty line after it.
///
/// The size is written like in the program of 2013, as a signed 32-bit number.
pub fn line(digest: &MrshDigest, name: &[u8]) -> Vec<u8> {
    let mut line = name.to_vec();
    let (size, filters) = (digest.size as i32, digest.filters.len() - 1);
    line.extend_from_slice(format!(":{size}:{filters}:{}:", digest.last).as_bytes());
    let digit = |nibble: u8| b"0123456789ABCDEF"[usize::from(nibble)];
    for byte in digest.filters.iter().flat_map(Filter::to_bytes) {
        line.extend_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
    }
    line
}
