//! Blocks of entries in the order of their keys, as they are in temporary files.

use hashmill_os::read_exact_at;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::ops::Range;

/// The bytes after which a block ends.
pub(crate) const BLOCK: usize = if cfg!(test) { 200 } else { 64 << 10 };

/// The bytes before each entry: the lengths of its key and of the rest.
const HEADER: usize = 8;

/// A block in memory.
pub(crate) struct EntryBlock {
    bytes: Vec<u8>,
    /// Where its entries begin.
    entries: Vec<u32>,
}

/// Appends an entry to the bytes of a block. Its rest is the concatenation of these parts.
///
/// # Errors
/// If a part is longer than 4 GiB.
pub(crate) fn push_entry(block: &mut Vec<u8>, key: &[u8], rest: &[&[u8]]) -> io::Result<()> {
    for length in [key.len(), rest.iter().map(|part| part.len()).sum()] {
        let length = u32::try_from(length).map_err(|_| io::Error::from(ErrorKind::InvalidInput))?;
        block.extend_from_slice(&length.to_le_bytes());
    }
    block.extend_from_slice(key);
    rest.iter().for_each(|part| block.extend_from_slice(part));
    Ok(())
}

impl EntryBlock {
    /// Reads the block at this place of a file.
    ///
    /// # Errors
    /// If it can't be read back.
    pub(crate) fn read(file: &File, place: Range<u64>) -> io::Result<EntryBlock> {
        let mut bytes = vec![0; (place.end - place.start) as usize];
        read_exact_at(file, &mut bytes, place.start)?;
        let mut block = EntryBlock { bytes, entries: Vec::new() };
        let mut at = 0;
        while at < block.bytes.len() {
            block.entries.push(at as u32);
            at = block.rest_of(at as u32).end;
        }
        Ok(block)
    }

    /// Returns the place of the first entry whose key is not less than this one.
    pub(crate) fn place_of(&self, key: &[u8]) -> usize {
        self.entries.partition_point(|entry| self.bytes[self.key_of(*entry)] < *key)
    }

    /// Returns the place of the entry with this key.
    pub(crate) fn find(&self, key: &[u8]) -> Option<usize> {
        Some(self.place_of(key)).filter(|place| *place < self.entries.len() && self.key(*place) == key)
    }

    /// Returns the number of its entries.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the key of the entry at this place.
    pub(crate) fn key(&self, place: usize) -> &[u8] {
        &self.bytes[self.key_of(self.entries[place])]
    }

    /// Returns the rest of the entry at this place.
    pub(crate) fn rest(&self, place: usize) -> &[u8] {
        &self.bytes[self.rest_of(self.entries[place])]
    }

    fn key_of(&self, entry: u32) -> Range<usize> {
        let start = entry as usize + HEADER;
        start..start + self.length(entry as usize)
    }

    fn rest_of(&self, entry: u32) -> Range<usize> {
        let start = self.key_of(entry).end;
        start..start + self.length(entry as usize + HEADER / 2)
    }

    fn length(&self, at: usize) -> usize {
        let mut length = [0; HEADER / 2];
        length.copy_from_slice(&self.bytes[at..at + HEADER / 2]);
        u32::from_le_bytes(length) as usize
    }
}
