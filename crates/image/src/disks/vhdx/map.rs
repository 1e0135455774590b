//! The table of blocks: after each group of payload blocks, an entry for a bitmap of sectors, which only differencing
//! disks use.

use super::metadata::Metadata;
use super::regions::Region;
use crate::disks::blocks::{BlockMap, DiskFile, Place, Report, Source, Stretch, Structure, Used, fault};
use crate::finding::ProblemKind;
use std::io;
use std::sync::Arc;

/// The sectors that a bitmap block has bits for.
const SECTORS_PER_BITMAP: u64 = 1 << 23;

const MEBIBYTE: u64 = 1 << 20;

/// The states of payload blocks.
const NOT_PRESENT: u64 = 0;
const UNDEFINED: u64 = 1;
const ZERO: u64 = 2;
const UNMAPPED: u64 = 3;
const FULLY_PRESENT: u64 = 6;

#[derive(Debug)]
pub(super) struct Table {
    offset: u64,
    /// The payload blocks in a group.
    per_group: u64,
    block_size: u64,
    media_size: u64,
    file_size: u64,
}

impl Table {
    pub(super) fn new(file: &DiskFile, region: &Region, metadata: &Metadata) -> Table {
        Table {
            offset: region.offset,
            per_group: SECTORS_PER_BITMAP * metadata.sector_size / metadata.block_size,
            block_size: metadata.block_size,
            media_size: metadata.size,
            file_size: file.size,
        }
    }

    fn blocks(&self) -> u64 {
        self.media_size.div_ceil(self.block_size)
    }

    /// Returns the index of a payload block's entry.
    fn index(&self, block: u64) -> u64 {
        block + block / self.per_group
    }

    /// Returns the number of entries that the media need.
    pub(super) fn needed(&self) -> u64 {
        self.blocks().checked_sub(1).map_or(0, |last| self.index(last) + 1)
    }

    fn at(&self, block: u64) -> u64 {
        self.offset.saturating_add(self.index(block) * 8)
    }

    /// Returns the offset of a block, or 0 if it is not stored.
    fn block(&self, source: &Source<'_>, block: u64) -> io::Result<Result<u64, ProblemKind>> {
        let entry = source.entry_le64(0, self.at(block))?;
        let offset = entry & !(MEBIBYTE - 1);
        Ok(match entry & 7 {
            NOT_PRESENT | UNDEFINED | ZERO | UNMAPPED => Ok(0),
            FULLY_PRESENT if offset >= MEBIBYTE && offset < self.file_size => Ok(offset),
            FULLY_PRESENT => Err(ProblemKind::BadEntry { target: offset }),
            _ => Err(ProblemKind::Malformed),
        })
    }
}

impl BlockMap for Table {
    fn locate(&self, source: &Source<'_>, offset: u64) -> Stretch {
        let (block, within) = (offset / self.block_size, offset % self.block_size);
        let left = self.block_size - within;
        match self.block(source, block) {
            Ok(Ok(0)) => Stretch::new(left, Place::Zeros),
            Ok(Ok(offset)) => {
                Stretch::new(left, Place::Plain { file: 0, offset: offset.saturating_add(within) })
            }
            Ok(Err(ProblemKind::Malformed)) => Stretch::fault(left, ProblemKind::ChunkUnsupported),
            Ok(Err(kind)) => Stretch::fault(left, kind),
            Err(error) => Stretch::fault(u64::MAX, fault(&error)),
        }
    }

    fn check(&self, source: &Source<'_>, report: &mut Report<'_>) -> Option<()> {
        let path = Arc::clone(source.files.path(0));
        let mut used = Used::default();
        for block in 0..self.blocks() {
            let place = Structure::new("block table", self.at(block));
            match self.block(source, block) {
                Ok(Ok(0)) => continue,
                Ok(Ok(offset)) => {
                    report.go_on()?;
                    // Blocks that don't overlap never begin in the same part of the file.
                    if used.insert(offset / self.block_size) {
                        report.add(ProblemKind::UsedTwice { target: offset }, &path, place);
                    }
                }
                Ok(Err(kind)) => report.add(kind, &path, place),
                Err(error) => {
                    report.add(fault(&error), &path, place);
                    return Some(());
                }
            }
        }
        if used.overflowed {
            report.add(ProblemKind::TooManyEntries, &path, Structure::new("block table", self.offset));
        }
        Some(())
    }
}
