//! Memory for direct reads.

use std::fmt;
use std::ops::{Deref, DerefMut};

/// The alignment in bytes that direct reads require of addresses, offsets and lengths. Devices have sectors of 512 or
/// 4096 bytes; 4096 serves both.
pub(crate) const ALIGNMENT: usize = 4096;

/// Bytes that start at a multiple of 4096 and are initially zero.
pub struct AlignedBytes {
    /// One page longer than requested, so that the requested bytes can start at a page. Zeroed memory from the
    /// allocator costs nothing until it is touched; aligned memory would be written at once.
    bytes: Box<[u8]>,
    start: usize,
    length: usize,
}

impl AlignedBytes {
    /// Allocates `length` zeros.
    pub fn zeroed(length: usize) -> AlignedBytes {
        if length == 0 {
            return AlignedBytes::default();
        }
        let bytes = vec![0; length + ALIGNMENT].into_boxed_slice();
        let start = bytes.as_ptr().align_offset(ALIGNMENT);
        AlignedBytes { bytes, start, length }
    }
}

impl Default for AlignedBytes {
    /// Returns no bytes, without allocating.
    fn default() -> Self {
        AlignedBytes { bytes: Box::default(), start: 0, length: 0 }
    }
}

impl Deref for AlignedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.start..self.start + self.length]
    }
}

impl DerefMut for AlignedBytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.length]
    }
}

impl fmt::Debug for AlignedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} aligned bytes", self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_start_at_a_page_and_are_zero() {
        for length in [0, 1, 4095, 4096, 4097, 1 << 20] {
            let mut bytes = AlignedBytes::zeroed(length);
            assert_eq!(bytes.len(), length);
            assert!(length == 0 || bytes.as_ptr().addr().is_multiple_of(4096));
            assert!(bytes.iter().all(|&byte| byte == 0));
            bytes.fill(1);
            let moved = bytes;
            assert!(length == 0 || moved.as_ptr().addr().is_multiple_of(4096));
            assert!(moved.iter().all(|&byte| byte == 1));
        }
    }
}
