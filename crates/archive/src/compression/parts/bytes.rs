//! Bytes of a medium from a position on.

use hashmill_disk::Medium;
use std::io::{self, Read};
use std::sync::Arc;

/// The bytes that are read at once where some can't be read.
const PAGE: u64 = 4 << 10;

/// A reader of the bytes between two positions.
pub(super) struct Bytes {
    medium: Arc<dyn Medium>,
    at: u64,
    end: u64,
    /// The position up to which reading failed: all bytes before those that can't be read are wanted.
    failed: u64,
}

impl Bytes {
    /// Creates a reader.
    pub(super) fn new(medium: Arc<dyn Medium>, start: u64, end: u64) -> Bytes {
        Bytes { medium, at: start, end, failed: 0 }
    }
}

impl Read for Bytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.end.saturating_sub(self.at).min(buffer.len() as u64);
        let page = PAGE.saturating_sub(self.at % PAGE).min(left);
        let mut length = if self.at < self.failed { page } else { left };
        loop {
            let now = buffer.get_mut(..usize::try_from(length).unwrap_or_default()).unwrap_or_default();
            match self.medium.read_at(self.at, now) {
                Ok(()) => break,
                Err(_) if length > page => {
                    self.failed = self.at.saturating_add(length);
                    length = page;
                }
                Err(error) => return Err(error),
            }
        }
        self.at = self.at.saturating_add(length);
        Ok(usize::try_from(length).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of which those from 8,192 on can't be read.
    #[derive(Debug)]
    struct Bad;

    impl Medium for Bad {
        fn size(&self) -> u64 {
            100_000
        }

        fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<()> {
            let is_bad = position + buffer.len() as u64 > 8192;
            buffer.fill(1);
            if is_bad { Err(io::Error::other("bad")) } else { Ok(()) }
        }
    }

    #[test]
    fn all_pages_before_bytes_that_cannot_be_read_are_read() {
        for start in [0, 1, 4095, 4096, 5000] {
            let mut read = Vec::new();
            assert!(Bytes::new(Arc::new(Bad), start, 100_000).read_to_end(&mut read).is_err());
            assert_eq!(read.len() as u64, 8192 - start);
        }
        let mut read = Vec::new();
        assert_eq!(Bytes::new(Arc::new(Bad), 3, 8_191).read_to_end(&mut read).unwrap(), 8_188);
    }
}
