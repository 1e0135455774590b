//! The footer, which also is at the start of dynamic disks.

use crate::bytes::be::{u32_at, u64_at};
use crate::disks::blocks::DiskFile;
use crate::finding::{Findings, ImageLocation, ProblemKind};
use std::io;

const LENGTH: usize = 512;
const COOKIE: &[u8] = b"conectix";
const CHECKSUM: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DiskType {
    Fixed,
    Dynamic,
    Differencing,
    Other(u32),
}

#[derive(Debug, Clone)]
pub(super) struct Footer {
    /// The offset of the footer at the end of the file.
    pub(super) offset: u64,
    /// The offset of the dynamic header.
    pub(super) data: u64,
    pub(super) creator: [u8; 4],
    pub(super) size: u64,
    /// The bytes of the media by cylinders, heads and sectors, which Virtual PC shows to its guests.
    pub(super) geometry: u64,
    pub(super) kind: DiskType,
}

/// Finds the footer at the end, or its copy at the start if that is damaged.
pub(super) fn find(file: &DiskFile, findings: &mut Findings) -> io::Result<Option<Footer>> {
    let copy: [u8; LENGTH] = file.bytes(0)?;
    let mut add = |kind: ProblemKind, offset: u64| {
        findings.add(kind, ImageLocation::section(&file.path, "footer", offset));
    };
    let (offset, last) = at_end(file)?;
    match (holds(&last), holds(&copy)) {
        (true, copied) => {
            if !copied && copy.starts_with(COOKIE) {
                add(ProblemKind::ContentChecksum, 0);
            } else if copied && copy != last {
                add(ProblemKind::TableCopyDiffers { entry: 0 }, 0);
            }
            Ok(Some(parse(&last, offset)))
        }
        (false, true) => {
            add(ProblemKind::TableCopyUsed, offset);
            Ok(Some(parse(&copy, if last.starts_with(COOKIE) { offset } else { file.size })))
        }
        (false, false) => {
            let damaged =
                [(last, offset), (copy, 0)].into_iter().find(|(bytes, _)| bytes.starts_with(COOKIE));
            Ok(damaged.map(|(bytes, at)| {
                add(ProblemKind::ContentChecksum, at);
                parse(&bytes, offset)
            }))
        }
    }
}

/// Reads the last 512 bytes; old programs wrote 511.
fn at_end(file: &DiskFile) -> io::Result<(u64, [u8; LENGTH])> {
    let offset = file.size.saturating_sub(LENGTH as u64);
    let last: [u8; LENGTH] = file.bytes(offset)?;
    if last.starts_with(COOKIE) || !last[1..].starts_with(COOKIE) {
        return Ok((offset, last));
    }
    Ok((offset + 1, file.bytes(offset + 1)?))
}

fn holds(footer: &[u8; LENGTH]) -> bool {
    footer.starts_with(COOKIE) && sum(footer, CHECKSUM) == u32_at(footer, CHECKSUM)
}

/// Returns the complement of the sum of all bytes but those of the checksum.
pub(super) fn sum(bytes: &[u8], checksum: usize) -> u32 {
    let others = bytes.iter().enumerate().filter(|(at, _)| !(checksum..checksum + 4).contains(at));
    !others.fold(0_u32, |sum, (_, byte)| sum.wrapping_add((*byte).into()))
}

fn parse(bytes: &[u8; LENGTH], offset: u64) -> Footer {
    let cylinders = u64::from(u32_at(bytes, 56) >> 16);
    let (heads, sectors) = (u64::from(bytes[58]), u64::from(bytes[59]));
    let kind = match u32_at(bytes, 60) {
        2 => DiskType::Fixed,
        3 => DiskType::Dynamic,
        4 => DiskType::Differencing,
        other => DiskType::Other(other),
    };
    Footer {
        offset,
        data: u64_at(bytes, 16),
        creator: [bytes[28], bytes[29], bytes[30], bytes[31]],
        size: u64_at(bytes, 48),
        geometry: if is_largest(cylinders, heads, sectors) { 0 } else { cylinders * heads * sectors * 512 },
        kind,
    }
}

/// Whether the geometry only says that the disk is larger than any geometry.
fn is_largest(cylinders: u64, heads: u64, sectors: u64) -> bool {
    cylinders * heads * sectors >= 65535 * 16 * 255
}
