//! The bytes of an archive in blocks.

use crate::Problem;
use std::io::{ErrorKind, Read};

/// The bytes of a block.
pub(super) const BLOCK: usize = 512;

/// The bytes of an archive. No more of them are read than are needed, so that those after the archive are
/// left.
pub(super) struct BlockSource {
    source: Box<dyn Read + Send>,
    /// A block that was looked at; the bytes from `from` up to `end` are still to be read.
    ahead: [u8; BLOCK],
    from: usize,
    end: usize,
}

impl BlockSource {
    pub(super) fn new(source: Box<dyn Read + Send>) -> BlockSource {
        BlockSource { source, ahead: [0; BLOCK], from: 0, end: 0 }
    }

    /// Returns the next block, which will be read again: less than a whole one at the end of the archive.
    ///
    /// # Errors
    /// If it can't be read.
    pub(super) fn peek(&mut self) -> Result<&[u8], Problem> {
        self.ahead.copy_within(self.from..self.end, 0);
        (self.from, self.end) = (0, self.end - self.from);
        while let Some(room) = self.ahead.get_mut(self.end..).filter(|room| !room.is_empty()) {
            match read(&mut *self.source, room)? {
                0 => break,
                length => self.end += length,
            }
        }
        Ok(self.ahead.get(..self.end).unwrap_or_default())
    }

    /// Reads the next block; `None` at the end, also if fewer zeros than a block are left.
    ///
    /// # Errors
    /// If there is only a part of it, or it can't be read.
    pub(super) fn block(&mut self) -> Result<Option<[u8; BLOCK]>, Problem> {
        let ahead = self.peek()?;
        let block = match <[u8; BLOCK]>::try_from(ahead) {
            Ok(block) => Some(block),
            Err(_) if is_zero(ahead) => None,
            Err(_) => return Err(Problem::Truncated),
        };
        self.end = 0;
        Ok(block)
    }

    /// Reads the next block; `None` if only a part of it is left.
    ///
    /// # Errors
    /// If it can't be read.
    pub(super) fn whole_block(&mut self) -> Result<Option<[u8; BLOCK]>, Problem> {
        let block = self.peek()?.first_chunk().copied();
        self.end = 0;
        Ok(block)
    }

    /// Reads at least one byte, if there is room.
    ///
    /// # Errors
    /// If there are no more, or they can't be read.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Problem> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let mut ahead = self.ahead.get(self.from..self.end).unwrap_or_default();
        if !ahead.is_empty() {
            let length = read(&mut ahead, buffer)?;
            self.from += length;
            return Ok(length);
        }
        match read(&mut *self.source, buffer)? {
            0 => Err(Problem::Truncated),
            length => Ok(length),
        }
    }

    /// Passes over bytes.
    ///
    /// # Errors
    /// If there are fewer, or they can't be read.
    pub(super) fn skip(&mut self, mut length: u64) -> Result<(), Problem> {
        let mut passed = [0; 16 << 10];
        while length > 0 {
            length -= self.read(at_most(&mut passed, length))? as u64;
        }
        Ok(())
    }

    /// Reads bytes into memory, which grows only as they come.
    ///
    /// # Errors
    /// If there are fewer, or they can't be read.
    pub(super) fn bytes(&mut self, length: u64) -> Result<Vec<u8>, Problem> {
        let mut bytes = Vec::new();
        let mut part = [0; 4 << 10];
        let mut left = length;
        while left > 0 {
            let room = at_most(&mut part, left);
            let length = self.read(room)?;
            bytes.extend_from_slice(room.get(..length).unwrap_or_default());
            left -= length as u64;
        }
        Ok(bytes)
    }
}

/// Returns the first bytes of a buffer, at most this many.
pub(super) fn at_most(buffer: &mut [u8], length: u64) -> &mut [u8] {
    let length = usize::try_from(length).unwrap_or(usize::MAX).min(buffer.len());
    buffer.get_mut(..length).unwrap_or_default()
}

/// Returns the bytes between content of this length and the next block.
pub(super) fn padding(length: u64) -> u64 {
    length.wrapping_neg() % BLOCK as u64
}

pub(super) fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte == 0)
}

/// Reads once, again if a signal interrupted it.
fn read(source: &mut dyn Read, buffer: &mut [u8]) -> Result<usize, Problem> {
    loop {
        match source.read(buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result.map_err(Problem::from),
        }
    }
}
