//! The header of sparse extents of ESX: COWD.

use super::sparse::{SECTOR, Sparse};
use crate::bytes::le::u32_at;
use crate::error::Problem;

/// The entries of a grain table.
const ENTRIES: u64 = 4096;

/// Reads the header. Its sizes are 32-bit numbers of sectors.
pub(super) fn parse(head: &[u8; 512]) -> Result<Sparse, Problem> {
    let version = u32_at(head, 4);
    if version != 1 {
        return Err(Problem::Feature(format!("version {version} of COWD extents").into()));
    }
    let grain = u64::from(u32_at(head, 16));
    if !(1..=1 << 15).contains(&grain) {
        return Err(Problem::Header("the size of its grains is impossible"));
    }
    Ok(Sparse {
        capacity: u64::from(u32_at(head, 12)) * SECTOR,
        grain: grain * SECTOR,
        entries: ENTRIES,
        directory: u64::from(u32_at(head, 20)) * SECTOR,
        copy: None,
        has_zeros: false,
        compressed: false,
        unclean: false,
        file_size: u64::MAX,
    })
}
