//! The parts of a file that say themselves where they end: each begins where the one before ends.

use super::headers::Headers;
use crate::compression::parted::FilePart;

/// Finds the end of the part at a position, and the memory that its decoder takes.
pub(super) type FindEnd = fn(&mut Headers, u64) -> Option<(u64, u64)>;

/// The parts of a file, one after the other, up to the first whose end can't be found.
pub(super) struct Frames {
    headers: Headers,
    find_end: FindEnd,
    at: u64,
}

impl Frames {
    /// Creates the list of all parts.
    pub(super) fn new(headers: Headers, find_end: FindEnd) -> Frames {
        Frames { headers, find_end, at: 0 }
    }
}

impl Iterator for Frames {
    type Item = FilePart<()>;

    fn next(&mut self) -> Option<FilePart<()>> {
        let start = self.at;
        let found = (self.find_end)(&mut self.headers, start);
        let (end, memory) = found.filter(|(end, _)| *end <= self.headers.end())?;
        self.at = end;
        Some(FilePart { start, end, memory, setting: () })
    }
}
