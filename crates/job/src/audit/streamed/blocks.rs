//! Entries in the order of their keys in a temporary file, of which a few blocks are in memory at a time.

use crate::blocks::{BLOCK, EntryBlock, push_entry};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;

/// The number of blocks in memory.
const CACHED: usize = 8;

/// Takes entries in ascending order of their keys.
pub(super) struct BlockWriter {
    file: File,
    block: Vec<u8>,
    starts: Vec<BlockStart>,
    /// The bytes of all blocks before this one.
    written: u64,
    count: u64,
}

/// Where a block begins: its first key, its place in the file, and the number of its first entry.
struct BlockStart {
    key: Box<[u8]>,
    at: u64,
    number: u64,
}

/// All entries. Clones share the file, and have blocks of their own in memory.
pub(crate) struct Blocks {
    file: Arc<File>,
    starts: Arc<Vec<BlockStart>>,
    bytes: u64,
    pub(super) count: u64,
    /// The blocks in memory with their places, the one used last in front.
    cache: VecDeque<(usize, Arc<EntryBlock>)>,
}

/// An entry.
pub(crate) struct BlockEntry {
    block: Arc<EntryBlock>,
    at: usize,
    /// The number of entries before it.
    pub(super) number: u64,
}

impl BlockWriter {
    /// Creates the temporary file.
    ///
    /// # Errors
    /// If there is no room for it.
    pub(super) fn new() -> io::Result<BlockWriter> {
        let (block, starts) = (Vec::new(), Vec::new());
        Ok(BlockWriter { file: tempfile::tempfile()?, block, starts, written: 0, count: 0 })
    }

    /// Adds an entry, whose rest is the concatenation of these parts.
    ///
    /// # Errors
    /// If there is no room for it.
    pub(super) fn push(&mut self, key: &[u8], rest: &[&[u8]]) -> io::Result<()> {
        if self.block.is_empty() {
            let (key, at, number) = (key.into(), self.written, self.count);
            self.starts.push(BlockStart { key, at, number });
        }
        push_entry(&mut self.block, key, rest)?;
        self.count += 1;
        if self.block.len() >= BLOCK { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> io::Result<()> {
        self.file.write_all(&self.block)?;
        self.written += self.block.len() as u64;
        self.block.clear();
        Ok(())
    }

    /// Returns the entries.
    ///
    /// # Errors
    /// If there is no room for the last ones.
    pub(super) fn finish(mut self) -> io::Result<Blocks> {
        self.end_block()?;
        let (file, starts) = (Arc::new(self.file), Arc::new(self.starts));
        Ok(Blocks { file, starts, bytes: self.written, count: self.count, cache: VecDeque::new() })
    }
}

impl Blocks {
    /// Returns the first entry whose key is not less than this one.
    ///
    /// # Errors
    /// If the file can't be read back.
    pub(super) fn seek(&mut self, key: &[u8]) -> io::Result<Option<BlockEntry>> {
        let after = self.starts.partition_point(|start| *start.key <= *key);
        let place = after.saturating_sub(1);
        let Some(first) = self.starts.get(place).map(|start| start.number) else { return Ok(None) };
        let block = self.block(place)?;
        self.entry(first + block.place_of(key) as u64)
    }

    /// Returns the entry of this key.
    ///
    /// # Errors
    /// If the file can't be read back.
    pub(crate) fn find(&mut self, key: &[u8]) -> io::Result<Option<BlockEntry>> {
        Ok(self.seek(key)?.filter(|entry| entry.key() == key))
    }

    /// Returns the entry of this number.
    ///
    /// # Errors
    /// If the file can't be read back.
    pub(super) fn entry(&mut self, number: u64) -> io::Result<Option<BlockEntry>> {
        if number >= self.count {
            return Ok(None);
        }
        let place = self.starts.partition_point(|start| start.number <= number) - 1;
        let at = (number - self.starts[place].number) as usize;
        Ok(Some(BlockEntry { block: self.block(place)?, at, number }))
    }

    fn block(&mut self, place: usize) -> io::Result<Arc<EntryBlock>> {
        if let Some(at) = self.cache.iter().position(|(known, _)| *known == place) {
            if at > 0 {
                self.cache.swap(0, at);
            }
            return Ok(Arc::clone(&self.cache[0].1));
        }
        let end = self.starts.get(place + 1).map_or(self.bytes, |next| next.at);
        let block = Arc::new(EntryBlock::read(&self.file, self.starts[place].at..end)?);
        self.cache.truncate(CACHED - 1);
        self.cache.push_front((place, Arc::clone(&block)));
        Ok(block)
    }
}

impl Clone for Blocks {
    fn clone(&self) -> Blocks {
        let (file, starts) = (Arc::clone(&self.file), Arc::clone(&self.starts));
        Blocks { file, starts, bytes: self.bytes, count: self.count, cache: VecDeque::new() }
    }
}

impl BlockEntry {
    pub(super) fn key(&self) -> &[u8] {
        self.block.key(self.at)
    }

    pub(super) fn rest(&self) -> &[u8] {
        self.block.rest(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_by_key_and_by_number() {
        let mut writer = BlockWriter::new().unwrap();
        let key = |number: u32| format!("{:04}", 2 * number).into_bytes();
        for number in 0..500 {
            writer.push(&key(number), &[b"rest ", number.to_string().as_bytes()]).unwrap();
        }
        let mut blocks = writer.finish().unwrap();
        assert!(blocks.starts.len() > 20);
        // Back and forth, so that blocks leave memory and come back.
        for number in (0..500).map(|number| number * 7 % 500) {
            let entry = blocks.find(&key(number)).unwrap().unwrap();
            assert_eq!(entry.rest(), format!("rest {number}").as_bytes());
            assert_eq!(entry.number, u64::from(number));
            assert_eq!(blocks.entry(u64::from(number)).unwrap().unwrap().key(), key(number));
            let between = format!("{:04}", 2 * number + 1);
            assert!(blocks.find(between.as_bytes()).unwrap().is_none());
            let next = blocks.seek(between.as_bytes()).unwrap();
            assert_eq!(
                next.map(|entry| entry.number),
                Some(u64::from(number) + 1).filter(|next| *next < 500)
            );
        }
        assert_eq!(blocks.seek(b"").unwrap().unwrap().number, 0);
        assert!(blocks.entry(500).unwrap().is_none());
        let mut none = BlockWriter::new().unwrap().finish().unwrap();
        assert!(none.seek(b"a").unwrap().is_none() && none.entry(0).unwrap().is_none());
    }
}
