//! The map of a fixed or dynamic disk.

use super::check;
use crate::disks::blocks::{BlockMap, Place, Report, Source, Stretch, fault};
use crate::finding::ProblemKind;
use std::io;

const SECTOR: u64 = 512;

/// The entry of a block that is not stored.
pub(super) const FREE: u32 = u32::MAX;

/// Raw media before a footer.
#[derive(Debug)]
pub(super) struct Fixed {
    /// The offset of the footer.
    pub(super) end: u64,
}

impl BlockMap for Fixed {
    fn locate(&self, _: &Source<'_>, offset: u64) -> Stretch {
        match self.end.checked_sub(offset) {
            None | Some(0) => Stretch::fault(u64::MAX, ProblemKind::ChunkOutside),
            Some(left) => Stretch::new(left, Place::Plain { file: 0, offset }),
        }
    }

    fn check(&self, _: &Source<'_>, _: &mut Report<'_>) -> Option<()> {
        Some(())
    }
}

/// Blocks with bitmaps.
#[derive(Debug)]
pub(super) struct Dynamic {
    pub(super) media_size: u64,
    /// The offset of the table, and the number of its entries.
    pub(super) table: u64,
    pub(super) entries: u64,
    pub(super) block_size: u64,
    /// The offset of the footer.
    pub(super) end: u64,
}

impl Dynamic {
    /// Returns the bytes of a block's bitmap, in whole sectors.
    pub(super) fn bitmap_size(&self) -> u64 {
        (self.block_size / SECTOR).div_ceil(8).next_multiple_of(SECTOR)
    }

    /// Returns the offset of a block's bitmap; `None` if the block is not stored.
    pub(super) fn block(&self, source: &Source<'_>, index: u64) -> io::Result<Option<u64>> {
        let entry = source.entry_be32(0, self.table.saturating_add(index * 4))?;
        Ok((entry != FREE).then_some(u64::from(entry) * SECTOR))
    }

    /// Returns whether a sector was written, and how many bytes of the block from there on are alike.
    fn written(&self, source: &Source<'_>, bitmap: u64, sector: u64) -> io::Result<(bool, u64)> {
        let mut bits = [0; 64];
        let first = sector / 8;
        let most = (self.bitmap_size() - first).min(bits.len() as u64);
        let bits = &mut bits[..most as usize];
        source.table(0, bitmap.saturating_add(first), bits)?;
        let sectors = self.block_size / SECTOR;
        let until = sectors.min((first + most) * 8);
        let is =
            |at: u64| bits.get((at / 8 - first) as usize).is_some_and(|byte| byte << (at % 8) & 0x80 != 0);
        let alike = (sector..until).take_while(|at| is(*at) == is(sector)).count() as u64;
        Ok((is(sector), alike * SECTOR))
    }
}

impl BlockMap for Dynamic {
    fn locate(&self, source: &Source<'_>, offset: u64) -> Stretch {
        let (index, within) = (offset / self.block_size, offset % self.block_size);
        let left = self.block_size - within;
        let bitmap = match self.block(source, index) {
            Ok(Some(bitmap)) => bitmap,
            Ok(None) => return Stretch::new(left, Place::Zeros),
            Err(error) => return Stretch::fault(u64::MAX, fault(&error)),
        };
        if bitmap >= self.end || bitmap == 0 {
            return Stretch::fault(left, ProblemKind::BadEntry { target: bitmap });
        }
        match self.written(source, bitmap, within / SECTOR) {
            Err(error) => Stretch::fault(left, fault(&error)),
            Ok((false, length)) => Stretch::new(length - within % SECTOR, Place::Zeros),
            Ok((true, length)) => {
                let offset = bitmap + self.bitmap_size() + within;
                let length = length - within % SECTOR;
                match self.end.checked_sub(offset) {
                    None | Some(0) => Stretch::fault(length, ProblemKind::ChunkOutside),
                    Some(left) => Stretch::new(length.min(left), Place::Plain { file: 0, offset }),
                }
            }
        }
    }

    fn check(&self, source: &Source<'_>, report: &mut Report<'_>) -> Option<()> {
        check::check(self, source, report)
    }
}
