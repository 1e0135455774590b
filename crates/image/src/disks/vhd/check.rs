//! Checks the table of a dynamic disk: each block is in the file, in a place of its own, and has no sectors that are
//! stored, but marked as never written.

use super::map::Dynamic;
use crate::disks::blocks::{Report, Source, Structure, Used, fault};
use crate::finding::{ImageLocation, ProblemKind, Span};
use std::io;
use std::sync::Arc;

const SECTOR: u64 = 512;

pub(super) fn check(disk: &Dynamic, source: &Source<'_>, report: &mut Report<'_>) -> Option<()> {
    let path = Arc::clone(source.files.path(0));
    let mut used = Used::default();
    for index in 0..disk.media_size.div_ceil(disk.block_size) {
        let at = disk.table + index * 4;
        let block = match disk.block(source, index) {
            Ok(block) => block,
            Err(error) => {
                report.add(fault(&error), &path, Structure::new("block table", at));
                return Some(());
            }
        };
        let Some(bitmap) = block else { continue };
        report.go_on()?;
        if bitmap == 0 || bitmap >= disk.end {
            report.add(ProblemKind::BadEntry { target: bitmap }, &path, Structure::new("block table", at));
            continue;
        }
        // Blocks that don't overlap never begin in the same part of the file.
        if used.insert(bitmap / (disk.bitmap_size() + disk.block_size)) {
            report.add(ProblemKind::UsedTwice { target: bitmap }, &path, Structure::new("block table", at));
        }
        let hidden = hidden(disk, source, bitmap).unwrap_or(0);
        if hidden > 0 {
            let media = Some(Span { first: index * disk.block_size, count: disk.block_size });
            let place = ImageLocation { media, ..ImageLocation::file(&path) };
            report.push(ProblemKind::HiddenSectors { extra: hidden }.at(place));
        }
    }
    if used.overflowed {
        report.add(ProblemKind::TooManyEntries, &path, Structure::new("block table", disk.table));
    }
    Some(())
}

/// Returns the number of sectors that are not zeros, but marked as never written.
fn hidden(disk: &Dynamic, source: &Source<'_>, bitmap: u64) -> io::Result<u64> {
    let mut bits = vec![0; disk.bitmap_size() as usize];
    source.table(0, bitmap, &mut bits)?;
    let clear =
        |sector: &u64| bits.get((sector / 8) as usize).is_some_and(|byte| byte << (sector % 8) & 0x80 == 0);
    let mut extra = 0;
    let mut bytes = [0; SECTOR as usize];
    for sector in (0..disk.block_size / SECTOR).filter(clear) {
        source.table(0, bitmap + disk.bitmap_size() + sector * SECTOR, &mut bytes)?;
        extra += u64::from(bytes.iter().any(|byte| *byte != 0));
    }
    Ok(extra)
}
