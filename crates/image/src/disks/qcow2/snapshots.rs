//! The table of internal snapshots.

use super::header::Header;
use crate::bytes::be::{u32_at, u64_at};
use crate::disks::blocks::DiskFile;
use crate::finding::{Findings, ImageLocation, ProblemKind};
use std::io;

/// The most snapshots, and the most bytes of their table, as in QEMU.
const MAX_SNAPSHOTS: u32 = 65536;
const MOST_BYTES: u64 = 64 << 20;

/// The fixed part of an entry.
const ENTRY: u64 = 40;

/// The L1 table of a snapshot.
#[derive(Debug, Clone, Copy)]
pub(super) struct Snapshot {
    pub(super) l1_offset: u64,
    pub(super) l1_entries: u32,
    /// The offset of the entry's end in the table.
    pub(super) end: u64,
}

/// Reads the table, and notes every snapshot. A table that can't be read is a finding: the media don't need it.
pub(super) fn read(file: &DiskFile, header: &Header, findings: &mut Findings) -> Vec<Snapshot> {
    let (mut found, mut at) = (Vec::new(), 0);
    let place =
        |at: u64| ImageLocation::section(&file.path, "snapshot", header.snapshots_offset.saturating_add(at));
    for _ in 0..header.snapshots {
        if found.len() as u64 >= MAX_SNAPSHOTS.into() || at > MOST_BYTES {
            findings.add(ProblemKind::Malformed, place(at));
            break;
        }
        match read_one(file, header.snapshots_offset, at) {
            Ok((snapshot, name)) => {
                findings.add(ProblemKind::Snapshot { stored: name.into() }, place(at));
                at = snapshot.end;
                found.push(snapshot);
            }
            Err(_) => {
                findings.add(ProblemKind::Malformed, place(at));
                break;
            }
        }
    }
    found
}

/// Reads an entry: its fixed part, extra data, identifier and name.
fn read_one(file: &DiskFile, table: u64, at: u64) -> io::Result<(Snapshot, String)> {
    let start = table.checked_add(at).ok_or(io::ErrorKind::UnexpectedEof)?;
    if !file.holds(start, ENTRY) {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let head: [u8; ENTRY as usize] = file.bytes(start)?;
    let (id, name) = (u64::from(u32_at(&head, 12) >> 16), u64::from(u32_at(&head, 12) & 0xffff));
    let before_id = ENTRY + u64::from(u32_at(&head, 36));
    let text = file.vec(start.saturating_add(before_id), id + name)?;
    if text.len() as u64 != id + name {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let text = text.get(id as usize..).unwrap_or_default();
    let end = at + (before_id + id + name).next_multiple_of(8);
    let snapshot = Snapshot { l1_offset: u64_at(&head, 0), l1_entries: u32_at(&head, 8), end };
    Ok((snapshot, String::from_utf8_lossy(text).into_owned()))
}
