//! Opens files, also when the process has reached its limit of open files.

use hashmill_manifest::Piece;
use hashmill_source::{Entry, Error, FdLimitWait, Reader, Reading};
use std::ops::Range;

/// Whether the caller of [`open`] has other files open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OtherFiles {
    Open,
    NoneOpen,
}

/// Opens a file. At the limit of open files, a caller that has files open gets `None` and must close some. A caller
/// without any waits until others close theirs.
pub(crate) fn open(entry: &Entry, reading: &Reading, others: OtherFiles) -> Result<Option<Reader>, Error> {
    let mut wait = None;
    loop {
        match Reader::open(entry, reading) {
            Err(error) if error.is_fd_limit() => {
                if others == OtherFiles::Open {
                    return Ok(None);
                }
                if !wait.get_or_insert_with(FdLimitWait::default).wait() {
                    return Err(error);
                }
            }
            result => return result.map(Some),
        }
    }
}

/// Returns the parts of a range of the file that could not be read and were hashed as zeros.
pub(crate) fn bad_blocks(reader: &Reader, range: Range<u64>) -> Box<[Piece]> {
    let ranges = reader.bad_blocks(range).into_iter();
    ranges.map(|range| Piece { offset: range.start, length: range.end - range.start }).collect()
}

/// Returns the parts of bad blocks that lie in a range.
pub(crate) fn within(blocks: &[Piece], range: &Range<u64>) -> Box<[Piece]> {
    let parts = blocks.iter().filter_map(|block| {
        let start = block.offset.max(range.start);
        let end = (block.offset + block.length).min(range.end);
        (start < end).then(|| Piece { offset: start, length: end - start })
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_cut_at_the_ends_of_a_range() {
        let blocks = [Piece { offset: 10, length: 10 }, Piece { offset: 30, length: 5 }];
        let found = |start, end| {
            let parts = within(&blocks, &(start..end)).into_vec();
            parts.iter().map(|part| (part.offset, part.length)).collect::<Vec<_>>()
        };
        assert_eq!(found(0, u64::MAX), [(10, 10), (30, 5)]);
        assert_eq!(found(15, 32), [(15, 5), (30, 2)]);
        assert_eq!(found(20, 30), []);
    }
}
