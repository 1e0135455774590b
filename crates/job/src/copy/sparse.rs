//! Writing of a file whose blocks of zeros become holes.

use hashmill_os::write_all_at;
use std::fs::File;
use std::io;

/// The length of a block in bytes. Shorter runs of zeros are written.
const BLOCK: usize = 64 << 10;

/// The position in a file that is being written.
#[derive(Debug, Default)]
pub(crate) struct Sparse {
    at: u64,
    written: u64,
}

impl Sparse {
    /// Writes the next bytes.
    ///
    /// # Errors
    /// If they can't be written.
    pub(crate) fn write(&mut self, file: &File, bytes: &[u8]) -> io::Result<()> {
        let mut from = 0;
        for run in runs(bytes, self.at) {
            if run.is_zero {
                from += run.length;
                continue;
            }
            write_all_at(file, &bytes[from..from + run.length], self.at + from as u64)?;
            self.written += run.length as u64;
            from += run.length;
        }
        self.at += bytes.len() as u64;
        Ok(())
    }

    /// Gives the file its length.
    ///
    /// # Errors
    /// If that is not possible.
    pub(crate) fn end(&self, file: &File) -> io::Result<()> {
        file.set_len(self.at)
    }

    /// Returns how many bytes were written.
    pub(crate) fn written(&self) -> u64 {
        self.written
    }
}

/// A run of blocks.
struct Run {
    is_zero: bool,
    length: usize,
}

/// Divides bytes that begin at this offset into runs of whole blocks of zeros, and of others.
fn runs(bytes: &[u8], at: u64) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let first = BLOCK - usize::try_from(at % BLOCK as u64).unwrap_or(0);
    let (head, rest) = bytes.split_at(first.min(bytes.len()) % BLOCK);
    for block in std::iter::once(head).filter(|head| !head.is_empty()).chain(rest.chunks(BLOCK)) {
        let is_zero = block.len() == BLOCK && is_zero(block);
        match runs.last_mut() {
            Some(last) if last.is_zero == is_zero => last.length += block.len(),
            _ => runs.push(Run { is_zero, length: block.len() }),
        }
    }
    runs
}

/// Returns whether all bytes are zero.
fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_is_read_is_what_was_written_and_zeros_become_holes() {
        let folder = tempfile::tempdir().unwrap();
        let mut bytes = vec![0; 5 * BLOCK + 77];
        bytes[BLOCK + 5] = 1;
        bytes[4 * BLOCK] = 2;
        for parts in [1, 1000, BLOCK - 1, BLOCK, BLOCK + 1, bytes.len()] {
            let path = folder.path().join(parts.to_string());
            let (file, mut sparse) = (File::create(&path).unwrap(), Sparse::default());
            bytes.chunks(parts).for_each(|part| sparse.write(&file, part).unwrap());
            sparse.end(&file).unwrap();
            assert!(fs::read(&path).unwrap() == bytes, "{parts}");
            if parts >= bytes.len() {
                assert_eq!(sparse.written(), 2 * BLOCK as u64 + 77);
            }
        }
    }
}
