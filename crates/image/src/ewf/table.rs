//! The tables of EWF1 and EWF2, which locate the chunks.
//!
//! Entries stay in the file and are read on demand: those of an 8 TB image would fill a gigabyte. A table is checked
//! once, when its first chunk is needed.

use crate::bytes::le::{u32_at, u64_at};
use crate::files::Files;
use crate::finding::{Finding, ImageLocation, ProblemKind, Span};
use hashmill_digest::Adler32;
use std::io;
use std::ops::Range;
use std::sync::OnceLock;

/// The bytes of an entry: EWF1, EWF2.
const NARROW: u64 = 4;
const WIDE: u64 = 16;

/// EWF2's flags of a chunk.
const COMPRESSED: u32 = 1;
const CHECKSUMED: u32 = 2;
const PATTERN: u32 = 4;

/// The way a chunk is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// Plain, followed by its Adler-32.
    Checked,
    /// Plain, without a checksum.
    Plain,
    /// A zlib stream.
    Zlib,
    /// A bzip2 stream.
    Bzip2,
    /// Eight bytes, repeated.
    Pattern([u8; 8]),
    /// Undocumented.
    Unknown,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Location {
    pub(crate) file: usize,
    pub(crate) offset: u64,
    /// The number of bytes that may be read. For EWF1 it may be too large, if other data follow.
    pub(crate) stored: u64,
    pub(crate) coding: Coding,
}

/// A chunk table with its copy.
#[derive(Debug)]
pub(crate) struct ChunkTable {
    pub(crate) file: usize,
    /// The number of the first chunk.
    pub(crate) first: u64,
    pub(crate) count: u64,
    pub(crate) copies: Vec<TableCopy>,
    /// The latest possible end of the last chunk's data.
    pub(crate) data_end: u64,
    pub(crate) format: Format,
    pub(crate) health: OnceLock<TableHealth>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Ewf1,
    /// EWF2, with the coding of compressed chunks.
    Ewf2(Coding),
}

#[derive(Debug, Clone)]
pub(crate) struct TableCopy {
    pub(crate) place: ImageLocation,
    /// The offset of the entries in the file.
    pub(crate) entries: u64,
    /// The base that is added to every offset.
    pub(crate) base: u64,
    /// A checksum follows the entries.
    pub(crate) checked: bool,
    pub(crate) header_whole: bool,
}

/// The result of checking a table.
#[derive(Debug, Default)]
pub(crate) struct TableHealth {
    /// The index of the copy to use.
    copy: usize,
    /// From this entry on, bit 31 belongs to the offset: EnCase 6.7 and large files of FTK.
    wide_from: Option<u64>,
    pub(crate) findings: Vec<Finding>,
}

impl ChunkTable {
    pub(crate) fn end(&self) -> u64 {
        self.first + self.count
    }

    fn width(&self) -> u64 {
        if self.format == Format::Ewf1 { NARROW } else { WIDE }
    }

    /// Checks the table on the first call.
    pub(crate) fn health(&self, files: &Files, chunk_size: u64) -> &TableHealth {
        self.health.get_or_init(|| self.check(files, chunk_size))
    }

    fn check(&self, files: &Files, chunk_size: u64) -> TableHealth {
        let mut health = TableHealth::default();
        let scans: Vec<CopyScan> =
            self.copies.iter().map(|copy| self.scan(files, copy, chunk_size)).collect();
        for (copy, scan) in self.copies.iter().zip(&scans) {
            if let Some(kind) = &scan.problem {
                health.findings.push(kind.clone().at(copy.place.clone()));
            }
        }
        let whole = |at: usize| scans[at].problem.is_none() && self.copies[at].header_whole;
        health.copy = (0..scans.len()).find(|at| whole(*at)).unwrap_or(0);
        health.wide_from = scans.get(health.copy).and_then(|scan| scan.wide_from);
        if health.copy > 0 {
            health.findings.push(ProblemKind::TableCopyUsed.at(self.copies[0].place.clone()));
        }
        if let [one, other] = &scans[..]
            && one.sum != other.sum
        {
            let entry = self.first_difference(files).unwrap_or(0);
            health.findings.push(ProblemKind::TableCopyDiffers { entry }.at(self.copies[0].place.clone()));
        }
        health
    }

