//! Objects whose digest is of other bytes than those of their files.

use crate::selection::Bytes as Path;
use hashloom_digest::{Digest, MAX_BYTES};
use hashloom_objects::{Coding, Decoder, ObjectClaim, Role, ostree_header};
use hashloom_os::{read_at, read_exact_at};
use hashloom_source::{Bytes, Entry, EntryContent, Meta, OperandDirectory, Origin, WalkItem, mode};
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
    let Role::Object(ObjectClaim { coding: coding @ Coding::UserOnly, .. }) = role else { return None };
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

impl Stored {
    /// Opens a file or link before which a header is hashed.
    fn open_with_header(&self) -> io::Result<Box<dyn Bytes>> {
        let meta = self.operand.meta(&self.path)?;
        let mode = meta.mode & (mode::TYPE | 0o7777);
        if meta.is_link() {
            let header = ostree_header(mode, &self.operand.read_link(&self.path)?);
            return Ok(Box::new(Headed { stored: self.clone(), header, file: None }));
        }
        let (header, (file, _)) = (ostree_header(mode, b""), self.open_file()?);
        Ok(Box::new(Headed { stored: self.clone(), header, file: Some(file) }))
    }
}

impl EntryContent for Stored {
    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        if self.coding == Coding::UserOnly {
            return self.open_with_header();
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
    fn file(&self) -> io::Result<Option<File>> {
        Ok(None)
    }

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
    fn file(&self) -> io::Result<Option<File>> {
        Ok(None)
    }

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

/// A header and the bytes of a file.
#[derive(Debug)]
struct Headed {
    stored: Stored,
    header: Vec<u8>,
    /// None of a symbolic link.
    file: Option<File>,
}

impl Bytes for Headed {
    fn file(&self) -> io::Result<Option<File>> {
        Ok(None)
    }

    fn meta(&self) -> io::Result<Meta> {
        let meta = self.stored.operand.meta(&self.stored.path)?;
        let content = if self.file.is_some() { meta.size } else { 0 };
        Ok(Meta { size: content.saturating_add(self.header.len() as u64), ..meta })
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.header.len() as u64;
        if let Some(rest) =
            usize::try_from(offset).ok().and_then(|at| self.header.get(at..)).filter(|rest| !rest.is_empty())
        {
            let read = rest.len().min(buffer.len());
            buffer[..read].copy_from_slice(&rest[..read]);
            return Ok(read);
        }
        self.file.as_ref().map_or(Ok(0), |file| read_at(file, buffer, offset - length))
    }
}
