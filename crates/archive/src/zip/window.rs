//! Bytes of the archive, read in parts of a moderate size.

use crate::{Medium, Problem};
use std::sync::Arc;

/// The bytes that are read at once.
const PART: usize = 64 << 10;

/// The bytes that are enough to search on.
const FEW: usize = 64;

/// A part of the archive that moves along as it is read from one place to the next.
#[derive(Debug)]
pub(super) struct Window {
    medium: Arc<dyn Medium>,
    start: u64,
    bytes: Vec<u8>,
}

impl Window {
    pub(super) fn new(medium: Arc<dyn Medium>) -> Window {
        Window { medium, start: 0, bytes: Vec::new() }
    }

    /// Returns `length` bytes at a place. Not more than the length of a header is ever asked for.
    ///
    /// # Errors
    /// If not all of them are in the archive.
    pub(super) fn bytes(&mut self, at: u64, length: usize) -> Result<&[u8], Problem> {
        if self.held(at, length).is_none() {
            self.load(at, length)?;
        }
        let range = self.held(at, length).ok_or(Problem::Truncated)?;
        self.bytes.get(range).ok_or(Problem::Truncated)
    }

    /// Returns the bytes at a place, some at least and at most those of a part; none at the end of the archive.
    ///
    /// # Errors
    /// If they can't be read.
    pub(super) fn rest(&mut self, at: u64) -> Result<&[u8], Problem> {
        let left = self.medium.size().saturating_sub(at);
        let length = usize::try_from(left).unwrap_or(PART).min(PART);
        // Those that were read before are enough, so that small steps don't read parts again and again.
        let held = self.held(at, length.min(FEW)).and_then(|range| self.bytes.len().checked_sub(range.start));
        if length == 0 { Ok(&[]) } else { self.bytes(at, held.map_or(length, |held| held.min(length))) }
    }

    fn held(&self, at: u64, length: usize) -> Option<std::ops::Range<usize>> {
        let from = usize::try_from(at.checked_sub(self.start)?).ok()?;
        let end = from.checked_add(length)?;
        (end <= self.bytes.len()).then_some(from..end)
    }

    fn load(&mut self, at: u64, length: usize) -> Result<(), Problem> {
        let left = self.medium.size().saturating_sub(at);
        let most = usize::try_from(left).unwrap_or(usize::MAX);
        if most < length {
            return Err(Problem::Truncated);
        }
        self.bytes.clear();
        self.bytes.resize(length.max(PART).min(most), 0);
        self.start = at;
        let read = self.medium.read_at(at, &mut self.bytes);
        if read.is_err() {
            self.bytes.clear();
        }
        Ok(read?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_the_archive_and_never_beyond_its_end() {
        let all: Vec<u8> = (0..200_000_u32).map(|at| (at % 251) as u8).collect();
        let mut window = Window::new(Arc::new(all.clone()));
        for (at, length) in [(0, 10), (65_530, 10), (5, 150_000), (199_999, 1), (200_000, 0), (3, 3)] {
            assert_eq!(window.bytes(at as u64, length).unwrap(), &all[at..at + length]);
        }
        for (at, length) in [(199_999, 2), (200_001, 1), (u64::MAX, 1), (u64::MAX, usize::MAX)] {
            assert!(matches!(window.bytes(at, length), Err(Problem::Truncated)));
        }
        assert_eq!(window.rest(199_990).unwrap().len(), 10);
        assert!(window.rest(u64::MAX).unwrap().is_empty());
    }
}