    fn first_difference(&self, files: &Files) -> Option<u64> {
        let (mut one, mut other) = (vec![0; BLOCK], vec![0; BLOCK]);
        for block in blocks(self.count * self.width()) {
            let length = (block.end - block.start) as usize;
            files.read_exact_at(self.file, self.copies[0].entries + block.start, &mut one[..length]).ok()?;
            files
                .read_exact_at(self.file, self.copies[1].entries + block.start, &mut other[..length])
                .ok()?;
            if let Some(at) = (0..length).find(|at| one[*at] != other[*at]) {
                return Some((block.start + at as u64) / self.width());
            }
        }
        None
    }

    /// Reads all entries of one copy.
    fn scan(&self, files: &Files, copy: &TableCopy, chunk_size: u64) -> CopyScan {
        let mut scan = CopyScan::default();
        let mut adler = Adler32::new();
        let mut rise = RisingOffsets { longest: most_stored(chunk_size), ..RisingOffsets::default() };
        let mut buffer = vec![0; BLOCK];
        for block in blocks(self.count * self.width()) {
            let bytes = &mut buffer[..(block.end - block.start) as usize];
            if let Err(error) = files.read_exact_at(self.file, copy.entries + block.start, bytes) {
                scan.problem = Some(unreadable(&error));
                return scan;
            }
            adler.update(bytes);
            if self.format == Format::Ewf1 {
                rise.follow(bytes);
            }
        }
        scan.wide_from = rise.wide_from;
        scan.sum = (adler.sum(), copy.base);
        let mut stored = [0; 4];
        let end = copy.entries + self.count * self.width();
        if copy.checked && self.count > 0 {
            let read = files.read_exact_at(self.file, end, &mut stored);
            if read.is_err() || u32::from_le_bytes(stored) != scan.sum.0 {
                scan.problem = Some(ProblemKind::TableEntries);
            }
        }
        scan
    }

    /// Locates these chunks of this table, in order.
    pub(crate) fn locate(
        &self,
        chunks: Range<u64>,
        source: &ChunkFiles<'_>,
        found: &mut Vec<Location>,
    ) -> io::Result<()> {
        let health = self.health(source.files, source.chunk_size);
        let Some(copy) = self.copies.get(health.copy) else { return Ok(()) };
        let (from, to) = (chunks.start - self.first, chunks.end - self.first);
        // In EWF1, the offset of the next entry is the end of a chunk.
        let read_to = if self.format == Format::Ewf1 { (to + 1).min(self.count) } else { to };
        let mut bytes = vec![0; ((read_to - from) * self.width()) as usize];
        source.files.read_exact_at(self.file, copy.entries + from * self.width(), &mut bytes)?;
        for chunk in from..to {
            let at = ((chunk - from) * self.width()) as usize;
            found.push(match self.format {
                Format::Ewf1 => {
                    let wide = |entry: u64| health.wide_from.is_some_and(|first| entry >= first);
                    let next =
                        bytes.get(at + 4..at + 8).map(|_| offset(u32_at(&bytes, at + 4), wide(chunk + 1)));
                    let next = next.map(|next| next.saturating_add(copy.base));
                    self.ewf1(u32_at(&bytes, at), wide(chunk), copy.base, next)
                }
                Format::Ewf2(compressed) => self.ewf2(&bytes[at..at + WIDE as usize], compressed),
            });
        }
        Ok(())
    }

    fn ewf1(&self, entry: u32, wide: bool, base: u64, next: Option<u64>) -> Location {
        let offset = offset(entry, wide).saturating_add(base);
        // If the next offset is not higher, it is damaged or in another place, and not the end of this chunk.
        let end = next.filter(|next| *next > offset).unwrap_or(self.data_end);
        let compressed = entry >> 31 == 1 && !wide;
        let coding = if compressed { Coding::Zlib } else { Coding::Checked };
        Location { file: self.file, offset, stored: end.saturating_sub(offset), coding }
    }

    fn ewf2(&self, entry: &[u8], compressed: Coding) -> Location {
        let (offset, stored, flags) = (u64_at(entry, 0), u64::from(u32_at(entry, 8)), u32_at(entry, 12));
        let coding = match (flags & COMPRESSED != 0, flags & PATTERN != 0, flags & CHECKSUMED != 0) {
            (true, true, _) => Coding::Pattern(offset.to_le_bytes()),
            (true, false, _) => compressed,
            (false, true, _) => Coding::Unknown,
            (false, false, true) => Coding::Checked,
            (false, false, false) => Coding::Plain,
        };
        Location { file: self.file, offset, stored, coding }
    }
}

/// The files, and the size of chunks.
pub(crate) struct ChunkFiles<'a> {
    pub(crate) files: &'a Files,
    pub(crate) chunk_size: u64,
}

