//! Compressed bytes that wait in a buffer.

use crate::Problem;
use std::io::{self, ErrorKind, Read};

/// The bytes that are read at once.
const SIZE: usize = 128 << 10;

/// Compressed bytes, read through a buffer that can be looked into.
pub(super) struct Packed {
    source: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// The bytes that were read from the source, in and before the buffer.
    read: u64,
    /// The error of the source, where a library stands between it and its reader and would lose it.
    failure: Option<Problem>,
}

impl Packed {
    /// Creates a buffer over a source.
    pub(super) fn new(source: Box<dyn Read + Send>) -> Packed {
        Packed::at(source, 0)
    }

    /// Creates a buffer over a source that begins at a position of the compressed file.
    pub(super) fn at(source: Box<dyn Read + Send>, position: u64) -> Packed {
        Packed { source, buffer: vec![0; SIZE], start: 0, end: 0, read: position, failure: None }
    }

    /// Returns the bytes that wait.
    fn waiting(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    /// Returns the bytes that wait, reading some if there are none; none at the end.
    pub(super) fn fill(&mut self) -> Result<&[u8], Problem> {
        if self.start >= self.end {
            self.peek(1)?;
        }
        Ok(self.waiting())
    }

    /// Returns at least so many bytes without taking them; fewer only if the source ends before.
    pub(super) fn peek(&mut self, count: usize) -> Result<&[u8], Problem> {
        while self.waiting().len() < count && self.more()? {}
        Ok(self.waiting())
    }

    /// Reads more bytes behind those that wait. Returns whether there were some.
    fn more(&mut self) -> Result<bool, Problem> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.end == self.buffer.len() {
            self.buffer.resize(self.end.saturating_add(SIZE), 0);
        }
        loop {
            match self.source.read(self.buffer.get_mut(self.end..).unwrap_or_default()) {
                Ok(count) => {
                    self.end = self.end.saturating_add(count).min(self.buffer.len());
                    self.read = self.read.saturating_add(count as u64);
                    return Ok(count > 0);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Takes bytes that wait.
    pub(super) fn consume(&mut self, count: usize) {
        self.start = self.start.saturating_add(count).min(self.end);
    }

    /// Puts bytes back that were read last, but not needed.
    pub(super) fn put_back(&mut self, bytes: &[u8]) {
        let before = self.start.checked_sub(bytes.len());
        if let Some(room) = before.and_then(|before| self.buffer.get_mut(before..self.start)) {
            room.copy_from_slice(bytes);
            self.start -= bytes.len();
            return;
        }
        let mut buffer = bytes.to_vec();
        buffer.extend_from_slice(self.waiting());
        (self.start, self.end) = (0, buffer.len());
        buffer.resize(buffer.len().max(SIZE), 0);
        self.buffer = buffer;
    }

    /// Returns the position of the next byte.
    pub(super) fn position(&self) -> u64 {
        self.read.saturating_sub(self.waiting().len() as u64)
    }

    /// Returns whether there are no more bytes.
    pub(super) fn is_at_end(&mut self) -> Result<bool, Problem> {
        Ok(self.fill()?.is_empty())
    }

    /// Takes a byte.
    pub(super) fn byte(&mut self) -> Result<u8, Problem> {
        let byte = *self.fill()?.first().ok_or(Problem::Truncated)?;
        self.consume(1);
        Ok(byte)
    }

    /// Takes `N` bytes.
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Problem> {
        let found = *self.peek(N)?.first_chunk().ok_or(Problem::Truncated)?;
        self.consume(N);
        Ok(found)
    }

    /// Takes as many bytes as there is room for.
    pub(super) fn exactly(&mut self, mut room: &mut [u8]) -> Result<(), Problem> {
        while !room.is_empty() {
            let waiting = self.fill()?;
            if waiting.is_empty() {
                return Err(Problem::Truncated);
            }
            let count = waiting.len().min(room.len());
            let (now, later) = room.split_at_mut(count);
            now.copy_from_slice(waiting.get(..count).unwrap_or_default());
            self.consume(count);
            room = later;
        }
        Ok(())
    }

    /// Passes over bytes.
    pub(super) fn skip(&mut self, mut count: u64) -> Result<(), Problem> {
        while count > 0 {
            let waiting = self.fill()?.len();
            if waiting == 0 {
                return Err(Problem::Truncated);
            }
            let now = waiting.min(usize::try_from(count).unwrap_or(usize::MAX));
            self.consume(now);
            count = count.saturating_sub(now as u64);
        }
        Ok(())
    }

    /// Passes over bytes that are zero. Returns how many there were.
    pub(super) fn skip_zeros(&mut self) -> Result<u64, Problem> {
        let mut passed = 0_u64;
        loop {
            let waiting = self.fill()?;
            let zeros = waiting.iter().position(|&byte| byte != 0);
            let count = zeros.unwrap_or(waiting.len());
            let is_done = zeros.is_some() || waiting.is_empty();
            self.consume(count);
            passed = passed.saturating_add(count as u64);
            if is_done {
                return Ok(passed);
            }
        }
    }

    /// Returns the problem of an error that a library made of what it read here.
    pub(super) fn explain(&mut self, error: &io::Error, what: &str) -> Problem {
        match self.failure.take() {
            Some(problem) => problem,
            None if error.kind() == ErrorKind::UnexpectedEof => Problem::Truncated,
            None => Problem::damaged(what),
        }
    }
}

impl Read for Packed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let waiting = match self.fill() {
            Ok(waiting) => waiting,
            Err(problem) => {
                self.failure = Some(problem);
                return Err(io::Error::other("the source can't be read"));
            }
        };
        let count = waiting.len().min(buffer.len());
        let (now, _) = buffer.split_at_mut(count);
        now.copy_from_slice(waiting.get(..count).unwrap_or_default());
        self.consume(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_seen_before_they_are_taken_and_can_be_put_back() {
        let mut packed = Packed::new(Box::new(&b"\0\0abcdef"[..]));
        assert_eq!(packed.skip_zeros().unwrap(), 2);
        assert_eq!(packed.peek(3).unwrap(), b"abcdef");
        assert_eq!(packed.array().unwrap(), *b"abc");
        packed.put_back(b"bc");
        assert_eq!(packed.position(), 3);
        let mut rest = [0; 5];
        packed.exactly(&mut rest).unwrap();
        assert_eq!(&rest, b"bcdef");
        packed.start = 0;
        packed.end = 0;
        packed.put_back(b"ef");
        assert_eq!(packed.position(), 6);
        packed.skip(2).unwrap();
        assert!(packed.is_at_end().unwrap());
        assert!(matches!(packed.byte(), Err(Problem::Truncated)));
    }
}
