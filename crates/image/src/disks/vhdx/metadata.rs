//! The metadata: sizes, and whether there is a parent.

use super::regions::Region;
use crate::bytes::le::{array, u16_at, u32_at, u64_at};
use crate::disks::blocks::DiskFile;
use crate::error::Problem;

/// The bytes of the table, after which the items are.
const LENGTH: u64 = 64 << 10;

/// The most items.
const MAX_ITEMS: usize = 2047;

/// Identifiers, as they are stored.
const PARAMETERS: [u8; 16] = *b"\x37\x67\xa1\xca\x36\xfa\x43\x4d\xb3\xb6\x33\xf0\xaa\x44\xe7\x6b";
const DISK_SIZE: [u8; 16] = *b"\x24\x42\xa5\x2f\x1b\xcd\x76\x48\xb2\x11\x5d\xbe\xd8\x3b\xf4\xb8";
const IDENTIFIER: [u8; 16] = *b"\xab\x12\xca\xbe\xe6\xb2\x23\x45\x93\xef\xc3\x09\xe0\x00\xc7\x46";
const LOGICAL: [u8; 16] = *b"\x1d\xbf\x41\x81\x6f\xa9\x09\x47\xba\x47\xf2\x33\xa8\xfa\xab\x5f";
const PHYSICAL: [u8; 16] = *b"\xc7\x48\xa3\xcd\x5d\x44\x71\x44\x9c\xc9\xe9\x88\x52\x51\xc5\x56";
const PARENT: [u8; 16] = *b"\x2d\x5f\xd3\xa8\x0b\xb3\x4d\x45\xab\xf7\xd3\xd8\x48\x34\xab\x0c";

/// The flag of items that a reader must know.
const REQUIRED: u32 = 4;
const HAS_PARENT: u32 = 2;

/// The most bytes of a disk: 64 TiB.
const MOST_DISK: u64 = 64 << 40;

#[derive(Debug, Clone, Default)]
pub(super) struct Metadata {
    pub(super) block_size: u64,
    pub(super) has_parent: bool,
    pub(super) size: u64,
    pub(super) sector_size: u64,
    pub(super) identifier: [u8; 16],
    /// The place of the names of the parent.
    locator: Option<Region>,
}

impl Metadata {
    pub(super) fn read(file: &DiskFile, region: &Region) -> Result<Metadata, Problem> {
        let table = file.vec(region.offset, LENGTH.min(region.length)).map_err(Problem::Io)?;
        if table.len() < 32 || !table.starts_with(b"metadata") {
            return Err(Problem::Header("its metadata are damaged"));
        }
        let mut found = Metadata::default();
        let count = usize::from(u16_at(&table, 10)).min(MAX_ITEMS);
        for entry in table.get(32..).unwrap_or_default().chunks_exact(32).take(count) {
            let offset = region.offset.saturating_add(u32_at(entry, 16).into());
            let item = Region { offset, length: u32_at(entry, 20).into() };
            let value: [u8; 16] = file.bytes(item.offset).map_err(Problem::Io)?;
            match array(entry, 0) {
                PARAMETERS => {
                    found.block_size = u32_at(&value, 0).into();
                    found.has_parent = u32_at(&value, 4) & HAS_PARENT != 0;
                }
                DISK_SIZE => found.size = u64_at(&value, 0),
                IDENTIFIER => found.identifier = value,
                LOGICAL => found.sector_size = u32_at(&value, 0).into(),
                PHYSICAL => {}
                PARENT => found.locator = Some(item),
                _ if u32_at(entry, 24) & REQUIRED == 0 => {}
                _ => return Err(Problem::Feature("metadata of a later version".into())),
            }
        }
        found.check()
    }

    fn check(self) -> Result<Metadata, Problem> {
        let block = self.block_size.is_power_of_two() && (1 << 20..=256 << 20).contains(&self.block_size);
        if !block || !matches!(self.sector_size, 512 | 4096) {
            return Err(Problem::Header("the size of its blocks or sectors is impossible"));
        }
        if self.size > MOST_DISK {
            return Err(Problem::Geometry);
        }
        Ok(self)
    }

    /// Returns the relative path of the parent, or another text of its locator.
    pub(super) fn parent(&self, file: &DiskFile) -> String {
        let unknown = || "that is not named".to_string();
        let Some(region) = self.locator else { return unknown() };
        let Ok(bytes) = file.vec(region.offset, region.length.min(64 << 10)) else { return unknown() };
        let text = |at: u32, length: u16| {
            let units = bytes.get(at as usize..)?.get(..length.into())?.chunks_exact(2);
            let units: Vec<u16> = units.map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect();
            Some(String::from_utf16_lossy(&units))
        };
        let count = bytes.get(..20).map_or(0, |head| u16_at(head, 18));
        let entries = bytes.get(20..).unwrap_or_default().chunks_exact(12).take(count.into());
        let pairs: Vec<(String, String)> = entries
            .filter_map(|entry| {
                let key = text(u32_at(entry, 0), u16_at(entry, 8))?;
                Some((key, text(u32_at(entry, 4), u16_at(entry, 10))?))
            })
            .collect();
        let wanted = ["relative_path", "absolute_win32_path", "volume_path"].iter();
        let name = wanted.filter_map(|wanted| pairs.iter().find(|(key, _)| key == wanted)).next();
        name.map_or_else(unknown, |(_, name)| format!("'{name}'"))
    }
}
