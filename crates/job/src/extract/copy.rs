//! Copying of the bytes of an entry.

use crate::copy::sparse::Sparse;
use hashmill_content::entry::stated::{Difference, Stated};
use hashmill_digest::About;
use hashmill_digest::hashes::{AT_ONCE, Hashes};
use hashmill_manifest::{Named, Record};
use hashmill_source::{Entry, Problem};
use std::fs::File;
use std::io::{self, Write};

/// The receiver of bytes.
pub(super) enum Sink<'a> {
    /// A new file, which gets holes for zeros.
    File(&'a File, Sparse),
    /// A stream.
    Stream(&'a mut dyn Write),
}

/// The reason why not all bytes were copied.
pub(super) enum CopyError {
    Read(Problem),
    Write(io::Error),
    Stopped,
}

impl Sink<'_> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Sink::Stream(stream) => stream.write_all(bytes),
            Sink::File(file, sparse) => sparse.write(file, bytes),
        }
    }

    fn end(&self) -> io::Result<()> {
        if let Sink::File(file, sparse) = self { sparse.end(file) } else { Ok(()) }
    }
}

/// Copies the bytes of an entry, until `note`, which is told how many came, says so. Returns the digests that an image
/// states of them and that are not theirs.
pub(super) fn copy(
    entry: &Entry,
    mut sink: Sink<'_>,
    stated: &Stated,
    note: &dyn Fn(u64) -> bool,
) -> Result<Vec<Difference>, CopyError> {
    let opened = entry.content.as_ref().map(|content| content.open());
    let bytes = opened.unwrap_or_else(|| Err(io::ErrorKind::NotFound.into()));
    let bytes = bytes.map_err(|source| CopyError::Read(Problem::Open(source)))?;
    let algorithms = stated.algorithms(&entry.path);
    let mut hashes = Hashes::new(&algorithms, &About::file(&entry.path, entry.size));
    let (mut buffer, mut offset) = (vec![0; AT_ONCE], 0);
    loop {
        let read = match bytes.read_at(offset, &mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(source) => return Err(CopyError::Read(Problem::Read { offset, source })),
            Ok(read) => &buffer[..read],
        };
        if read.is_empty() {
            break;
        }
        hashes.update(read);
        sink.put(read).map_err(CopyError::Write)?;
        offset += read.len() as u64;
        if note(read.len() as u64) {
            return Err(CopyError::Stopped);
        }
    }
    if let Some(size) = entry.size.filter(|size| offset < *size) {
        return Err(CopyError::Read(Problem::Short { read: offset, size }));
    }
    sink.end().map_err(CopyError::Write)?;
    let named = |(algorithm, digest)| Named { algorithm, digest, guessed: false };
    let digests = algorithms.iter().copied().zip(hashes.end()).map(named).collect();
    Ok(stated.differences(&Record::hashed(entry.path.clone(), Some(offset), digests)))
}
