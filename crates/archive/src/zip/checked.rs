//! The content of a member, with its size and checksum.

use super::method;
use crate::Problem;
use crate::member::part::Faults;
use hashmill_digest::Crc32;
use std::io::{self, Read};

/// A reader of content that must have a size and a checksum.
pub(super) struct Checked {
    decoder: Box<dyn Read + Send>,
    faults: Faults,
    expected: Expected,
    read: u64,
    crc: Crc32,
    is_done: bool,
}

/// The facts that content is compared with; none where the archive has none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expected {
    pub size: Option<u64>,
    pub crc: Option<u32>,
    /// Whether the decoder finds the end by itself.
    pub has_end: bool,
}

impl Checked {
    pub(super) fn new(decoder: Box<dyn Read + Send>, faults: Faults, expected: Expected) -> Checked {
        Checked { decoder, faults, expected, read: 0, crc: Crc32::new(), is_done: false }
    }

    /// Returns the bytes that may still come.
    fn left(&self) -> u64 {
        self.expected.size.map_or(u64::MAX, |size| size.saturating_sub(self.read))
    }

    fn decode(&mut self, buffer: &mut [u8]) -> Result<usize, Problem> {
        loop {
            let read = self.decoder.read(buffer);
            if let Err(error) = &read
                && error.kind() == io::ErrorKind::Interrupted
            {
                continue;
            }
            // A decoder may take an error for the end.
            return match (read, self.faults.take()) {
                (_, Some(fault)) => Err(fault),
                (Ok(read), None) => Ok(read),
                (Err(error), None) => Err(method::damaged(error)),
            };
        }
    }

    /// Compares the content that was read with what it should be.
    fn finish(&mut self) -> Result<usize, Problem> {
        self.is_done = true;
        if let Some(size) = self.expected.size {
            if self.read < size {
                let read = self.read;
                return Err(Problem::damaged(format!("the content has {read} bytes, but {size} are stated")));
            }
            if self.expected.has_end && self.decode(&mut [0])? > 0 {
                return Err(Problem::damaged(format!(
                    "the content goes on after the {size} bytes that are stated"
                )));
            }
        }
        let is_right = self.expected.crc.is_none_or(|crc| crc == self.crc.sum());
        if is_right { Ok(0) } else { Err(Problem::Checksum("the content")) }
    }
}

impl Read for Checked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_done || buffer.is_empty() {
            return Ok(0);
        }
        let most = usize::try_from(self.left()).unwrap_or(usize::MAX).min(buffer.len());
        let buffer = buffer.get_mut(..most).unwrap_or_default();
        let read = if buffer.is_empty() { Ok(0) } else { self.decode(buffer) };
        let read = read.inspect_err(|_| self.is_done = true)?;
        self.crc.update(buffer.get(..read).unwrap_or_default());
        self.read += read as u64;
        if read > 0 { Ok(read) } else { Ok(self.finish()?) }
    }
}
