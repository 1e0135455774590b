//! Cuts the bytes of a file at multiples of the piece size as they arrive.

use hashmill_manifest::Piece;
use std::ops::Range;

/// Cuts a file into pieces. Keeps the offset of the next byte.
#[derive(Debug, Clone)]
pub(crate) struct Cutter {
    size: u64,
    offset: u64,
}

/// A range of bytes within one piece.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// The range in the bytes passed to [`Cutter::cut`].
    pub(crate) range: Range<usize>,
    /// The piece as seen so far.
    pub(crate) piece: Piece,
    /// This range completes the piece.
    pub(crate) ends: bool,
}

impl Cutter {
    pub(crate) fn new(size: u64) -> Self {
        Cutter { size, offset: 0 }
    }

    /// Cuts the next `length` bytes of the file; `last` if no more follow.
    pub(crate) fn cut(&mut self, length: usize, last: bool) -> Vec<Cut> {
        let mut cuts = Vec::with_capacity(length / (self.size as usize).max(1) + 2);
        let mut at = 0;
        while at < length {
            let taken = (self.left_in_piece()).min((length - at) as u64) as usize;
            let cut = self.stretch(at..at + taken);
            let is_end = last && at + taken == length;
            cuts.push(Cut { ends: cut.ends || is_end, ..cut });
            at += taken;
        }
        // The end of a file may be noticed only after all its bytes were cut.
        if length == 0 && last && !self.offset.is_multiple_of(self.size) {
            cuts.push(Cut { ends: true, ..self.stretch(0..0) });
        }
        cuts
    }

    /// Returns the final length of a piece, if the file's size is known.
    pub(crate) fn expected(&self, piece: Piece, file: Option<u64>) -> Option<u64> {
        file.map(|file| file.saturating_sub(piece.offset).min(self.size))
    }

    fn left_in_piece(&self) -> u64 {
        self.size - self.offset % self.size
    }

    fn stretch(&mut self, range: Range<usize>) -> Cut {
        let into = self.offset % self.size;
        let length = into + range.len() as u64;
        let piece = Piece { offset: self.offset - into, length };
        self.offset += range.len() as u64;
        Cut { range, piece, ends: length == self.size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the pieces made from chunks of these lengths.
    fn pieces(size: u64, lengths: &[usize]) -> Vec<(u64, u64)> {
        let mut cutter = Cutter::new(size);
        let mut found = Vec::new();
        let mut open = false;
        for (index, length) in lengths.iter().enumerate() {
            for cut in cutter.cut(*length, index + 1 == lengths.len()) {
                let starts = cut.piece.length == cut.range.len() as u64;
                assert_eq!(starts, !open, "a piece starts where none is open");
                open = !cut.ends;
                if cut.ends {
                    found.push((cut.piece.offset, cut.piece.length));
                }
            }
        }
        assert!(!open, "the end closes the last piece");
        found
    }

    #[test]
    fn splits_do_not_matter() {
        let whole = vec![(0, 10), (10, 10), (20, 5)];
        for a in 0..=25 {
            for b in a..=25 {
                assert_eq!(pieces(10, &[a, b - a, 25 - b]), whole);
                assert_eq!(pieces(10, &[a, b - a, 25 - b, 0]), whole);
            }
        }
    }

    #[test]
    fn an_exact_multiple_has_no_empty_piece() {
        assert_eq!(pieces(10, &[20]), [(0, 10), (10, 10)]);
        assert_eq!(pieces(10, &[20, 0]), [(0, 10), (10, 10)]);
        assert_eq!(pieces(10, &[0]), []);
    }
}
