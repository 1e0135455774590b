//! The header of a hosted sparse extent.

use super::descriptor::MOST_TEXT;
use crate::bytes::le::{u16_at, u32_at, u64_at};
use crate::disks::blocks::DiskFile;
use crate::error::Problem;
use std::io;

/// The bytes of a sector, in which descriptors and headers count.
pub(super) const SECTOR: u64 = 512;

/// The offset of a grain directory that is told by the footer.
const AT_END: u64 = u64::MAX;

/// The distance of the footer from the end: the footer and the marker of the end.
const FOOTER: u64 = 2 * SECTOR;

const HAS_COPY: u32 = 2;
const HAS_ZEROS: u32 = 4;
const COMPRESSED: u32 = 1 << 16;

/// The most sectors of a grain: 16 MiB. The usual ones are 128.
const MOST_GRAIN: u64 = 1 << 15;

/// The most entries of a grain table. VMware's have 512, those of COWD 4,096.
const MOST_ENTRIES: u32 = 1 << 16;

/// The tables of a sparse extent. Offsets and sizes are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sparse {
    pub(super) capacity: u64,
    pub(super) grain: u64,
    /// The number of entries of a grain table.
    pub(super) entries: u64,
    pub(super) directory: u64,
    /// The copy of the directory, which has tables of its own.
    pub(super) copy: Option<u64>,
    /// An entry of 1 is a grain of zeros.
    pub(super) has_zeros: bool,
    pub(super) compressed: bool,
    /// The file was not closed.
    pub(super) unclean: bool,
    pub(super) file_size: u64,
}

impl Sparse {
    /// Reads the header at the start, and the footer if it says so.
    pub(super) fn read(file: &DiskFile, head: &[u8; 512]) -> Result<Sparse, Problem> {
        if !head.starts_with(b"KDMV") {
            return Err(Problem::Header("an extent has no mark"));
        }
        if u64_at(head, 56) != AT_END {
            return Sparse::parse(file, head);
        }
        let at = (file.size / SECTOR * SECTOR).saturating_sub(FOOTER);
        let footer: [u8; 512] = file.bytes(at).map_err(Problem::Io)?;
        if !footer.starts_with(b"KDMV") || u64_at(&footer, 56) == AT_END {
            return Err(Problem::Header("the footer with the place of its tables is not there"));
        }
        Sparse::parse(file, &footer)
    }

    fn parse(file: &DiskFile, head: &[u8; 512]) -> Result<Sparse, Problem> {
        let (version, flags) = (u32_at(head, 4), u32_at(head, 8));
        if !(1..=3).contains(&version) {
            return Err(Problem::Feature(format!("version {version} of sparse extents").into()));
        }
        let compressed = flags & COMPRESSED != 0;
        match u16_at(head, 77) {
            0 | 1 if compressed => {}
            _ if !compressed => {}
            other => return Err(Problem::unknown_method(other)),
        }
        let bytes = |sectors: u64| sectors.checked_mul(SECTOR).filter(|bytes| *bytes < 1 << 62);
        let (grain, entries) = (u64_at(head, 20), u32_at(head, 44));
        if !grain.is_power_of_two() || grain > MOST_GRAIN {
            return Err(Problem::Header("the size of its grains is impossible"));
        }
        if entries == 0 || entries > MOST_ENTRIES {
            return Err(Problem::Header("the size of its grain tables is impossible"));
        }
        let copy = bytes(u64_at(head, 48)).filter(|offset| flags & HAS_COPY != 0 && *offset != 0);
        let sparse = Sparse {
            capacity: bytes(u64_at(head, 12)).ok_or(Problem::Geometry)?,
            grain: grain * SECTOR,
            entries: entries.into(),
            directory: bytes(u64_at(head, 56))
                .ok_or(Problem::Header("its grain directory is outside the file"))?,
            copy,
            has_zeros: flags & HAS_ZEROS != 0,
            compressed,
            unclean: head[72] != 0,
            file_size: file.size,
        };
        match file.holds(sparse.directory, sparse.tables() * 4) {
            true => Ok(sparse),
            false => Err(Problem::Header("its grain directory is outside the file")),
        }
    }

    /// Returns the bytes of media that a grain table is for.
    pub(super) fn per_table(&self) -> u64 {
        self.grain * self.entries
    }

    /// Returns the number of grain tables.
    pub(super) fn tables(&self) -> u64 {
        self.capacity.div_ceil(self.per_table())
    }
}

/// Reads the descriptor in a sparse extent, if it has one.
pub(super) fn embedded(file: &DiskFile) -> io::Result<Option<Vec<u8>>> {
    let head: [u8; 512] = file.bytes(0)?;
    let (offset, size) = (u64_at(&head, 28).saturating_mul(SECTOR), u64_at(&head, 36).saturating_mul(SECTOR));
    if offset == 0 || size == 0 {
        return Ok(None);
    }
    let text = file.vec(offset, size.min(MOST_TEXT))?;
    Ok(Some(text).filter(|text| text.first().is_some_and(|byte| *byte != 0)))
}
