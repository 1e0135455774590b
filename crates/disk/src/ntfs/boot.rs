//! The boot sector: how large the parts of the file system are, and where its table of files begins.
//!
//! Source: [MS-FSA] 2.1.1.1 and the BIOS parameter block of NTFS as Microsoft's "NTFS Boot Sector" documents it.

use crate::fields::{le16, le64};
use crate::{Medium, Problem};

/// The bytes of a boot sector that are read, whatever the size of sectors is.
const LENGTH: usize = 512;

/// The sizes of sectors.
const SECTORS: [u64; 5] = [256, 512, 1024, 2048, 4096];

/// The largest cluster: 2 MiB.
const LARGEST_CLUSTER: u64 = 2 << 20;

/// The largest record of the MFT that is read; 1 KiB and 4 KiB are in use.
const LARGEST_RECORD: u64 = 64 << 10;

/// The sizes and places that a boot sector states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Boot {
    /// The size of a sector in bytes.
    pub sector: u64,
    /// The size of a cluster in bytes.
    pub cluster: u64,
    /// The size of a record of the MFT in bytes.
    pub record: u64,
    /// The number of sectors, without that of the copy of the boot sector.
    pub sectors: u64,
    /// The position of the MFT in bytes.
    pub mft: u64,
    /// The position of the copy of its first records in bytes.
    pub mirror: u64,
    /// The serial number.
    pub serial: u64,
}

impl Boot {
    /// Reads a boot sector; none if it is not one of NTFS, or its numbers make no sense.
    fn parse(bytes: &[u8]) -> Option<Boot> {
        if bytes.get(3..11)? != b"NTFS    " {
            return None;
        }
        let sector = u64::from(le16(bytes, 0x0b)?);
        let cluster = cluster_size(sector, *bytes.get(0x0d)?)?;
        let record = record_size(cluster, *bytes.get(0x40)?)?;
        let boot = Boot {
            sector,
            cluster,
            record,
            sectors: le64(bytes, 0x28)?,
            mft: le64(bytes, 0x30)?.checked_mul(cluster)?,
            mirror: le64(bytes, 0x38)?.saturating_mul(cluster),
            serial: le64(bytes, 0x48)?,
        };
        let size = boot.sectors.checked_mul(sector)?;
        (boot.mft < size).then_some(boot)
    }

    /// Returns the size of the file system in bytes, without the copy of the boot sector.
    pub(super) fn size(&self) -> u64 {
        self.sectors.saturating_mul(self.sector)
    }

    /// Returns the number of whole clusters.
    pub(super) fn clusters(&self) -> u64 {
        self.size() / self.cluster
    }
}

/// Returns the size of clusters: a number of sectors, or, from 244 on, the negative power of two of that number.
fn cluster_size(sector: u64, stated: u8) -> Option<u64> {
    let sectors =
        if stated <= 128 { u64::from(stated) } else { 1_u64.checked_shl(256 - u32::from(stated))? };
    let cluster = sector.checked_mul(sectors)?;
    let is_possible = SECTORS.contains(&sector) && sectors.is_power_of_two() && cluster <= LARGEST_CLUSTER;
    is_possible.then_some(cluster)
}

/// Returns the size of records: a number of clusters, or the negative power of two of their bytes.
fn record_size(cluster: u64, stated: u8) -> Option<u64> {
    let size = match stated {
        0..=127 => cluster.checked_mul(u64::from(stated))?,
        _ => 1_u64.checked_shl(256 - u32::from(stated))?,
    };
    (size.is_power_of_two() && (512..=LARGEST_RECORD).contains(&size)).then_some(size)
}

/// Returns whether a medium begins with the boot sector.
pub(super) fn begins(medium: &dyn Medium) -> bool {
    read(medium, 0).is_some()
}

/// Returns whether a medium ends with the copy of the boot sector, and has the table of files where the copy states it.
pub(super) fn ends(medium: &dyn Medium) -> bool {
    let Some(boot) = copy(medium) else { return false };
    let mut signature = [0; 4];
    medium.read_at(boot.mft, &mut signature).is_ok() && &signature == b"FILE"
}

/// Reads the boot sector, or else its copy; adds to the notes and doubts what is wrong with them.
pub(super) fn find(medium: &dyn Medium, notes: &mut Vec<String>, doubts: &mut Vec<Problem>) -> Option<Boot> {
    let Some(boot) = read(medium, 0) else {
        let boot = copy(medium)?;
        doubts.push(Problem::incomplete("the boot sector is damaged: its copy at the end was used"));
        return Some(boot);
    };
    match boot.sectors.checked_mul(boot.sector).map(|place| read(medium, place)) {
        Some(Some(copy)) if copy == boot => {}
        Some(Some(_)) => {
            doubts.push(Problem::ambiguous("the boot sector and its copy at the end differ"));
        }
        _ => notes.push("the copy of the boot sector at the end is missing or damaged".into()),
    }
    Some(boot)
}

/// Reads the copy, which fills the last sector.
fn copy(medium: &dyn Medium) -> Option<Boot> {
    let read_last = |sector: &u64| read(medium, medium.size().checked_sub(*sector)?);
    SECTORS.iter().filter(|sector| **sector >= LENGTH as u64).find_map(|sector| {
        read_last(sector).filter(|boot| boot.sector == *sector && boot.size() < medium.size())
    })
}

fn read(medium: &dyn Medium, place: u64) -> Option<Boot> {
    let mut bytes = [0; LENGTH];
    medium.read_at(place, &mut bytes).ok()?;
    Boot::parse(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_numbers_or_negative_powers() {
        assert_eq!(cluster_size(512, 1), Some(512));
        assert_eq!(cluster_size(512, 128), Some(64 << 10));
        assert_eq!(cluster_size(512, 0xf4), Some(2 << 20));
        assert_eq!(cluster_size(4096, 0xf7), Some(2 << 20));
        for (sector, stated) in [(512, 0), (512, 3), (512, 0xf3), (4096, 0xf4), (0, 1), (513, 1), (512, 129)]
        {
            assert_eq!(cluster_size(sector, stated), None, "{sector} {stated}");
        }
        assert_eq!(record_size(4096, 0xf6), Some(1024));
        assert_eq!(record_size(4096, 1), Some(4096));
        for (cluster, stated) in [(4096, 0), (4096, 3), (4096, 128), (4096, 0xf8), (2 << 20, 1)] {
            assert_eq!(record_size(cluster, stated), None, "{cluster} {stated}");
        }
    }
}
