//! The map from media bytes to places in files.

use super::pages::Pages;
use crate::claim::ClaimCheck;
use crate::ewf::table::unreadable;
use crate::files::Files;
use crate::finding::{Finding, Findings, ImageLocation, ProblemKind, Span};
use crate::inflate::Packing;
use std::fmt::Debug;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// The map of a virtual disk. It reads its tables on demand, so that a large disk takes little memory.
pub(crate) trait BlockMap: Debug + Send + Sync {
    /// Returns the place of the media bytes from an offset on. The offset is below the size of the media; the stretch
    /// may go beyond.
    fn locate(&self, source: &Source<'_>, offset: u64) -> Stretch;

    /// Returns the media that should be in files that are not there.
    fn missing(&self) -> Vec<Span> {
        Vec::new()
    }

    /// Checks all tables, without reading media. Returns `None` if the report says to stop.
    fn check(&self, source: &Source<'_>, report: &mut Report<'_>) -> Option<()>;
}

/// Media bytes in one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// The number of bytes, at least 1.
    pub(crate) length: u64,
    pub(crate) place: Place,
}

/// The place of a stretch of media bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// Nowhere: they are zeros.
    Zeros,
    /// In a file as they are.
    Plain { file: usize, offset: u64 },
    /// In a compressed block.
    Packed(Packed),
    /// Nowhere: they are repeated bytes, from this offset of them on.
    Filled(Filling, u64),
    /// In the backing image, at the same offset; past its end they are zeros.
    Backing,
    /// In a file that is not there.
    Missing,
    /// Unknown, because of this problem.
    Fault(ProblemKind),
}

/// A compressed block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Packed {
    pub(crate) file: usize,
    pub(crate) offset: u64,
    /// The number of bytes that may be read: at least the compressed ones.
    pub(crate) stored: u64,
    pub(crate) packing: Packing,
    /// The number of the block's bytes before the media bytes.
    pub(crate) skip: u64,
    /// The size of the block.
    pub(crate) size: u64,
}

/// Bytes without end that a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Filling {
    /// The text that is repeated, and cut off at the end of every period.
    pub(crate) text: &'static [u8],
    /// The length after which it begins again.
    pub(crate) period: u64,
}

impl Filling {
    /// Fills a buffer with the bytes from an offset on.
    pub(crate) fn fill(&self, offset: u64, out: &mut [u8]) {
        if let [byte] = self.text {
            return out.fill(*byte);
        }
        let mut at = offset % self.period;
        for byte in out {
            *byte = self.text.get((at % self.text.len().max(1) as u64) as usize).copied().unwrap_or(0);
            at = if at + 1 == self.period { 0 } else { at + 1 };
        }
    }
}

impl Stretch {
    pub(crate) fn new(length: u64, place: Place) -> Stretch {
        Stretch { length: length.max(1), place }
    }

    pub(crate) fn fault(length: u64, kind: ProblemKind) -> Stretch {
        Stretch::new(length, Place::Fault(kind))
    }

    /// Whether the other stretch continues this one in the same place.
    pub(crate) fn continues_with(&self, other: &Place) -> bool {
        match (&self.place, other) {
            (Place::Plain { file, offset }, Place::Plain { file: next, offset: at }) => {
                file == next && offset.checked_add(self.length) == Some(*at)
            }
            (Place::Fault(one), Place::Fault(two)) => one == two,
            (Place::Filled(one, at), Place::Filled(other, next)) => {
                one == other && at.checked_add(self.length) == Some(*next)
            }
            (Place::Packed(_), _) => false,
            (one, two) => one == two,
        }
    }
}

/// Returns the problem of a table that can't be read.
pub(crate) fn fault(error: &io::Error) -> ProblemKind {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => ProblemKind::ChunkOutside,
        _ => unreadable(error),
    }
}

/// The files of a disk, and the pages of its tables.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) files: &'a Files,
    pub(crate) pages: &'a Pages,
}

