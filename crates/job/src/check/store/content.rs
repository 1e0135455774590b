//! Objects whose digest is of other bytes than those of their files.

use super::headed;
use hashmill_content::selection::Bytes as Path;
use hashmill_digest::{Digest, MAX_BYTES};
use hashmill_objects::{Coding, Decoder, ObjectClaim, Role};
use hashmill_os::{read_at, read_exact_at};
use hashmill_source::{Bytes, Entry, EntryContent, Meta, OperandDirectory, Origin, WalkItem};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

/// The digests that open files have at their ends, by path, until the judge takes them.
pub(super) type Trailers = Arc<Mutex<HashMap<Path, Digest>>>;

/// Returns an entry that gives the bytes behind the coding.
pub(super) fn entry(entry: Entry, coding: Coding, trailers: &Trailers) -> Entry {
    let Some(operand) = entry.operand.clone().filter(|_| coding != Coding::Stored) else { return entry };
    let content = Stored { operand, path: entry.path.clone(), coding, trailers: Arc::clone(trailers) };
    Entry { size: None, content: Some(Arc::new(content)), ..entry }
}

/// Returns the entry of a symbolic link that is an object itself.
pub(super) fn link(path: &[u8], role: Role, root: &[u8], trailers: &Trailers) -> Option<WalkItem> {
    let Role::Object(ObjectClaim { coding, .. }) = role else { return None };
    if !coding.may_be_link() {
        return None;
    }
    // If it can't be opened, the listing of it has failed, too.
    let operand = Some(Arc::new(OperandDirectory::open(root).ok()?));
    let found = Entry { operand, ..Entry::new(path.into(), Origin::Path) };
    Some(WalkItem::File(entry(found, coding, trailers)))
}

/// The stored file of an object.
#[derive(Debug, Clone)]
struct Stored {
    operand: Arc<OperandDirectory>,
    path: Path,
    coding: Coding,
    trailers: Trailers,
}

impl Stored {
    /// Opens the file, which was a regular file when it was listed.
    fn open_file(&self) -> io::Result<(File, Meta)> {
        let meta = self.operand.meta(&self.path)?;
        if !meta.is_file() {
            return Err(io::Error::other("it is no longer a regular file"));
        }
        Ok((self.operand.open_file(&self.path)?, meta))
    }
}

impl EntryContent for Stored {
    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        if self.coding.has_header() {
            return headed::open(&self.operand, &self.path, self.coding);
        }
        let (file, meta) = self.open_file()?;
        if let Coding::Trailer(length) = self.coding {
            let mut trailer = [0; MAX_BYTES];
            let trailer = &mut trailer[..length.min(MAX_BYTES)];
            let end = meta.size.checked_sub(trailer.len() as u64).ok_or_else(short)?;
            read_exact_at(&file, trailer, end)?;
            self.trailers.lock().insert(self.path.clone(), Digest::new(trailer));
            return Ok(Box::new(Front { stored: self.clone(), file, length: trailer.len() as u64, end }));
        }
        let decoder = Mutex::new(Decoder::new(self.coding, file, meta.size)?);
        Ok(Box::new(Decoded { stored: self.clone(), decoder }))
    }
}

fn short() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "is too short to end with a digest")
}

/// The bytes of a file before the digest at its end.
#[derive(Debug)]
struct Front {
    stored: Stored,
    file: File,
    /// The length of the digest.
    length: u64,
    end: u64,
}

impl Bytes for Front {
    fn meta(&self) -> io::Result<Meta> {
        let meta = self.stored.operand.meta(&self.stored.path)?;
        Ok(Meta { size: meta.size.saturating_sub(self.length), ..meta })
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(offset)).unwrap_or(usize::MAX);
        let length = buffer.len().min(left);
        read_at(&self.file, &mut buffer[..length], offset)
    }
}

/// The bytes of an object behind its coding.
#[derive(Debug)]
struct Decoded {
    stored: Stored,
    decoder: Mutex<Decoder<File>>,
}

impl Bytes for Decoded {
    fn meta(&self) -> io::Result<Meta> {
        let meta = self.stored.operand.meta(&self.stored.path)?;
        Ok(Meta { size: self.decoder.lock().size().unwrap_or(0), ..meta })
    }

    fn is_in_order(&self) -> bool {
        true
    }

    fn has_size(&self) -> bool {
        self.decoder.lock().size().is_some()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut decoder = self.decoder.lock();
        if decoder.position() != offset {
            return Err(io::Error::other("the object can be read in order only"));
        }
        decoder.read(buffer)
    }
}
