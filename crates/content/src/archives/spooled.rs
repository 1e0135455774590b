//! Copies of members that are archives themselves, and have to be read at any position.

use hashmill_os::read_at;
use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;
use tempfile::{SpooledData, SpooledTempFile};

/// The size up to which a copy is in memory. A longer one is in a temporary file without a name.
const IN_MEMORY: usize = 4 << 20;

/// The bytes of a member. A temporary file disappears with this value, however the process ends.
#[derive(Debug, Clone)]
pub(super) enum Spooled {
    Memory(Arc<[u8]>),
    File(Arc<File>, u64),
}

impl Spooled {
    /// Copies what a function reads; it gets a buffer and returns 0 at the end.
    ///
    /// # Errors
    /// That of the function, with how far it came; an error of the temporary file.
    pub(super) fn copy(
        mut read: impl FnMut(u64, &mut [u8]) -> io::Result<usize>,
    ) -> Result<Spooled, (u64, io::Error)> {
        let mut buffer = vec![0; 256 << 10];
        let (mut copy, mut size) = (SpooledTempFile::new(IN_MEMORY), 0_u64);
        loop {
            let got = read(size, &mut buffer).map_err(|error| (size, error))?;
            if got == 0 {
                break;
            }
            size += got as u64;
            copy.write_all(&buffer[..got]).map_err(|error| (size, temporary(&error)))?;
        }
        Ok(match copy.into_inner() {
            SpooledData::OnDisk(file) => Spooled::File(Arc::new(file), size),
            SpooledData::InMemory(bytes) => Spooled::Memory(bytes.into_inner().into()),
        })
    }

    /// Returns the number of bytes.
    pub(super) fn size(&self) -> u64 {
        match self {
            Spooled::Memory(bytes) => bytes.len() as u64,
            Spooled::File(_, size) => *size,
        }
    }

    /// Reads at a position; 0 bytes mean the end.
    pub(super) fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Spooled::Memory(bytes) => Ok(copy_at(bytes, position, buffer)),
            Spooled::File(file, _) => read_at(file, buffer, position),
        }
    }
}

/// Copies bytes from a position on, as many as there are and fit.
pub(super) fn copy_at(bytes: &[u8], position: u64, buffer: &mut [u8]) -> usize {
    let rest = usize::try_from(position).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
    let length = rest.len().min(buffer.len());
    buffer[..length].copy_from_slice(&rest[..length]);
    length
}

fn temporary(error: &io::Error) -> io::Error {
    let place = std::env::temp_dir();
    let what = format!(
        "can't be copied to {} to be looked into: {error}; TMPDIR names another place",
        place.display()
    );
    io::Error::new(error.kind(), what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_the_same_in_memory_and_in_a_file() {
        for size in [0, 5, IN_MEMORY, IN_MEMORY + 1] {
            let bytes: Vec<u8> = (0..size).map(|at| (at % 251) as u8).collect();
            let spooled = Spooled::copy(|at, buffer| Ok(copy_at(&bytes, at, buffer))).unwrap();
            assert_eq!(matches!(spooled, Spooled::File(..)), size > IN_MEMORY);
            assert_eq!(spooled.size(), size as u64);
            let mut read = vec![0; size];
            let mut at = 0;
            while at < size {
                at += spooled.read_at(at as u64, &mut read[at..]).unwrap();
            }
            assert!(read == bytes && spooled.read_at(size as u64, &mut [0; 4]).unwrap() == 0);
        }
    }
}
