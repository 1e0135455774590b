//! Detection of holes in sparse files without reading them.

use crate::Meta;
use parking_lot::Mutex;
use std::io;
use std::ops::Range;

/// Below this size, reading a file is faster than looking for holes.
const WORTHWHILE: u64 = 64 << 10;

/// The type of the bytes at an offset, and their end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Segment {
    /// Stored bytes.
    Data {
        /// The first byte after it.
        end: u64,
    },
    /// Zeros that are not stored.
    Hole {
        /// The first byte after it.
        end: u64,
    },
}

#[derive(Debug)]
pub(crate) struct Holes {
    size: u64,
    /// The data segment that was found last. To find its end, the kernel may go through all extents of the file, which
    /// must not happen for every buffer.
    data: Mutex<Range<u64>>,
}

impl Holes {
    /// Returns `None` if the metadata show that the file has no holes worth looking for. Compressed files seem to have
    /// some, which costs one system call.
    pub(crate) fn from_meta(meta: &Meta) -> Option<Holes> {
        let sparse = meta.size >= WORTHWHILE && meta.blocks.saturating_mul(512) < meta.size;
        sparse.then(|| Holes { size: meta.size, data: Mutex::new(0..0) })
    }

    /// Returns the segment at an offset inside the file. `find` asks the system for it, with the size of the file.
    pub(crate) fn at(
        &self,
        find: &dyn Fn(u64, u64) -> io::Result<Segment>,
        offset: u64,
    ) -> io::Result<Segment> {
        let mut data = self.data.lock();
        if data.contains(&offset) {
            return Ok(Segment::Data { end: data.end });
        }
        let segment = match find(offset, self.size)? {
            // Without progress the answer means nothing.
            Segment::Data { end } | Segment::Hole { end } if end <= offset => Segment::Data { end: u64::MAX },
            segment => segment,
        };
        if let Segment::Data { end } = segment {
            *data = offset..end;
        }
        Ok(segment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_without_progress_is_data() {
        let holes = Holes { size: 1 << 20, data: Mutex::new(0..0) };
        for end in [0, 4096] {
            for segment in [Segment::Data { end }, Segment::Hole { end }] {
                let found = holes.at(&|_, _| Ok(segment), 4096).unwrap();
                assert_eq!(found, Segment::Data { end: u64::MAX });
                *holes.data.lock() = 0..0;
            }
        }
        assert_eq!(
            holes.at(&|_, _| Ok(Segment::Hole { end: 8192 }), 4096).unwrap(),
            Segment::Hole { end: 8192 }
        );
    }
}
