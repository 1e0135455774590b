//! Holes of sparse files: where they are, without reading them.

use crate::Meta;
use parking_lot::Mutex;
use std::io;
use std::ops::Range;

/// Below this size a file is read sooner than asked for its holes.
const WORTHWHILE: u64 = 64 << 10;

/// What there is at an offset, and where it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Segment {
    /// Bytes to be read.
    Data {
        /// The first byte behind it.
        end: u64,
    },
    /// Zeros that are nowhere stored.
    Hole {
        /// The first byte behind it.
        end: u64,
    },
}

/// The holes of one file.
#[derive(Debug)]
pub(crate) struct Holes {
    size: u64,
    /// The data segment found last. Finding the end of one can cost a walk over all extents of a file,
    /// which must not be repeated for every buffer.
    data: Mutex<Range<u64>>,
}

impl Holes {
    /// Whether a file of this metadata can have holes that are worth looking for. Compressed files look
    /// so too; for them it costs one question.
    pub(crate) fn of(meta: &Meta) -> Option<Holes> {
        let sparse = meta.size >= WORTHWHILE && meta.blocks.saturating_mul(512) < meta.size;
        sparse.then(|| Holes { size: meta.size, data: Mutex::new(0..0) })
    }

    /// What there is at an offset inside the file; `seek` asks it by offset and whence.
    pub(crate) fn at(
        &self,
        seek: &dyn Fn(u64, libc::c_int) -> io::Result<u64>,
        offset: u64,
    ) -> io::Result<Segment> {
        let mut data = self.data.lock();
        if data.contains(&offset) {
            return Ok(Segment::Data { end: data.end });
        }
        let found = seek(offset, libc::SEEK_DATA).and_then(|start| match start > offset {
            true => Ok(Segment::Hole { end: start.min(self.size) }),
            false => seek(offset, libc::SEEK_HOLE).map(|end| Segment::Data { end }),
        });
        let segment = match found.as_ref().map_err(io::Error::raw_os_error) {
            // No data from here on. A file that shrank says so too; it is found to have changed later.
            Err(Some(libc::ENXIO)) => Segment::Hole { end: self.size },
            // The file system does not tell: all is data.
            Err(Some(libc::EINVAL)) => Segment::Data { end: u64::MAX },
            _ => found?,
        };
        if let Segment::Data { end } = segment {
            *data = offset..end;
        }
        Ok(segment)
    }
}
