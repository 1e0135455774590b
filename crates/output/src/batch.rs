//! Files that get their names together, as bringing each onto the disk by itself takes longer than writing it.

use crate::unfinished::Unfinished;
use hashmill_os::sync_many;
use std::fs::File;
use std::io;

/// The most files of a batch, each of which takes a descriptor.
const MOST_FILES: usize = 128;
/// The bytes from which on a batch is full.
const MOST_BYTES: u64 = 256 << 20;

/// Files that were written and have no names yet.
#[derive(Debug)]
pub struct FileBatch<T> {
    files: Vec<(File, Unfinished, T)>,
    bytes: u64,
}

impl<T> Default for FileBatch<T> {
    fn default() -> FileBatch<T> {
        FileBatch { files: Vec::new(), bytes: 0 }
    }
}

impl<T> FileBatch<T> {
    /// Adds a file that was written, with a value that comes back with its result.
    pub fn add(&mut self, file: File, unfinished: Unfinished, value: T) {
        self.bytes += file.metadata().map_or(0, |meta| meta.len());
        self.files.push((file, unfinished, value));
    }

    /// Returns whether the files should get their names before another is written.
    pub fn is_full(&self) -> bool {
        self.files.len() >= MOST_FILES || self.bytes >= MOST_BYTES
    }

    /// Takes all files, and brings them onto the disk. Those without an error can get their names
    /// ([`Unfinished::give_synced_name`]).
    pub fn sync(&mut self) -> Vec<(T, io::Result<(File, Unfinished)>)> {
        let files = std::mem::take(self).files;
        let published: Vec<io::Result<()>> =
            files.iter().map(|(file, unfinished, _)| unfinished.publish(file)).collect();
        let synced = sync_many(&files.iter().map(|(file, ..)| file).collect::<Vec<_>>());
        let done = published.into_iter().zip(synced).map(|(published, synced)| published.and(synced));
        let files = files.into_iter().zip(done);
        files.map(|((file, unfinished, value), done)| (value, done.map(|()| (file, unfinished)))).collect()
    }
}
