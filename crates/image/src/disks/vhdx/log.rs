//! The log: a ring of entries, of which the newest sequence without a gap counts (\[MS-VHDX\] 2.3).

use super::header::Header;
use super::overlay::{Changes, SECTOR};
use crate::bytes::checksums::crc32c_holds;
use crate::bytes::le::{u32_at, u64_at};
use crate::disks::blocks::DiskFile;
use crate::error::Problem;

/// The most bytes of a log. Those of Hyper-V have 1 MiB.
const MOST_LOG: u64 = 64 << 20;

/// Changes further on are impossible, and sums of offsets stay in range.
const MOST_OFFSET: u64 = 1 << 62;

const ENTRY_HEADER: usize = 64;
const DESCRIPTOR: usize = 32;

/// An entry that is whole.
struct LogEntry {
    /// The offset in the ring.
    at: u64,
    bytes: Vec<u8>,
}

impl LogEntry {
    fn length(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Returns the offset of the oldest entry of the sequence.
    fn tail(&self) -> u64 {
        u32_at(&self.bytes, 12).into()
    }

    fn sequence(&self) -> u64 {
        u64_at(&self.bytes, 16)
    }

    fn descriptors(&self) -> impl Iterator<Item = &[u8]> {
        let count = u32_at(&self.bytes, 24) as usize;
        self.bytes.get(ENTRY_HEADER..).unwrap_or_default().chunks_exact(DESCRIPTOR).take(count)
    }

    /// Returns the sectors of data, which follow the descriptors.
    fn data(&self) -> std::slice::ChunksExact<'_, u8> {
        let head = ENTRY_HEADER as u64 + u64::from(u32_at(&self.bytes, 24)) * DESCRIPTOR as u64;
        let start = usize::try_from(head.next_multiple_of(SECTOR)).unwrap_or(usize::MAX);
        self.bytes.get(start..).unwrap_or_default().chunks_exact(SECTOR as usize)
    }
}

/// The bytes of a log.
struct Ring<'a> {
    bytes: Vec<u8>,
    identifier: &'a [u8; 16],
    /// The bytes of entries that may still be examined, so that a log of overlapping entries takes no longer.
    left: u64,
}

/// Reads the changes of the log and the number of entries. `None` if it has no valid sequence.
pub(super) fn replay(file: &DiskFile, header: &Header) -> Result<Option<(Changes, u64)>, Problem> {
    if header.log_version != 0 {
        return Err(Problem::Feature(format!("version {} of the log", header.log_version).into()));
    }
    if header.log_length > MOST_LOG || !header.log_length.is_multiple_of(SECTOR) || header.log_length == 0 {
        return Err(Problem::Header("the size of its log is impossible"));
    }
    let bytes = file.vec(header.log_offset, header.log_length).map_err(Problem::Io)?;
    if bytes.len() as u64 != header.log_length {
        return Err(Problem::Header("its log is outside the file"));
    }
    let left = 8 * header.log_length + (16 << 20);
    let mut ring = Ring { bytes, identifier: &header.log, left };
    let Some(entries) = ring.newest() else { return Ok(None) };
    let mut changes = Changes::default();
    for entry in &entries {
        if apply(entry, &mut changes).is_none() {
            return Ok(None);
        }
    }
    Ok(Some((changes, entries.len() as u64)))
}

