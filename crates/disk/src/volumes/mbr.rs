//! The master boot record, and the chain of records of an extended partition.

use super::kinds::{MBR_KINDS, named};
use super::{Partition, Scheme, Volumes};
use crate::fields::{array, le16, le32};
use crate::registry::{is_known, names};
use crate::{Medium, Problem, Range};
use std::collections::HashSet;
use std::sync::Arc;

/// The most logical partitions.
const LOGICAL: usize = 256;

/// The four entries of a boot record.
#[derive(Debug)]
pub(super) struct MbrTable {
    entries: [Entry; 4],
    identifier: u32,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    kind: u8,
    /// The first sector, and the number of sectors.
    first: u32,
    count: u32,
}

impl Entry {
    fn is_extended(self) -> bool {
        matches!(self.kind, 0x05 | 0x0f | 0x85)
    }

    fn is_used(self) -> bool {
        self.kind != 0 && self.count != 0
    }
}

/// Returns whether a first sector is that of a FAT, NTFS, exFAT or BitLocker volume: it ends like a boot record, but has code or
/// text in place of its table.
pub(super) fn is_boot_sector(sector: &[u8]) -> bool {
    let oem: [u8; 8] = array(sector, 3).unwrap_or_default();
    if matches!(&oem, b"NTFS    " | b"EXFAT   " | b"-FVE-FS-" | b"ReFS\0\0\0\0") {
        return true;
    }
    let byte = |at: usize| sector.get(at).copied().unwrap_or_default();
    let jumps = byte(0) == 0xe9 || byte(0) == 0xeb;
    let is_sector = matches!(le16(sector, 11), Some(512 | 1024 | 2048 | 4096));
    let has_clusters = byte(13).is_power_of_two() && le16(sector, 14) != Some(0) && byte(21) >= 0xf0;
    let has_size = le16(sector, 19) != Some(0) || le32(sector, 32) != Some(0);
    jumps && is_sector && has_clusters && byte(16) > 0 && has_size
}

impl MbrTable {
    /// Returns the table of a boot record: one with the signature, whose entries are all marked as started from or not, and of
    /// which one is in use at least.
    pub(super) fn parse(sector: &[u8]) -> Option<MbrTable> {
        let entries = entries(sector)?;
        let is_used = entries.iter().any(|entry| entry.is_used());
        is_used.then_some(MbrTable { entries, identifier: le32(sector, 440)? })
    }

    /// Returns whether it announces a GPT.
    pub(super) fn is_protective(&self) -> bool {
        self.entries.iter().any(|entry| entry.kind == 0xee)
    }

    /// Returns whether it names partitions beside announcing a GPT.
    pub(super) fn is_hybrid(&self) -> bool {
        self.is_protective() && self.entries.iter().any(|entry| entry.is_used() && entry.kind != 0xee)
    }

    /// Returns it without the entries that announce a GPT.
    pub(super) fn without_protective(mut self) -> MbrTable {
        for entry in self.entries.iter_mut().filter(|entry| entry.kind == 0xee) {
            entry.kind = 0;
        }
        self
    }

    /// Returns its partitions, in no order, and what is to be told.
    pub(super) fn volumes(&self, medium: &Arc<dyn Medium>) -> Volumes {
        let (mut notes, mut doubts) = (Vec::new(), Vec::new());
        let sector = self.sector(medium);
        let partitions = self.partitions(medium, sector, &mut notes, &mut doubts);
        if self.is_protective() {
            doubts.push(Problem::incomplete("the MBR announces a GPT that is not there"));
        }
        let identifier = Some(format!("{:08x}", self.identifier));
        let scheme = Scheme::Mbr;
        Volumes { scheme, sector, identifier, partitions, has_whole: false, notes, doubts }
    }

    /// Returns whether anything known begins in a partition.
    pub(super) fn has_known(&self, medium: &Arc<dyn Medium>) -> bool {
        self.is_protective() || self.entries.iter().any(|entry| begins(medium, *entry, self.sector(medium)))
    }

    /// Returns the size of sectors with which more partitions begin with something known; 512 if neither does.
    fn sector(&self, medium: &Arc<dyn Medium>) -> u32 {
        let known = |sector: u32| self.entries.iter().filter(|entry| begins(medium, **entry, sector)).count();
        if known(4096) > known(512) { 4096 } else { 512 }
    }

