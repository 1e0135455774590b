//! A stream of which only both ends are known. The bytes between them read as zeros.

use std::io::{self, Read, Seek, SeekFrom};

/// The ends of a stream, to be read at any offset.
#[derive(Clone)]
pub(crate) struct EndsWindow<'a> {
    head: &'a [u8],
    tail: &'a [u8],
    size: u64,
    at: u64,
}

impl<'a> EndsWindow<'a> {
    pub(crate) fn new(head: &'a [u8], tail: &'a [u8], size: u64) -> Self {
        EndsWindow { head, tail, size, at: 0 }
    }

    /// Returns bytes at an offset; `None` if they are not known.
    pub(crate) fn get(&self, offset: u64, length: usize) -> Option<&'a [u8]> {
        let within = |part: &'a [u8], start: u64| {
            let from = usize::try_from(offset.checked_sub(start)?).ok()?;
            part.get(from..from.checked_add(length)?)
        };
        within(self.head, 0).or_else(|| within(self.tail, self.size.checked_sub(self.tail.len() as u64)?))
    }

    /// Returns the known bytes at an offset, at most so many; `None` if the first is not known.
    pub(crate) fn get_up_to(&self, offset: u64, length: usize) -> Option<&'a [u8]> {
        self.rest(offset).map(|rest| &rest[..rest.len().min(length)])
    }

    /// Returns the known bytes from an offset on; `None` if there is none.
    fn rest(&self, offset: u64) -> Option<&'a [u8]> {
        let start = self.size.saturating_sub(self.tail.len() as u64);
        let (part, from) = if offset < self.head.len() as u64 {
            (self.head, offset)
        } else {
            (self.tail, offset.checked_sub(start)?)
        };
        part.get(usize::try_from(from).ok()?..)
    }
}

impl Read for EndsWindow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = match self.rest(self.at) {
            Some(rest) => {
                let length = rest.len().min(buffer.len());
                buffer[..length].copy_from_slice(&rest[..length]);
                length
            }
            None => {
                let start = self.size.saturating_sub(self.tail.len() as u64);
                let unknown = usize::try_from(start.saturating_sub(self.at)).unwrap_or(usize::MAX);
                let length = unknown.min(buffer.len());
                buffer[..length].fill(0);
                length
            }
        };
        self.at += length as u64;
        Ok(length)
    }
}

impl Seek for EndsWindow<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.size.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
