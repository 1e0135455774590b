//! The 32-byte slots of which directories consist.

use crate::{ByteRun, ByteRuns, Medium, Problem};

/// The size of a slot.
pub(crate) const SLOT: usize = 32;

/// The number of bytes that are read at once, and after a failure.
const PIECE: u64 = 4096;
const SMALL: u64 = 512;

/// A slot of a directory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    /// Its position in the file system.
    pub position: u64,
    /// Its bytes.
    pub bytes: [u8; SLOT],
}

/// The slots of a directory. Parts that can't be read are left out; the first of adjacent ones gives a problem.
#[derive(Debug)]
pub(crate) struct Slots<'a> {
    medium: &'a dyn Medium,
    runs: std::slice::Iter<'a, ByteRun>,
    /// The part of the present run that was not read yet.
    next: u64,
    end: u64,
    /// The bytes that were read, the position of the first, and the offset of the next slot.
    piece: Vec<u8>,
    start: u64,
    at: usize,
    failed: bool,
}

impl<'a> Slots<'a> {
    /// Begins with the first slot.
    pub fn new(medium: &'a dyn Medium, runs: &'a ByteRuns) -> Slots<'a> {
        let runs = runs.as_slice().iter();
        Slots { medium, runs, next: 0, end: 0, piece: Vec::new(), start: 0, at: 0, failed: false }
    }

    /// Reads the next piece; none after the last.
    fn fill(&mut self) -> Option<Result<(), Problem>> {
        if self.next >= self.end {
            let run = self.runs.next()?;
            self.next = run.place?;
            self.end = self.next.saturating_add(run.length);
        }
        self.at = 0;
        self.start = self.next;
        let mut read = Ok(());
        for most in [PIECE, SMALL] {
            let length = (self.end - self.next).min(most);
            self.piece.resize(length as usize, 0);
            read = self.medium.read_at(self.start, &mut self.piece);
            if read.is_ok() {
                break;
            }
        }
        self.next = self.next.saturating_add(self.piece.len() as u64);
        let read = read.map_err(Problem::from);
        if read.is_err() {
            self.piece.clear();
        }
        if let Err(Problem::Beyond) = read {
            // All that follows lies beyond the end, too.
            self.next = self.end;
        }
        Some(read)
    }
}

impl Iterator for Slots<'_> {
    type Item = Result<Slot, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(bytes) = crate::fields::array(&self.piece, self.at) {
                let position = self.start.saturating_add(self.at as u64);
                self.at += SLOT;
                return Some(Ok(Slot { position, bytes }));
            }
            match self.fill()? {
                Ok(()) => self.failed = false,
                Err(_) if self.failed => {}
                Err(problem) => {
                    self.failed = true;
                    return Some(Err(problem));
                }
            }
        }
    }
}