/// Returns the offset in an entry, which has 32 bits if it is wide.
fn offset(entry: u32, wide: bool) -> u64 {
    if wide { entry.into() } else { low_offset(entry) }
}

/// Returns the offset in the low 31 bits of an entry.
fn low_offset(entry: u32) -> u64 {
    (entry & 0x7fff_ffff).into()
}

/// Returns the maximum number of stored bytes of a chunk that are worth reading: the rest can only be slack.
pub(crate) fn most_stored(chunk_size: u64) -> u64 {
    chunk_size + chunk_size / 8 + (64 << 10)
}

pub(crate) fn unreadable(error: &io::Error) -> ProblemKind {
    ProblemKind::Unreadable { cause: error.to_string().into() }
}

const BLOCK: usize = 64 << 10;

fn blocks(bytes: u64) -> impl Iterator<Item = Range<u64>> {
    (0..bytes).step_by(BLOCK).map(move |start| start..(start + BLOCK as u64).min(bytes))
}

/// The result of reading one copy.
#[derive(Default)]
struct CopyScan {
    /// The checksum of the entries, and the base.
    sum: (u32, u64),
    wide_from: Option<u64>,
    problem: Option<ProblemKind>,
}

/// Follows the ascending offsets of EWF1 entries until they exceed 31 bits.
#[derive(Default)]
struct RisingOffsets {
    longest: u64,
    last: u64,
    entry: u64,
    wide_from: Option<u64>,
}

impl RisingOffsets {
    fn follow(&mut self, bytes: &[u8]) {
        for entry in bytes.chunks_exact(4) {
            if self.wide_from.is_some() {
                return;
            }
            let raw = u32_at(entry, 0);
            let low = low_offset(raw);
            // A damaged entry may be lower, too; after an overflow, the value continues the sequence in 32 bits.
            let continues = u64::from(raw).checked_sub(self.last).is_some_and(|step| step <= self.longest);
            if self.entry > 0 && low < self.last && raw >> 31 == 1 && continues {
                self.wide_from = Some(self.entry);
            }
            self.last = low;
            self.entry += 1;
        }
    }
}

/// Tables in the order of their chunks.
#[derive(Debug, Default)]
pub(crate) struct Tables(pub(crate) Vec<ChunkTable>);

impl Tables {
    /// Returns the number after the last chunk of any table.
    pub(crate) fn end(&self) -> u64 {
        self.0.last().map_or(0, ChunkTable::end)
    }

    /// Returns the table that contains a chunk, or the first chunk of the next table.
    pub(crate) fn holding(&self, chunk: u64) -> Result<&ChunkTable, Option<u64>> {
        let after = self.0.partition_point(|table| table.end() <= chunk);
        match self.0.get(after) {
            Some(table) if table.first <= chunk => Ok(table),
            next => Err(next.map(|table| table.first)),
        }
    }

    /// Returns the ranges of chunks below `end` that are in tables.
    pub(crate) fn covered(&self, end: u64) -> Vec<Range<u64>> {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for table in self.0.iter().filter(|table| table.first < end && table.count > 0) {
            match ranges.last_mut() {
                Some(last) if last.end == table.first => last.end = table.end().min(end),
                _ => ranges.push(table.first..table.end().min(end)),
            }
        }
        ranges
    }

    /// Returns the ranges of chunks below `end` that are in no table.
    pub(crate) fn gaps(&self, end: u64) -> Vec<Span> {
        let covered = self.covered(end);
        let starts = std::iter::once(0).chain(covered.iter().map(|range| range.end));
        let ends = covered.iter().map(|range| range.start).chain([end]);
        starts
            .zip(ends)
            .filter(|(start, end)| start < end)
            .map(|(start, end)| Span::between(start, end))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_that_run_over_31_bits_are_noticed() {
        let mut rise = RisingOffsets { longest: 40_000, ..RisingOffsets::default() };
        let entries = [0x7fff_0000_u32, 0x7fff_8004, 0x8000_0008, 0x8000_800c];
        rise.follow(&entries.map(u32::to_le_bytes).concat());
        assert_eq!(rise.wide_from, Some(2));
    }

    #[test]
    fn a_damaged_entry_is_no_overflow() {
        let mut rise = RisingOffsets { longest: 40_000, ..RisingOffsets::default() };
        let entries = [0x8000_1000_u32, 0x8000_2000, 0x8000_0100, 0x8000_4000];
        rise.follow(&entries.map(u32::to_le_bytes).concat());
        assert_eq!(rise.wide_from, None);
    }
}
