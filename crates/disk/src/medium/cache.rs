//! A medium whose bytes are kept for a while: metadata lie close together, and are asked for in small pieces.

use crate::Medium;
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// The number of bytes that are read at once, and the number of such blocks that are kept: 8 MiB in all.
const BLOCK: u64 = 64 << 10;
const BLOCKS: usize = 128;

/// A medium that keeps the blocks that were read last.
#[derive(Debug)]
pub(crate) struct Cached {
    medium: Arc<dyn Medium>,
    blocks: Mutex<Blocks>,
}

#[derive(Debug, Default)]
struct Blocks {
    /// The blocks by number, with the turn in which each was last asked for.
    held: HashMap<u64, (u64, Arc<[u8]>)>,
    turn: u64,
}

impl Cached {
    pub(crate) fn new(medium: Arc<dyn Medium>) -> Cached {
        Cached { medium, blocks: Mutex::default() }
    }

    fn block(&self, number: u64) -> io::Result<Arc<[u8]>> {
        if let Some(found) = self.blocks().get(number) {
            return Ok(found);
        }
        let start = number * BLOCK;
        let length = BLOCK.min(self.medium.size().saturating_sub(start)) as usize;
        let mut bytes = vec![0; length];
        self.medium.read_at(start, &mut bytes)?;
        let bytes: Arc<[u8]> = bytes.into();
        self.blocks().put(number, Arc::clone(&bytes));
        Ok(bytes)
    }

    fn blocks(&self) -> std::sync::MutexGuard<'_, Blocks> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Blocks {
    fn get(&mut self, number: u64) -> Option<Arc<[u8]>> {
        self.turn += 1;
        let (turn, bytes) = self.held.get_mut(&number)?;
        *turn = self.turn;
        Some(Arc::clone(bytes))
    }

    fn put(&mut self, number: u64, bytes: Arc<[u8]>) {
        if self.held.len() >= BLOCKS {
            let oldest = self.held.iter().min_by_key(|(_, (turn, _))| *turn).map(|(number, _)| *number);
            oldest.map(|number| self.held.remove(&number));
        }
        self.held.insert(number, (self.turn, bytes));
    }
}

impl Medium for Cached {
    fn size(&self) -> u64 {
        self.medium.size()
    }

    fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<()> {
        if buffer.len() as u64 > BLOCK {
            return self.medium.read_at(position, buffer);
        }
        let mut filled = 0;
        while filled < buffer.len() {
            let at = position.checked_add(filled as u64).ok_or(io::ErrorKind::UnexpectedEof)?;
            if at >= self.size() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let block = match self.block(at / BLOCK) {
                Ok(block) => block,
                // A part of the block may be readable all the same.
                Err(_) => return self.medium.read_at(position, buffer),
            };
            let bytes = block.get((at % BLOCK) as usize..).unwrap_or_default();
            let length = bytes.len().min(buffer.len() - filled);
            if length == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            buffer[filled..filled + length].copy_from_slice(&bytes[..length]);
            filled += length;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_what_is_there() {
        let bytes: Vec<u8> = (0..300_000_u32).map(|at| (at / 7 % 251) as u8).collect();
        let cached = Cached::new(Arc::new(bytes.clone()));
        for (position, length) in
            [(0, 10), (65_530, 20), (65_536, 65_536), (100, 200_000), (299_999, 1), (65_530, 20)]
        {
            let mut read = vec![0; length];
            cached.read_at(position, &mut read).unwrap();
            assert_eq!(read, bytes[position as usize..][..length]);
        }
        for (position, length) in [(299_999, 2), (300_000, 1), (u64::MAX, 1), (0, 300_001)] {
            assert!(cached.read_at(position, &mut vec![0; length]).is_err(), "{position}");
        }
    }

    #[test]
    fn few_blocks_are_kept() {
        let cached = Cached::new(Arc::new(vec![1; 20 << 20]));
        for position in (0..20 << 20).step_by(4096) {
            cached.read_at(position, &mut [0; 16]).unwrap();
        }
        assert_eq!(cached.blocks().held.len(), BLOCKS);
    }
}
