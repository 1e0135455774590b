//! A file with changes that are in memory.

use crate::files::opener::{Opener, SharedFile, fill_at};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The unit of changes.
pub(super) const SECTOR: u64 = 4096;

/// The most ranges of zeros: each is compared with each read.
const MOST_ZEROS: usize = 4096;

/// The changes of a file, all in whole sectors.
#[derive(Debug, Clone, Default)]
pub(super) struct Changes {
    sectors: BTreeMap<u64, Box<[u8]>>,
    /// Ranges of zeros that come before the sectors.
    zeros: Vec<(u64, u64)>,
    /// The end of the file with all changes.
    end: u64,
}

impl Changes {
    /// Writes a sector.
    pub(super) fn write(&mut self, offset: u64, bytes: Box<[u8]>) {
        self.end = self.end.max(offset.saturating_add(SECTOR));
        self.sectors.insert(offset, bytes);
    }

    /// Writes zeros. Returns `None` if there are too many ranges.
    pub(super) fn zero(&mut self, offset: u64, length: u64) -> Option<()> {
        let end = offset.saturating_add(length);
        self.end = self.end.max(end);
        let covered: Vec<u64> = self.sectors.range(offset..end).map(|(at, _)| *at).collect();
        for at in covered {
            self.sectors.remove(&at);
        }
        self.zeros.push((offset, end));
        (self.zeros.len() <= MOST_ZEROS).then_some(())
    }

    /// Makes the file at least this long.
    pub(super) fn extend_to(&mut self, end: u64) {
        self.end = self.end.max(end);
    }

    /// Applies the changes to bytes that were read at an offset.
    fn apply(&self, offset: u64, bytes: &mut [u8]) {
        let end = offset.saturating_add(bytes.len() as u64);
        for (from, to) in self.zeros.iter().filter(|(from, to)| *from < end && offset < *to) {
            let part = (from.max(&offset) - offset) as usize..(to.min(&end) - offset) as usize;
            bytes.get_mut(part).unwrap_or_default().fill(0);
        }
        for (at, sector) in self.sectors.range(offset.saturating_sub(SECTOR - 1)..end) {
            let (from, to) = ((*at).max(offset), (at + SECTOR).min(end));
            let target = bytes.get_mut((from - offset) as usize..(to - offset) as usize);
            let found = sector.get((from - at) as usize..(to - at) as usize);
            if let (Some(target), Some(found)) = (target, found) {
                target.copy_from_slice(found);
            }
        }
    }
}

/// An opener with which one file has changes.
#[derive(Debug)]
pub(super) struct Changed {
    opener: Arc<dyn Opener>,
    path: Arc<Path>,
    changes: Arc<Changes>,
}

impl Changed {
    pub(super) fn new(opener: Arc<dyn Opener>, path: Arc<Path>, changes: Changes) -> Changed {
        Changed { opener, path, changes: Arc::new(changes) }
    }
}

impl Opener for Changed {
    fn open(&self, path: &Path) -> io::Result<Arc<dyn SharedFile>> {
        let file = self.opener.open(path)?;
        if path != &*self.path {
            return Ok(file);
        }
        Ok(Arc::new(ChangedFile { file, changes: Arc::clone(&self.changes) }))
    }

    fn beside(&self, path: &Path, start: &[u8]) -> io::Result<Vec<OsString>> {
        self.opener.beside(path, start)
    }
}

#[derive(Debug)]
struct ChangedFile {
    file: Arc<dyn SharedFile>,
    changes: Arc<Changes>,
}

impl SharedFile for ChangedFile {
    fn size(&self) -> io::Result<u64> {
        Ok(self.file.size()?.max(self.changes.end))
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.size()?.saturating_sub(offset)).unwrap_or(usize::MAX);
        let length = left.min(buffer.len());
        let buffer = &mut buffer[..length];
        let read = fill_at(&*self.file, offset, buffer)?;
        // Changes may make the file longer; between them are zeros.
        buffer.get_mut(read..).unwrap_or_default().fill(0);
        self.changes.apply(offset, buffer);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_applied_in_their_order() {
        let mut changes = Changes::default();
        let sector = |byte: u8| vec![byte; SECTOR as usize].into_boxed_slice();
        changes.write(0, sector(1));
        changes.write(SECTOR, sector(2));
        changes.zero(SECTOR, 2 * SECTOR).unwrap();
        changes.write(2 * SECTOR, sector(3));
        let mut bytes = vec![9; 4 * SECTOR as usize];
        changes.apply(0, &mut bytes);
        let firsts: Vec<u8> = bytes.chunks(SECTOR as usize).map(|sector| sector[0]).collect();
        assert_eq!((firsts, changes.end), (vec![1, 0, 3, 9], 3 * SECTOR));
        let mut part = vec![9; 10];
        changes.apply(SECTOR - 5, &mut part);
        assert_eq!(part, [1, 1, 1, 1, 1, 0, 0, 0, 0, 0]);
    }
}