impl Source<'_> {
    /// Fills the buffer from a table.
    pub(crate) fn table(&self, file: usize, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.pages.read(self.files, file, offset, buffer)
    }

    /// Reads bytes that are used once, and should not take the place of tables.
    pub(crate) fn once<const N: usize>(&self, file: usize, offset: u64) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.files.read_exact_at(file, offset, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads an entry of a table in little-endian order.
    pub(crate) fn entry_le32(&self, file: usize, offset: u64) -> io::Result<u32> {
        let mut bytes = [0; 4];
        self.table(file, offset, &mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    /// Reads an entry of a table in little-endian order.
    pub(crate) fn entry_le64(&self, file: usize, offset: u64) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.table(file, offset, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Reads an entry of a table in big-endian order.
    pub(crate) fn entry_be32(&self, file: usize, offset: u64) -> io::Result<u32> {
        self.entry_le32(file, offset).map(u32::swap_bytes)
    }

    /// Reads an entry of a table in big-endian order.
    pub(crate) fn entry_be64(&self, file: usize, offset: u64) -> io::Result<u64> {
        self.entry_le64(file, offset).map(u64::swap_bytes)
    }
}

/// A structure of a file, such as a table, in which a check finds problems.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Structure<'a> {
    name: &'a str,
    /// The offset of the part concerned in the file.
    offset: u64,
}

impl<'a> Structure<'a> {
    pub(crate) fn new(name: &'a str, offset: u64) -> Structure<'a> {
        Structure { name, offset }
    }
}

/// Collects the findings of a check.
pub(crate) struct Report<'a> {
    pub(crate) findings: &'a mut Findings,
    /// Stored digests of the media that were compared by way of those of parts.
    pub(crate) claims: &'a mut Vec<ClaimCheck>,
    pub(crate) go_on: &'a dyn Fn() -> bool,
}

impl Report<'_> {
    /// Returns `None` if the check is to stop.
    pub(crate) fn go_on(&self) -> Option<()> {
        (self.go_on)().then_some(())
    }

    /// Adds a problem of a structure in a file.
    pub(crate) fn add(&mut self, kind: ProblemKind, path: &Arc<Path>, place: Structure<'_>) {
        self.findings.add(kind, ImageLocation::section(path, place.name, place.offset));
    }

    pub(crate) fn push(&mut self, finding: Finding) {
        self.findings.push(finding);
    }
}

/// An open virtual disk.
#[derive(Debug)]
pub(crate) struct Blocks {
    pub(crate) map: Box<dyn BlockMap>,
    pub(crate) pages: Pages,
    /// The chunks in which something is stored, once they were needed.
    pub(super) stored: OnceLock<Vec<Range<u64>>>,
    /// The chunks of which a part is in a file, once they were needed.
    pub(super) in_files: OnceLock<Vec<Range<u64>>>,
}

impl Blocks {
    pub(crate) fn new(map: Box<dyn BlockMap>) -> Blocks {
        Blocks { map, pages: Pages::default(), stored: OnceLock::new(), in_files: OnceLock::new() }
    }

    pub(crate) fn source<'a>(&'a self, files: &'a Files) -> Source<'a> {
        Source { files, pages: &self.pages }
    }

    /// Returns the place of the media bytes of a range, in one stretch for all that are adjacent in one place.
    pub(crate) fn stretches<'a>(&'a self, files: &'a Files, range: Range<u64>) -> Stretches<'a> {
        Stretches { map: &*self.map, source: self.source(files), at: range.start, end: range.end, next: None }
    }
}

/// The stretches of a range of media bytes, each with its offset.
pub(crate) struct Stretches<'a> {
    map: &'a dyn BlockMap,
    source: Source<'a>,
    at: u64,
    end: u64,
    next: Option<Stretch>,
}

impl Stretches<'_> {
    /// Returns the stretch at an offset, cut off at the end.
    fn locate(&self, offset: u64) -> Stretch {
        let found = self.map.locate(&self.source, offset);
        Stretch { length: found.length.clamp(1, self.end - offset), place: found.place }
    }
}

impl Iterator for Stretches<'_> {
    type Item = (u64, Stretch);

    fn next(&mut self) -> Option<(u64, Stretch)> {
        if self.at >= self.end {
            return None;
        }
        let start = self.at;
        let mut stretch = self.next.take().unwrap_or_else(|| self.locate(start));
        self.at += stretch.length;
        while self.at < self.end {
            let next = self.locate(self.at);
            if !stretch.continues_with(&next.place) {
                self.next = Some(next);
                break;
            }
            stretch.length += next.length;
            self.at += next.length;
        }
        Some((start, stretch))
    }
}
