//! The bytes of a file: in its metadata, in runs on the medium, or coded.

use crate::{ByteRuns, Medium, Problem};
use std::fmt::Debug;
use std::sync::Arc;

/// The bytes of a file.
#[derive(Debug, Clone)]
pub enum Content {
    /// Bytes that lie among metadata.
    Inline(Arc<[u8]>),
    /// Bytes that lie on the medium as they are.
    Plain {
        /// Where they lie. They may have more bytes than the file, as whole clusters do.
        runs: Arc<ByteRuns>,
        /// The size of the file in bytes.
        size: u64,
        /// The bytes from here on are zeros, whatever is on the medium.
        valid: u64,
    },
    /// Bytes that are compressed on the medium.
    Coded(Arc<dyn Coded>),
}

/// Bytes that have to be decoded.
pub trait Coded: Debug + Send + Sync {
    /// Returns the size of the file in bytes.
    fn size(&self) -> u64;

    /// Returns where the stored bytes lie; offsets are those of the file.
    fn runs(&self) -> &ByteRuns;

    /// Reads at an offset below the size. Fewer bytes than requested, but at least one, may be read.
    ///
    /// # Errors
    /// If these bytes can't be read or decoded.
    fn read_at(&self, medium: &dyn Medium, offset: u64, buffer: &mut [u8]) -> Result<usize, Problem>;
}

impl Content {
    /// Returns the content of a file without bytes.
    pub fn empty() -> Content {
        Content::Inline(Arc::new([]))
    }

    /// Returns bytes that lie on the medium as they are, all of which were written.
    pub(crate) fn plain(runs: ByteRuns, size: u64) -> Content {
        Content::Plain { runs: Arc::new(runs), size, valid: size }
    }

    /// Returns the size in bytes.
    pub fn size(&self) -> u64 {
        match self {
            Content::Inline(bytes) => bytes.len() as u64,
            Content::Plain { size, .. } => *size,
            Content::Coded(coded) => coded.size(),
        }
    }

    /// Returns where the stored bytes lie; none if they are among metadata.
    pub fn runs(&self) -> Option<&ByteRuns> {
        match self {
            Content::Inline(_) => None,
            Content::Plain { runs, .. } => Some(runs),
            Content::Coded(coded) => Some(coded.runs()),
        }
    }

    /// Reads at an offset of the file from the medium that the file system is on. Fewer bytes than requested do not
    /// mean the end; zero bytes do.
    ///
    /// # Errors
    /// If these bytes can't be read; [`Problem::Short`] if the runs end before the size.
    pub fn read_at(&self, medium: &dyn Medium, offset: u64, buffer: &mut [u8]) -> Result<usize, Problem> {
        let left = self.size().saturating_sub(offset);
        let length = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        let buffer = &mut buffer[..length];
        if buffer.is_empty() {
            return Ok(0);
        }
        match self {
            Content::Inline(bytes) => {
                let bytes =
                    usize::try_from(offset).ok().and_then(|start| bytes.get(start..)).unwrap_or_default();
                let length = bytes.len().min(buffer.len());
                buffer[..length].copy_from_slice(&bytes[..length]);
                Ok(length)
            }
            Content::Plain { runs, valid, .. } => read_plain(medium, runs, *valid, offset, buffer),
            Content::Coded(coded) => coded.read_at(medium, offset, buffer),
        }
    }
}

/// Reads bytes of one run after the other.
fn read_plain(
    medium: &dyn Medium,
    runs: &ByteRuns,
    valid: u64,
    offset: u64,
    buffer: &mut [u8],
) -> Result<usize, Problem> {
    let mut filled = 0;
    while filled < buffer.len() {
        let at = offset.saturating_add(filled as u64);
        let rest = &mut buffer[filled..];
        if at >= valid {
            rest.fill(0);
            return Ok(filled + rest.len());
        }
        let run = runs.run_at(at).ok_or(Problem::Short)?;
        let until = run.end().min(valid);
        let length = usize::try_from(until - at).unwrap_or(usize::MAX).min(rest.len());
        let part = &mut rest[..length];
        match run.place {
            Some(place) => medium.read_at(place.saturating_add(at - run.at), part)?,
            None => part.fill(0),
        }
        filled += length;
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_from_runs_holes_and_the_part_that_was_never_written() {
        let medium: Vec<u8> = (0..100).collect();
        let mut runs = ByteRuns::default();
        for (place, length) in [(Some(50), 4), (None, 3), (Some(10), 8)] {
            runs.push(place, length, 100).unwrap();
        }
        let content = Content::Plain { runs: Arc::new(runs), size: 14, valid: 10 };
        let expected = [50, 51, 52, 53, 0, 0, 0, 10, 11, 12, 0, 0, 0, 0];
        for offset in 0..=14 {
            for length in 0..=16 {
                let mut read = vec![9; length];
                let count = content.read_at(&medium, offset, &mut read).unwrap();
                let until = (offset as usize + length).min(14);
                assert_eq!(read[..count], expected[offset as usize..until]);
            }
        }
    }

    #[test]
    fn runs_that_end_before_the_size_are_told() {
        let mut runs = ByteRuns::default();
        runs.push(Some(0), 5, 100).unwrap();
        let content = Content::Plain { runs: Arc::new(runs), size: 10, valid: 10 };
        let read = content.read_at(&vec![1; 100], 0, &mut [0; 10]);
        assert!(matches!(read, Err(Problem::Short)));
    }
}
