//! The allocation bitmap: a bit for each cluster that is in use.
//!
//! Source: Microsoft, "exFAT file system specification", section 7.1.

use super::boot::Boot;
use crate::clusters::{Chain, ClusterTable, SLOT, Used, chain};
use crate::fields::{le32, le64};
use crate::{Medium, Problem};

/// The bytes that are read at once.
const PIECE: u64 = 64 << 10;

/// The place of a bitmap, as its slot in the root directory has it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bitmap {
    pub is_second: bool,
    first: u32,
    length: u64,
}

impl Bitmap {
    /// Returns the bitmap that a slot tells of.
    pub fn parse(slot: &[u8; SLOT]) -> Option<Bitmap> {
        Some(Bitmap { is_second: slot[1] & 1 != 0, first: le32(slot, 20)?, length: le64(slot, 24)? })
    }

    /// Reads which clusters are in use. Those whose bits can't be read are taken for used.
    ///
    /// # Errors
    /// If there are too many clusters.
    pub fn read(self, medium: &dyn Medium, boot: &Boot, table: &ClusterTable) -> Result<Used, Problem> {
        let count = boot.clusters.count;
        let mut used = Used::new(count).ok_or(Problem::TooMany("clusters"))?;
        let bytes = self.length.min(u64::from(count).div_ceil(8));
        let Chain { runs, .. } = chain(table, boot.clusters, self.first, boot.clusters.needed(bytes));
        let mut piece = Vec::new();
        for run in runs.as_slice() {
            let end = run.end().min(bytes);
            let mut at = run.at;
            while at < end {
                piece.resize((end - at).min(PIECE) as usize, 0);
                let place = run.place.unwrap_or_default().saturating_add(at - run.at);
                if medium.read_at(place, &mut piece).is_ok() {
                    free(&mut used, at, &piece);
                }
                at += piece.len() as u64;
            }
        }
        Ok(used)
    }
}

/// Takes the bits of bytes at an offset of the bitmap.
fn free(used: &mut Used, at: u64, bytes: &[u8]) {
    for (offset, byte) in bytes.iter().enumerate() {
        let first = (at + offset as u64) * 8;
        for bit in (0..8).filter(|bit| byte >> bit & 1 == 0) {
            if let Ok(index) = u32::try_from(first + bit) {
                used.free(index);
            }
        }
    }
}