    /// Returns the partitions, also logical ones, in no order.
    pub(super) fn partitions(
        &self,
        medium: &Arc<dyn Medium>,
        sector: u32,
        notes: &mut Vec<String>,
        doubts: &mut Vec<Problem>,
    ) -> Vec<Partition> {
        let mut partitions = Vec::new();
        for (slot, entry) in (1..).zip(self.entries) {
            if entry.kind != 0 && entry.count == 0 {
                notes.push(format!("entry {slot} of the MBR has no sectors"));
            } else if entry.is_used() && !entry.is_extended() {
                partitions.push(self.partition(slot, entry, 0, sector));
            }
        }
        for entry in self.entries.iter().filter(|entry| entry.is_extended() && entry.is_used()) {
            let bytes = |sectors: u32| u64::from(sectors) * u64::from(sector);
            let place = Range::new(Arc::clone(medium), bytes(entry.first), bytes(entry.count));
            let beside = |name| format!("an extended partition begins as another file system, {name}");
            doubts.extend(names(&place).map(|name| Problem::ambiguous(beside(name))));
            self.logical(&**medium, *entry, sector, &mut partitions, doubts);
        }
        partitions
    }

    /// Adds the logical partitions of an extended one: each record has a partition, whose start is counted from the record,
    /// and the next record, counted from the start of the extended partition.
    fn logical(
        &self,
        medium: &dyn Medium,
        extended: Entry,
        sector: u32,
        partitions: &mut Vec<Partition>,
        doubts: &mut Vec<Problem>,
    ) {
        let mut seen = HashSet::new();
        let mut slot = 5 + partitions.iter().filter(|one| one.number > 4).count();
        let mut at = u64::from(extended.first);
        let fault = loop {
            if !seen.insert(at) {
                break Problem::Loop;
            }
            if seen.len() > LOGICAL {
                break Problem::TooMany("logical partitions");
            }
            let entries = match record(medium, at, sector) {
                Ok(entries) => entries,
                Err(problem) => break problem,
            };
            for entry in entries.iter().filter(|entry| entry.is_used() && !entry.is_extended()) {
                partitions.push(self.partition(slot, *entry, at, sector));
                slot += 1;
            }
            let Some(next) = entries.iter().find(|entry| entry.is_extended() && entry.is_used()) else {
                return;
            };
            at = u64::from(extended.first) + u64::from(next.first);
        };
        doubts.push(Problem::incomplete(format!(
            "the chain of logical partitions breaks off at sector {at}: {fault}"
        )));
    }

    /// Returns a partition whose start is counted from a sector.
    fn partition(&self, slot: usize, entry: Entry, from: u64, sector: u32) -> Partition {
        let bytes = |sectors: u64| sectors.saturating_mul(sector.into());
        Partition {
            number: u32::try_from(slot).unwrap_or(u32::MAX),
            start: bytes(from.saturating_add(entry.first.into())),
            size: bytes(entry.count.into()),
            kind: named(MBR_KINDS, &entry.kind, || format!("0x{:02x}", entry.kind)),
            name: None,
            identifier: Some(format!("{:08x}-{slot:02x}", self.identifier)),
            problem: None,
            overlaps: false,
        }
    }
}

/// Returns whether a partition begins with something known, if sectors have this size.
fn begins(medium: &Arc<dyn Medium>, entry: Entry, sector: u32) -> bool {
    let bytes = |sectors: u32| u64::from(sectors) * u64::from(sector);
    if !entry.is_used() || entry.first == 0 || bytes(entry.first) >= medium.size() {
        return false;
    }
    if entry.is_extended() {
        return record(&**medium, entry.first.into(), sector).is_ok();
    }
    is_known(&Range::new(Arc::clone(medium), bytes(entry.first), bytes(entry.count)))
}

/// Returns the entries of the record of a logical partition; none may be in use.
fn record(medium: &dyn Medium, at: u64, sector: u32) -> Result<[Entry; 4], Problem> {
    let mut bytes = [0; 512];
    medium.read_at(at.saturating_mul(sector.into()), &mut bytes)?;
    entries(&bytes).ok_or_else(|| Problem::damaged("no boot record is there"))
}

/// Returns the entries of a sector with the signature of a boot record, all of which are marked as started from or not.
fn entries(sector: &[u8]) -> Option<[Entry; 4]> {
    if array(sector, 510)? != [0x55, 0xaa] {
        return None;
    }
    let mut entries = [Entry { kind: 0, first: 0, count: 0 }; 4];
    for (slot, entry) in entries.iter_mut().enumerate() {
        let bytes: [u8; 16] = array(sector, 446 + slot * 16)?;
        if !matches!(bytes[0], 0 | 0x80) {
            return None;
        }
        *entry = Entry { kind: bytes[4], first: le32(&bytes, 8)?, count: le32(&bytes, 12)? };
    }
    Some(entries)
}
