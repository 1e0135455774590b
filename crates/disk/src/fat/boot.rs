//! The boot sector: where the tables, the root directory and the clusters lie.
//!
//! Source: Microsoft, "FAT: General Overview of On-Disk Format", version 1.03 (2000), "Boot Sector and BPB".

use crate::clusters::{Clusters, Width};
use crate::fields::{array, le16, le32};
use crate::foreign::BITLOCKER;
use crate::{FileSystemKind, Medium, Problem};

/// The size of what is read of the boot sector.
const LENGTH: usize = 512;

/// The largest sector.
const LARGEST: u64 = 4096;

/// The number of sectors before the copy of FAT32's boot sector.
const BACKUP: u64 = 6;

/// The facts in a boot sector.
#[derive(Debug, Clone)]
pub(super) struct Boot {
    pub kind: FileSystemKind,
    /// The position of the first table, the size of a table, and their number.
    pub table: u64,
    pub table_length: u64,
    pub tables: u8,
    /// The only table in use, if the others are not kept alike (FAT32).
    pub active: Option<u8>,
    /// The position of the first byte behind the tables.
    pub data: u64,
    /// The size of the root directory where it has a fixed place behind the tables.
    pub fixed_root: u64,
    /// The first cluster of the root directory elsewhere (FAT32).
    pub root: u32,
    pub clusters: Clusters,
    /// The size of the volume in bytes.
    pub size: u64,
    pub serial: Option<u32>,
    pub label: Option<[u8; 11]>,
    /// Whether this is the second copy, as the first makes no sense.
    pub is_backup: bool,
}

impl Boot {
    /// Reads the boot sector, or its copy where that of FAT32 lies.
    ///
    /// # Errors
    /// If neither makes sense.
    pub fn read(medium: &dyn Medium) -> Result<Boot, Problem> {
        let failed = match sector(medium, 0).and_then(|bytes| Boot::parse(&bytes)) {
            Ok(boot) => return Ok(boot),
            Err(problem) => problem,
        };
        let copies = [512, 1024, 2048, LARGEST].map(|size| (size, BACKUP * size));
        let backup = |(size, place): (u64, u64)| {
            let boot = sector(medium, place).and_then(|bytes| Boot::parse(&bytes)).ok()?;
            let is_meant = boot.kind == FileSystemKind::Fat32 && boot.table % size == 0 && boot.table > place;
            is_meant.then_some(Boot { is_backup: true, ..boot })
        };
        copies.into_iter().find_map(backup).ok_or(failed)
    }

    fn parse(bytes: &[u8; LENGTH]) -> Result<Boot, Problem> {
        Boot::fields(bytes).ok_or_else(|| Problem::damaged("the boot sector is not one of FAT"))
    }

    fn fields(bytes: &[u8; LENGTH]) -> Option<Boot> {
        let sector = u64::from(le16(bytes, 11)?);
        let per_cluster = u64::from(*bytes.get(13)?);
        let (reserved, tables) = (u64::from(le16(bytes, 14)?), *bytes.get(16)?);
        let entries = u64::from(le16(bytes, 17)?);
        let sectors = either(le16(bytes, 19)?, le32(bytes, 32)?);
        let short_table = le16(bytes, 22)?;
        let table_sectors = either(short_table, le32(bytes, 36)?);
        let is_plain = matches!(sector, 512 | 1024 | 2048 | LARGEST)
            && per_cluster.is_power_of_two()
            && reserved > 0
            && tables > 0
            && is_medium(*bytes.get(21)?)
            && (le16(bytes, 510)? == 0xaa55 || matches!(*bytes.first()?, 0xeb | 0xe9));
        // BitLocker To Go has a small FAT32 in front of what is encrypted.
        if !is_plain || array(bytes, 0x1a8).as_ref() == Some(BITLOCKER) {
            return None;
        }
        let behind_tables = reserved + u64::from(tables) * table_sectors;
        let root_sectors = (entries * 32).div_ceil(sector);
        let count = sectors.checked_sub(behind_tables + root_sectors)? / per_cluster;
        let table_length = table_sectors * sector;
        let (kind, width) = kind(short_table == 0, count)?;
        if (kind == FileSystemKind::Fat32) != (entries == 0) {
            return None;
        }
        // The first two entries of a table stand for no clusters.
        let count = count.min(width.entries(table_length).checked_sub(2)?);
        let is_32 = kind == FileSystemKind::Fat32;
        let flags = if is_32 { le16(bytes, 40)? } else { 0 };
        let extended = if is_32 { 66 } else { 38 };
        let is_extended = matches!(*bytes.get(extended)?, 0x28 | 0x29);
        Some(Boot {
            kind,
            table: reserved * sector,
            table_length,
            tables,
            active: (flags & 0x80 != 0).then_some((flags & 15) as u8),
            data: behind_tables * sector,
            fixed_root: entries * 32,
            root: if is_32 { le32(bytes, 44)? & 0x0fff_ffff } else { 0 },
            clusters: Clusters {
                start: (behind_tables + root_sectors) * sector,
                size: per_cluster * sector,
                count: u32::try_from(count).ok().filter(|count| *count > 0)?,
            },
            size: sectors * sector,
            serial: if is_extended { le32(bytes, extended + 1) } else { None },
            label: if is_extended { array(bytes, extended + 5) } else { None },
            is_backup: false,
        })
    }

    /// Returns the size of the entries in the tables.
    pub fn width(&self) -> Width {
        match self.kind {
            FileSystemKind::Fat12 => Width::Twelve,
            FileSystemKind::Fat16 => Width::Sixteen,
            _ => Width::TwentyEight,
        }
    }

    /// Returns the positions of the tables, that in use first.
    pub fn table_places(&self) -> Vec<u64> {
        let place = |number: u8| self.table + u64::from(number) * self.table_length;
        match self.active {
            Some(active) if active < self.tables => vec![place(active)],
            _ => (0..self.tables).map(place).collect(),
        }
    }
}

/// Returns the kind: by the number of clusters, but FAT32 is told by its longer boot sector, as small ones are made, too.
fn kind(has_long_boot: bool, count: u64) -> Option<(FileSystemKind, Width)> {
    match count {
        _ if has_long_boot => Some((FileSystemKind::Fat32, Width::TwentyEight)),
        1..4085 => Some((FileSystemKind::Fat12, Width::Twelve)),
        4085..65525 => Some((FileSystemKind::Fat16, Width::Sixteen)),
        _ => None,
    }
}

/// Returns whether a byte is a descriptor of a kind of medium.
fn is_medium(byte: u8) -> bool {
    byte == 0xf0 || byte >= 0xf8
}

fn either(short: u16, long: u32) -> u64 {
    if short == 0 { u64::from(long) } else { u64::from(short) }
}

fn sector(medium: &dyn Medium, position: u64) -> Result<[u8; LENGTH], Problem> {
    let mut bytes = [0; LENGTH];
    medium.read_at(position, &mut bytes)?;
    Ok(bytes)
}
