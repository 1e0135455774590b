//! The boot region, and its copy.
//!
//! Source: Microsoft, "exFAT file system specification", sections 3.1 and 3.4.

use crate::clusters::Clusters;
use crate::fields::{array, le16, le32, le64};
use crate::{Medium, Problem};

/// The size of what is read of a boot sector, and the sizes of sectors.
const LENGTH: usize = 512;
const SECTORS: [u64; 4] = [512, 1024, 2048, 4096];

/// The number of sectors in a region: the last has the checksum of the others.
const REGION: u64 = 12;

/// The facts in a boot sector.
#[derive(Debug, Clone)]
pub(super) struct Boot {
    /// The positions of the tables, that in use first.
    pub tables: Vec<u64>,
    pub table_length: u64,
    pub clusters: Clusters,
    /// The first cluster of the root directory.
    pub root: u32,
    /// The size of the volume in bytes.
    pub size: u64,
    pub serial: u32,
    /// Whether the second of two bitmaps, and of two tables, is in use.
    pub is_second_active: bool,
    pub is_dirty: bool,
    pub has_failed: bool,
    pub sector: u64,
    pub region: Region,
}

/// The boot region that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Region {
    /// The first, which is good.
    First,
    /// The first, though its checksum is wrong: that of the second is, too.
    Unchecked,
    /// The second, as the first is damaged.
    Second,
}

impl Region {
    /// Returns what is wrong with it.
    pub fn doubt(&self) -> Option<&'static str> {
        match self {
            Region::First => None,
            Region::Unchecked => Some("the checksum of the boot region is wrong"),
            Region::Second => Some("the copy of the boot region is used, as the first is damaged"),
        }
    }
}

impl Boot {
    /// Reads the boot region, or its copy where the first is damaged.
    ///
    /// # Errors
    /// If neither makes sense.
    pub fn read(medium: &dyn Medium) -> Result<Boot, Problem> {
        let first = Boot::at(medium, 0);
        if let Ok(boot) = &first
            && boot.is_checked(medium, 0)
        {
            return first;
        }
        let second = |sector: u64| {
            let at = REGION * sector;
            let boot = Boot::at(medium, at).ok()?;
            (boot.sector == sector && boot.is_checked(medium, at))
                .then_some(Boot { region: Region::Second, ..boot })
        };
        match (SECTORS.into_iter().find_map(second), first) {
            (Some(second), _) => Ok(second),
            (None, first) => first.map(|boot| Boot { region: Region::Unchecked, ..boot }),
        }
    }

    fn at(medium: &dyn Medium, at: u64) -> Result<Boot, Problem> {
        let mut bytes = [0; LENGTH];
        medium.read_at(at, &mut bytes)?;
        Boot::fields(&bytes).ok_or_else(|| Problem::damaged("the boot sector is not one of exFAT"))
    }

    fn fields(bytes: &[u8; LENGTH]) -> Option<Boot> {
        let is_named = array(bytes, 3) == Some(*b"EXFAT   ")
            && bytes.get(11..64)?.iter().all(|byte| *byte == 0)
            && le16(bytes, 510)? == 0xaa55;
        let (sector_bits, cluster_bits) = (*bytes.get(108)?, *bytes.get(109)?);
        if !is_named || !(9..=12).contains(&sector_bits) || cluster_bits > 25 - sector_bits {
            return None;
        }
        let sector = 1_u64 << sector_bits;
        let size = le64(bytes, 72)?.checked_mul(sector)?;
        let place = |at: usize| le32(bytes, at).map(|sectors| u64::from(sectors) * sector);
        let (table, table_length, start) = (place(80)?, place(84)?, place(88)?);
        let cluster = sector << cluster_bits;
        let fitting = size.checked_sub(start)? / cluster;
        let count = le32(bytes, 92)?.min(u32::try_from(fitting).unwrap_or(u32::MAX));
        let flags = le16(bytes, 106)?;
        let tables = match (*bytes.get(110)?, flags & 1) {
            (1, _) => vec![table],
            (2, 0) => vec![table, table.checked_add(table_length)?],
            (2, _) => vec![table.checked_add(table_length)?, table],
            _ => return None,
        };
        Some(Boot {
            is_second_active: tables.len() == 2 && flags & 1 != 0,
            tables,
            table_length,
            clusters: Clusters { start, size: cluster, count },
            root: le32(bytes, 96)?,
            size,
            serial: le32(bytes, 100)?,
            is_dirty: flags & 2 != 0,
            has_failed: flags & 4 != 0,
            sector,
            region: Region::First,
        })
    }

    /// Returns whether the checksum of the region at a position is right.
    fn is_checked(&self, medium: &dyn Medium, at: u64) -> bool {
        let mut region = vec![0; (self.sector * REGION) as usize];
        if medium.read_at(at, &mut region).is_err() {
            return false;
        }
        let (summed, sums) = region.split_at((self.sector * (REGION - 1)) as usize);
        // The flags and the percentage in use change without the checksum.
        let counted = summed.iter().enumerate().filter(|(at, _)| !matches!(at, 106 | 107 | 112));
        let sum = counted.fold(0_u32, |sum, (_, byte)| sum.rotate_right(1).wrapping_add(u32::from(*byte)));
        sums.chunks_exact(4).all(|stored| stored == sum.to_le_bytes())
    }
}
