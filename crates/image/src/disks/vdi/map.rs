//! The table of blocks.

use crate::disks::blocks::{BlockMap, Place, Report, Source, Stretch, Structure, Used, fault};
use crate::finding::ProblemKind;
use std::io;
use std::sync::Arc;

/// The entry of a block that was never written.
const FREE: u32 = u32::MAX;
/// The entry of a block that was discarded, and is zeros.
const ZERO: u32 = u32::MAX - 1;

#[derive(Debug)]
pub(super) struct Table {
    pub(super) file_size: u64,
    /// The offset of the table.
    pub(super) table: u64,
    /// The offset of the first stored block.
    pub(super) data: u64,
    pub(super) block_size: u64,
    /// Bytes before the data of every block.
    pub(super) extra: u64,
    pub(super) blocks: u64,
    /// The number of stored blocks that the header states.
    pub(super) stated: u64,
}

impl Table {
    /// Returns the offset of a block; `None` if it is not stored.
    fn block(&self, source: &Source<'_>, index: u64) -> io::Result<Option<u64>> {
        let entry = source.entry_le32(0, self.table.saturating_add(index * 4))?;
        let offset = u64::from(entry) * (self.block_size + self.extra) + self.data + self.extra;
        Ok((entry != FREE && entry != ZERO).then_some(offset))
    }
}

impl BlockMap for Table {
    fn locate(&self, source: &Source<'_>, offset: u64) -> Stretch {
        let (index, within) = (offset / self.block_size, offset % self.block_size);
        let left = self.block_size - within;
        match self.block(source, index) {
            Ok(None) => Stretch::new(left, Place::Zeros),
            Ok(Some(block)) if block >= self.file_size => {
                Stretch::fault(left, ProblemKind::BadEntry { target: block })
            }
            Ok(Some(block)) => Stretch::new(left, Place::Plain { file: 0, offset: block + within }),
            Err(error) => Stretch::fault(u64::MAX, fault(&error)),
        }
    }

    fn check(&self, source: &Source<'_>, report: &mut Report<'_>) -> Option<()> {
        let path = Arc::clone(source.files.path(0));
        let (mut used, mut found) = (Used::default(), 0);
        for index in 0..self.blocks {
            let place = Structure::new("block table", self.table + index * 4);
            match self.block(source, index) {
                Ok(None) => continue,
                Ok(Some(block)) => {
                    report.go_on()?;
                    found += 1;
                    if block >= self.file_size {
                        report.add(ProblemKind::BadEntry { target: block }, &path, place);
                    } else if used.insert(block / (self.block_size + self.extra)) {
                        report.add(ProblemKind::UsedTwice { target: block }, &path, place);
                    }
                }
                Err(error) => {
                    report.add(fault(&error), &path, place);
                    return Some(());
                }
            }
        }
        if found != self.stated {
            report.add(
                ProblemKind::ChunkCount { stated: self.stated, found },
                &path,
                Structure::new("header", 0),
            );
        }
        if used.overflowed {
            report.add(ProblemKind::TooManyEntries, &path, Structure::new("block table", self.table));
        }
        Some(())
    }
}
