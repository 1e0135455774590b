//! The map of extents, and of grains in sparse ones.

use super::check;
use super::sparse::{SECTOR, Sparse};
use crate::disks::blocks::{BlockMap, Packed, Packing, Place, Report, Source, Stretch, fault};
use crate::finding::{ProblemKind, Span};
use std::collections::BTreeSet;
use std::io;

/// The bytes before a compressed grain: its sector in the extent, and its compressed size.
const GRAIN_HEADER: u64 = 12;

/// More than a zlib stream is longer than its content, at worst.
const SLACK: u64 = 8 << 10;

/// The extents of a disk, in their order.
#[derive(Debug)]
pub(super) struct Extents(pub(super) Vec<Extent>);

#[derive(Debug)]
pub(super) struct Extent {
    /// The offset in the media.
    pub(super) start: u64,
    pub(super) size: u64,
    pub(super) kind: ExtentKind,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum ExtentKind {
    Flat { file: usize, offset: u64 },
    Zero,
    Missing,
    Sparse(usize, Sparse),
}

/// The entry of a grain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grain {
    Free,
    Zero,
    /// The offset in the file.
    At(u64),
}

impl Extent {
    /// Returns the size of compressed grains.
    pub(super) fn packed_size(&self) -> Option<u64> {
        match &self.kind {
            ExtentKind::Sparse(_, sparse) if sparse.compressed => Some(sparse.grain),
            _ => None,
        }
    }

    fn locate(&self, source: &Source<'_>, within: u64) -> Stretch {
        let left = self.size - within;
        match &self.kind {
            ExtentKind::Zero => Stretch::new(left, Place::Zeros),
            ExtentKind::Missing => Stretch::new(left, Place::Missing),
            ExtentKind::Flat { file, offset } => {
                Stretch::new(left, Place::Plain { file: *file, offset: offset + within })
            }
            ExtentKind::Sparse(_, sparse) if within >= sparse.capacity => {
                Stretch::fault(left, ProblemKind::ChunkMissing)
            }
            ExtentKind::Sparse(file, sparse) => {
                let found = sparse.locate(source, *file, within);
                Stretch { length: found.length.min(left), ..found }
            }
        }
    }
}

impl Sparse {
    /// Returns the offset of a grain table in the directory; 0 if there is none.
    pub(super) fn table(
        &self,
        source: &Source<'_>,
        file: usize,
        directory: u64,
        index: u64,
    ) -> io::Result<u64> {
        let entry = source.entry_le32(file, directory.saturating_add(index * 4))?;
        Ok(u64::from(entry) * SECTOR)
    }

    /// Reads the entry of a grain in a table.
    pub(super) fn entry(
        &self,
        source: &Source<'_>,
        file: usize,
        table: u64,
        index: u64,
    ) -> io::Result<Grain> {
        Ok(match source.entry_le32(file, table.saturating_add(index * 4))? {
            0 => Grain::Free,
            1 if self.has_zeros => Grain::Zero,
            sector => Grain::At(u64::from(sector) * SECTOR),
        })
    }

    /// Returns the place of the bytes of an extent from this offset in it on.
    fn locate(&self, source: &Source<'_>, file: usize, within: u64) -> Stretch {
        let per_table = self.per_table();
        let (table, in_table) = (within / per_table, within % per_table);
        let left = per_table - in_table;
        let table = match self.table(source, file, self.directory, table) {
            Ok(0) => return Stretch::new(left, Place::Zeros),
            Ok(table) => table,
            // The rest of the directory is as unreadable.
            Err(error) => return Stretch::fault(u64::MAX, fault(&error)),
        };
        let in_grain = in_table % self.grain;
        let place = match self.entry(source, file, table, in_table / self.grain) {
            Err(error) => return Stretch::fault(left, fault(&error)),
            Ok(Grain::Free | Grain::Zero) => Place::Zeros,
            Ok(Grain::At(offset)) if offset >= self.file_size => {
                Place::Fault(ProblemKind::BadEntry { target: offset })
            }
            Ok(Grain::At(offset)) if self.compressed => {
                // Its length is in the file: it is read with the grain, as a read of its own may be a request.
                let stored = GRAIN_HEADER + self.grain + SLACK;
                let packing = Packing::Grain;
                Place::Packed(Packed { file, offset, stored, packing, skip: in_grain, size: self.grain })
            }
            Ok(Grain::At(offset)) => Place::Plain { file, offset: offset + in_grain },
        };
        Stretch::new(self.grain - in_grain, place)
    }
}

/// Reads the sector that a compressed grain states.
pub(super) fn stated_sector(source: &Source<'_>, file: usize, offset: u64) -> io::Result<u64> {
    source.once(file, offset).map(u64::from_le_bytes)
}

impl BlockMap for Extents {
    fn locate(&self, source: &Source<'_>, offset: u64) -> Stretch {
        let index = self.0.partition_point(|extent| extent.start + extent.size <= offset);
        match self.0.get(index) {
            Some(extent) => extent.locate(source, offset - extent.start),
            None => Stretch::fault(u64::MAX, ProblemKind::ChunkMissing),
        }
    }

    fn missing(&self) -> Vec<Span> {
        let missing = self.0.iter().filter(|extent| extent.kind == ExtentKind::Missing);
        missing.map(|extent| Span { first: extent.start, count: extent.size }).collect()
    }

    fn check(&self, source: &Source<'_>, report: &mut Report<'_>) -> Option<()> {
        let mut checked = BTreeSet::new();
        for extent in &self.0 {
            if let ExtentKind::Sparse(file, sparse) = &extent.kind
                && checked.insert(*file)
            {
                check::check(sparse, source, *file, report)?;
            }
        }
        Some(())
    }
}
