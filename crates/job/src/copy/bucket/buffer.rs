//! Bytes of files that are not whole so far: in memory, or in a temporary file where memory is used up. They can't wait for room,
//! as room would come only with the end of files that wait likewise.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

/// Limits the bytes that wait in memory.
#[derive(Debug)]
pub(super) struct Waiting {
    most: usize,
    used: usize,
}

/// Bytes that wait.
#[derive(Debug)]
pub(super) enum Buffer {
    Memory(Vec<u8>),
    /// A temporary file without a name, with so many bytes.
    File(File, usize),
}

impl Waiting {
    pub(super) fn new(most: usize) -> Waiting {
        Waiting { most, used: 0 }
    }
}

impl Default for Buffer {
    fn default() -> Buffer {
        Buffer::Memory(Vec::new())
    }
}

impl Buffer {
    /// Returns the number of bytes.
    pub(super) fn len(&self) -> usize {
        match self {
            Buffer::Memory(bytes) => bytes.len(),
            Buffer::File(_, length) => *length,
        }
    }

    /// Returns whether its bytes are in memory.
    pub(super) fn is_in_memory(&self) -> bool {
        matches!(self, Buffer::Memory(_))
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// If there is no room for temporary files.
    pub(super) fn push(&mut self, bytes: &[u8], waiting: &mut Waiting) -> io::Result<()> {
        match self {
            Buffer::Memory(held) if waiting.used + bytes.len() <= waiting.most => {
                // Growing by halves would take more than is counted.
                held.reserve_exact(bytes.len());
                held.extend_from_slice(bytes);
                waiting.used += bytes.len();
            }
            Buffer::Memory(held) => {
                let mut file = tempfile::tempfile()?;
                file.write_all(held)?;
                file.write_all(bytes)?;
                let length = held.len() + bytes.len();
                waiting.used -= held.len();
                *self = Buffer::File(file, length);
            }
            Buffer::File(file, length) => {
                file.write_all(bytes)?;
                *length += bytes.len();
            }
        }
        Ok(())
    }

    /// Takes all bytes out.
    ///
    /// # Errors
    /// If a temporary file can't be read.
    pub(super) fn take(&mut self, waiting: &mut Waiting) -> io::Result<Vec<u8>> {
        match std::mem::take(self) {
            Buffer::Memory(bytes) => {
                waiting.used -= bytes.len();
                Ok(bytes)
            }
            Buffer::File(mut file, length) => {
                let mut bytes = Vec::with_capacity(length);
                file.rewind()?;
                file.read_to_end(&mut bytes)?;
                Ok(bytes)
            }
        }
    }

    /// Forgets the bytes.
    pub(super) fn discard(self, waiting: &mut Waiting) {
        if let Buffer::Memory(bytes) = self {
            waiting.used -= bytes.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_finds_no_room_waits_in_a_file() {
        let mut waiting = Waiting::new(10);
        let (mut one, mut two) = (Buffer::default(), Buffer::default());
        one.push(b"12345", &mut waiting).unwrap();
        two.push(b"abcde", &mut waiting).unwrap();
        assert!(one.is_in_memory() && two.is_in_memory());
        two.push(b"f", &mut waiting).unwrap();
        two.push(b"g", &mut waiting).unwrap();
        assert!(!two.is_in_memory() && two.len() == 7);
        one.push(b"67890", &mut waiting).unwrap();
        assert!(one.is_in_memory(), "the other one has left room");
        assert_eq!(two.take(&mut waiting).unwrap(), b"abcdefg");
        assert_eq!((two.len(), waiting.used), (0, 10));
        one.discard(&mut waiting);
        assert_eq!(waiting.used, 0);
    }
}