impl Ring<'_> {
    fn length(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Returns the entries of the newest sequence, the oldest first.
    fn newest(&mut self) -> Option<Vec<LogEntry>> {
        let mut newest: Option<Vec<LogEntry>> = None;
        let mut at = 0;
        while at < self.length() {
            let sequence = self.sequence(at);
            let Some(head) = sequence.last() else {
                at += SECTOR;
                continue;
            };
            let (length, number) = (sequence.iter().map(LogEntry::length).sum::<u64>(), head.sequence());
            let tail = head.tail();
            let start = sequence.iter().position(|entry| entry.at == tail);
            let known = newest.as_ref().and_then(|newest| newest.last()).map(LogEntry::sequence);
            if let Some(start) = start
                && known.is_none_or(|known| known < number)
            {
                newest = Some(sequence.into_iter().skip(start).collect());
            }
            at += length.max(SECTOR);
        }
        newest
    }

    /// Returns the entries from an offset on that follow each other.
    fn sequence(&mut self, start: u64) -> Vec<LogEntry> {
        let mut entries: Vec<LogEntry> = Vec::new();
        let (mut at, mut length) = (start, 0);
        while length < self.length() {
            let Some(entry) = self.entry(at) else { break };
            if entries.last().is_some_and(|last| last.sequence().checked_add(1) != Some(entry.sequence())) {
                break;
            }
            length += entry.length();
            at = (at + entry.length()) % self.length();
            entries.push(entry);
        }
        entries
    }

    /// Returns the entry at an offset, if it is whole.
    fn entry(&mut self, at: u64) -> Option<LogEntry> {
        let head = self.read(at, SECTOR)?;
        let length = u64::from(u32_at(&head, 8));
        let fits = length >= SECTOR && length <= self.length() && length.is_multiple_of(SECTOR);
        if !head.starts_with(b"loge") || !fits || head.get(32..48) != Some(&self.identifier[..]) {
            return None;
        }
        self.left = self.left.checked_sub(length)?;
        let entry = LogEntry { at, bytes: self.read(at, length)? };
        let aligned = entry.tail().is_multiple_of(SECTOR) && entry.sequence() > 0;
        (aligned && crc32c_holds(&entry.bytes, 4) && is_whole(&entry)).then_some(entry)
    }

    /// Reads bytes of the ring, which go on at its start.
    fn read(&self, at: u64, length: u64) -> Option<Vec<u8>> {
        let (at, length) = (at as usize, length as usize);
        let first = self.bytes.get(at..)?;
        let first = first.get(..length).unwrap_or(first);
        let rest = self.bytes.get(..length - first.len())?;
        Some([first, rest].concat())
    }
}

/// Whether all descriptors and sectors of data are there, and of this entry.
fn is_whole(entry: &LogEntry) -> bool {
    let count = u32_at(&entry.bytes, 24) as usize;
    let number = entry.sequence();
    let mut data = entry.data();
    let mut seen = 0;
    let holds = entry.descriptors().all(|descriptor| {
        seen += 1;
        let known = match &descriptor[..4] {
            b"zero" => u64_at(descriptor, 8).is_multiple_of(SECTOR) && u64_at(descriptor, 8) < MOST_OFFSET,
            b"desc" => data.next().is_some_and(|sector| {
                let stated = u64::from(u32_at(sector, 4)) << 32 | u64::from(u32_at(sector, 4092));
                sector.starts_with(b"data") && stated == number
            }),
            _ => false,
        };
        let offset = u64_at(descriptor, 16);
        known && offset.is_multiple_of(SECTOR) && offset < MOST_OFFSET && u64_at(descriptor, 24) == number
    });
    holds && seen == count
}

/// Adds the changes of an entry. Returns `None` if they are too many.
fn apply(entry: &LogEntry, changes: &mut Changes) -> Option<()> {
    let mut data = entry.data();
    for descriptor in entry.descriptors() {
        let offset = u64_at(descriptor, 16);
        if descriptor.starts_with(b"zero") {
            changes.zero(offset, u64_at(descriptor, 8))?;
        } else {
            // The first eight bytes and the last four are in the descriptor.
            let sector = data.next()?;
            let bytes = [&descriptor[8..16], sector.get(8..4092)?, &descriptor[4..8]].concat();
            changes.write(offset, bytes.into());
        }
    }
    changes.extend_to(u64_at(&entry.bytes, 56).min(MOST_OFFSET));
    Some(())
}
