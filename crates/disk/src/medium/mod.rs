//! Anything with bytes at positions: a disk, a partition of it, an image of one.

pub(crate) mod cache;

use std::fmt::Debug;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that many threads can read at once, at any position.
pub trait Medium: Debug + Send + Sync {
    /// Returns the number of bytes.
    fn size(&self) -> u64;

    /// Fills the buffer with the bytes from a position on.
    ///
    /// # Errors
    /// If not all of these bytes can be read; [`io::ErrorKind::UnexpectedEof`] if some lie beyond the end.
    fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<()>;

    /// Returns the same bytes, at the same positions, for a reader of a range alone; `None` unless a reader of all is sent
    /// more than it asks for, as from a store.
    fn limited_to(&self, _range: std::ops::Range<u64>) -> Option<Arc<dyn Medium>> {
        None
    }

    /// Returns the positions where the volumes begin that these bytes were joined from; none if they are one file.
    fn volumes(&self) -> &[u64] {
        &[]
    }
}

/// A range of another medium, such as a partition. Nothing outside of it can be read through it.
#[derive(Debug, Clone)]
pub struct Range {
    medium: Arc<dyn Medium>,
    start: u64,
    size: u64,
}

impl Range {
    /// Creates a range, which ends where the medium does if it is stated to be longer.
    pub fn new(medium: Arc<dyn Medium>, start: u64, size: u64) -> Range {
        let size = size.min(medium.size().saturating_sub(start));
        Range { medium, start, size }
    }
}

impl Medium for Range {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<()> {
        within(self.size, position, buffer.len())?;
        self.medium.read_at(self.start.saturating_add(position), buffer)
    }
}

impl Medium for Vec<u8> {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<()> {
        let start = within(self.size(), position, buffer.len())? as usize;
        let bytes = self.get(start..start + buffer.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        buffer.copy_from_slice(bytes);
        Ok(())
    }
}

/// A medium of anything that can seek, such as an open file, for one thread at a time.
#[derive(Debug)]
pub struct Seekable<F> {
    file: Mutex<F>,
    size: u64,
}

impl<F: Read + Seek + Send + Debug> Seekable<F> {
    /// Creates a medium whose size is the end of the file as it is now.
    ///
    /// # Errors
    /// If the file can't seek.
    pub fn new(mut file: F) -> io::Result<Seekable<F>> {
        let size = file.seek(SeekFrom::End(0))?;
        Ok(Seekable { file: Mutex::new(file), size })
    }
}

impl<F: Read + Seek + Send + Debug> Medium for Seekable<F> {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(within(self.size, position, buffer.len())?))?;
        file.read_exact(buffer)
    }
}

/// Returns the position if that many bytes lie between it and the end.
fn within(size: u64, position: u64, length: usize) -> io::Result<u64> {
    match position.checked_add(length as u64) {
        Some(end) if end <= size => Ok(position),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_shows_nothing_outside_of_it() {
        let medium: Arc<dyn Medium> = Arc::new((0..100).collect::<Vec<u8>>());
        let range = Range::new(Arc::clone(&medium), 10, 20);
        let mut bytes = [0; 20];
        range.read_at(0, &mut bytes).unwrap();
        assert_eq!((bytes[0], bytes[19]), (10, 29));
        for (position, length) in [(1, 20), (20, 1), (u64::MAX, 2)] {
            let error = range.read_at(position, &mut vec![0; length]).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{position}");
        }
        assert_eq!(Range::new(Arc::clone(&medium), 90, u64::MAX).size(), 10);
        assert_eq!(Range::new(medium, 101, 5).size(), 0);
    }

    #[test]
    fn a_file_that_seeks_reads_like_bytes_in_memory() {
        let bytes: Vec<u8> = (0..=255).collect();
        let file = Seekable::new(io::Cursor::new(bytes.clone())).unwrap();
        for (position, length) in [(0, 256), (5, 7), (255, 1), (256, 0)] {
            let (mut one, mut other) = (vec![0; length], vec![0; length]);
            file.read_at(position, &mut one).unwrap();
            bytes.read_at(position, &mut other).unwrap();
            assert_eq!(one, other);
        }
        assert!(file.read_at(250, &mut [0; 7]).is_err());
    }
}
