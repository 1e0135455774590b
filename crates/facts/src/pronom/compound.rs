//! Streams of compound files.

use super::members::MemberBytes;
use crate::content::{EndsWindow, compound_entries, entry_name};
use crate::limits::END_BYTES;

/// Streams that are shorter are in the root's stream.
const SMALL: u64 = 4096;
/// The length of a sector of the root's stream.
const SMALL_SHIFT: u32 = 6;
/// The length of the root's stream that is looked at.
const MAX_ROOT: usize = 1 << 20;
/// The deepest nesting of storages.
const MAX_DEPTH: usize = 8;

/// A compound file.
pub(super) struct Compound<'a> {
    file: EndsWindow<'a>,
    shift: u32,
    /// The first bytes of the root's stream.
    root: Vec<u8>,
    streams: Vec<(String, &'a [u8])>,
}

impl<'a> Compound<'a> {
    /// Lists its streams; `None` if the directory is not among the known bytes.
    pub(super) fn new(head: &'a [u8], tail: &'a [u8], size: u64) -> Option<Compound<'a>> {
        let file = EndsWindow::new(head, tail, size);
        let entries = compound_entries(&file)?;
        let shift = u32::from(file.get(30, 1)?[0]);
        let mut own = Compound { file, shift, root: Vec::new(), streams: Vec::new() };
        let root = *entries.first()?;
        let length = number(root, 120).map_or(0, |size| size as usize).min(MAX_ROOT);
        own.root = own.chain(number(root, 116)?, length);
        let mut seen = vec![false; entries.len()];
        collect(&entries, (root, ""), 0, &mut seen, &mut own.streams);
        Some(own)
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.streams.iter().any(|(own, _)| own == path)
    }

    pub(super) fn bytes(&self, path: &str) -> Option<MemberBytes> {
        let (_, entry) = self.streams.iter().find(|(own, _)| own == path)?;
        let (start, size) = (number(entry, 116)?, u64::from(number(entry, 120)?));
        let length = usize::try_from(size).ok()?.min(END_BYTES);
        let bytes = if size < SMALL { self.small_chain(start, length) } else { self.chain(start, length) };
        let is_whole = bytes.len() as u64 == size;
        Some(MemberBytes { bytes, is_whole })
    }

    /// Returns the bytes of the sectors from one on, up to the first one that is not known.
    fn chain(&self, mut sector: u32, length: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while bytes.len() < length {
            let Some(part) = self.file.get_up_to(self.place(sector), 1 << self.shift) else { break };
            bytes.extend_from_slice(part);
            let Some(next) = self.next(sector).filter(|_| part.len() == 1 << self.shift) else { break };
            sector = next;
        }
        bytes.truncate(length);
        bytes
    }

    /// Returns the bytes of a stream that is in the root's.
    fn small_chain(&self, mut sector: u32, length: usize) -> Vec<u8> {
        let Some(start) = self.file.get(60, 4).and_then(|bytes| number(bytes, 0)) else { return Vec::new() };
        let table = self.chain(start, MAX_ROOT >> SMALL_SHIFT << 2);
        let mut bytes = Vec::new();
        while bytes.len() < length {
            let at = (sector as usize) << SMALL_SHIFT;
            let Some(part) = self.root.get(at..).filter(|part| !part.is_empty()) else { break };
            bytes.extend_from_slice(&part[..part.len().min(1 << SMALL_SHIFT)]);
            let Some(next) = number(&table, sector as usize * 4) else { break };
            sector = next;
        }
        bytes.truncate(length);
        bytes
    }

    fn place(&self, sector: u32) -> u64 {
        (u64::from(sector) + 1) << self.shift
    }

    /// Returns the sector after one, by the table's sectors that the header lists: 109 of them.
    fn next(&self, sector: u32) -> Option<u32> {
        let in_table = (1_u32 << self.shift) / 4;
        let table = Some(sector / in_table).filter(|table| *table < 109)?;
        let table = number(self.file.get(76 + 4 * u64::from(table), 4)?, 0)?;
        number(self.file.get(self.place(table) + 4 * u64::from(sector % in_table), 4)?, 0)
    }
}

/// Adds the streams and storages below an entry.
fn collect<'a>(
    entries: &[&'a [u8]],
    (parent, path): (&[u8], &str),
    depth: usize,
    seen: &mut [bool],
    streams: &mut Vec<(String, &'a [u8])>,
) {
    let mut waiting: Vec<u32> = number(parent, 76).into_iter().collect();
    while let Some(place) = waiting.pop() {
        let place = place as usize;
        let Some(entry) = entries.get(place).filter(|_| !std::mem::replace(&mut seen[place], true)) else {
            continue;
        };
        let name = entry_name(entry);
        // Programs mark names of their own by a first control character.
        let name = format!("{path}{}", name.trim_start_matches(|first: char| first < ' '));
        waiting.extend([68, 72].into_iter().filter_map(|at| number(entry, at)));
        if entry.get(66) == Some(&1) && depth < MAX_DEPTH {
            collect(entries, (entry, &format!("{name}/")), depth + 1, seen, streams);
        }
        streams.push((name, entry));
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}
