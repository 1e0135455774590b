//! One file's bytes, and the proof that they are all of a file that held still.
//!
//! Files are never mapped: a mapped file that shrinks kills the process. Nor is the kernel told that
//! reading is sequential: it sees that by itself, and telling it was measured to gain nothing.

use crate::holes::{Holes, Segment};
use crate::{Entry, Error, Meta, Origin, Problem, file_system, sys};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;

/// A file that is being read.
#[derive(Debug)]
pub struct Reader {
    file: File,
    path: Box<[u8]>,
    meta: Meta,
    kind: Kind,
    /// Bytes that came out of [`Reader::read`].
    position: u64,
    /// [`Reader::read`] met the end.
    ended: bool,
    holes: Option<Holes>,
}

/// What kind of source the bytes come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A regular file.
    File,
    /// Standard input that is a regular file with this many bytes to come.
    Rest(u64),
    /// A pipe, a terminal, a device: there is no size, and nothing to compare.
    Stream,
}

impl Reader {
    /// Opens the entry and notes its metadata.
    ///
    /// What lies below an operand must still be a regular file; an operand may be anything that can be
    /// read.
    pub fn open(entry: &Entry) -> Result<Reader, Error> {
        Reader::new(entry).map_err(|problem| Error { path: entry.path.clone(), problem })
    }

    fn new(entry: &Entry) -> Result<Reader, Problem> {
        let file = match entry.origin {
            Origin::Stdin => io::stdin().as_fd().try_clone_to_owned(),
            Origin::Operand => sys::open_quietly(&entry.path, 0),
            Origin::Path => open_walked(&entry.path),
        };
        let file = File::from(file.map_err(Problem::Open)?);
        let meta = sys::stat_open(file.as_fd()).map_err(Problem::Stat)?;
        let kind = kind(entry.origin, &file, &meta)?;
        let holes = if kind == Kind::File { Holes::of(&meta) } else { None };
        Ok(Reader { file, path: entry.path.clone(), meta, kind, position: 0, ended: false, holes })
    }

    /// The metadata at opening.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Whether [`Reader::read_at`] works: a regular file with a true size. Costs a system call for
    /// regular files, so ask about the size first.
    pub fn seekable(&self) -> bool {
        self.kind == Kind::File && self.meta.size > 0 && !file_system::pretends_sizes(self.file.as_fd())
    }

    /// The next bytes in order. Fills the buffer unless the file ends: fewer bytes mean the end. Holes
    /// come as zeros and are not read from the disk.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let read = match self.holes {
            Some(_) => self.read_at(self.position, buffer)?,
            None => return self.read_on(buffer),
        };
        self.position += read as u64;
        Ok(read)
    }

    fn read_on(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let mut filled = 0;
        while filled < buffer.len() && !self.ended {
            let room = buffer.len() - filled;
            match self.file.read(&mut buffer[filled..]) {
                Ok(read) => {
                    filled += read;
                    self.position += read as u64;
                    self.ended = read == 0 || (read < room && self.is_end(self.position));
                }
                Err(source) if source.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Err(self.failed_at(self.position, source)),
            }
        }
        Ok(filled)
    }

    /// The bytes at an offset, from any thread: fills the buffer unless the file ends. Holes as above.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, Error> {
        let Some(holes) = &self.holes else { return self.read_data(offset, buffer) };
        let mut filled = 0;
        while filled < buffer.len() && offset + (filled as u64) < self.meta.size {
            let at = offset + filled as u64;
            let segment = holes.at(&self.file, at).map_err(|source| self.failed_at(at, source))?;
            let (Segment::Data { end } | Segment::Hole { end }) = segment;
            let room = usize::try_from(end.min(self.meta.size) - at).unwrap_or(usize::MAX);
            let to = filled.saturating_add(room).min(buffer.len());
            filled += self.read_segment(segment, at, &mut buffer[filled..to])?;
            if filled < to {
                // The file is shorter than it was; `finish` finds out why.
                break;
            }
        }
        Ok(filled)
    }

    fn read_segment(&self, segment: Segment, offset: u64, buffer: &mut [u8]) -> Result<usize, Error> {
        match segment {
            Segment::Data { .. } => self.read_data(offset, buffer),
            Segment::Hole { .. } => {
                buffer.fill(0);
                Ok(buffer.len())
            }
        }
    }

    fn read_data(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, Error> {
        let mut filled = 0;
        while filled < buffer.len() {
            let room = buffer.len() - filled;
            let at = offset + filled as u64;
            match self.file.read_at(&mut buffer[filled..], at) {
                Ok(0) => break,
                Ok(read) => {
                    filled += read;
                    if read < room && self.is_end(at + read as u64) {
                        break;
                    }
                }
                Err(source) if source.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Err(self.failed_at(at, source)),
            }
        }
        Ok(filled)
    }

    /// Whether a read that came back short, and ended here, met the end: then no further read need find
    /// that out. A read that filled its room proves nothing, as the size may not be true.
    fn is_end(&self, position: u64) -> bool {
        self.expected() == Some(position)
    }

    /// The bytes that should come, where that is known.
    fn expected(&self) -> Option<u64> {
        match self.kind {
            Kind::File => Some(self.meta.size),
            Kind::Rest(size) => Some(size),
            Kind::Stream => None,
        }
    }

    /// Checks that `read` bytes were all, and that the file did not change since it was opened.
    pub fn finish(&self, read: u64) -> Result<(), Error> {
        self.check(read).map_err(|problem| Error { path: self.path.clone(), problem })
    }

    fn check(&self, read: u64) -> Result<(), Problem> {
        let Some(size) = self.expected() else { return Ok(()) };
        let after = sys::stat_open(self.file.as_fd()).map_err(Problem::Stat)?;
        let held_still = self.meta.same_content(&after);
        if held_still && (read == size || file_system::pretends_sizes(self.file.as_fd())) {
            Ok(())
        } else if held_still && read < size {
            Err(Problem::Short { read, size })
        } else {
            Err(Problem::Changed { before: Box::new(self.meta), after: Box::new(after) })
        }
    }

    fn failed_at(&self, offset: u64, source: io::Error) -> Error {
        Error { path: self.path.clone(), problem: Problem::Read { offset, source } }
    }
}

/// Opens what was a regular file when it was listed. It may be a FIFO by now, so opening must not wait
/// for anyone.
fn open_walked(path: &[u8]) -> io::Result<OwnedFd> {
    match sys::open_quietly(path, libc::O_NONBLOCK) {
        // Somebody holds a lease on the file: waiting is right, if it is a file.
        Err(error) if error.raw_os_error() == Some(libc::EAGAIN) => {
            match sys::stat(path, sys::Links::Follow)?.is_file() {
                true => sys::open_quietly(path, 0),
                false => Err(error),
            }
        }
        result => result,
    }
}

fn kind(origin: Origin, file: &File, meta: &Meta) -> Result<Kind, Problem> {
    match origin {
        Origin::Stdin if meta.is_file() => {
            let start = sys::seek(file, 0, libc::SEEK_CUR).map_err(Problem::Stat)?;
            Ok(Kind::Rest(meta.size.saturating_sub(start)))
        }
        _ if meta.is_directory() => Err(Problem::Open(io::Error::from_raw_os_error(libc::EISDIR))),
        _ if meta.is_file() => Ok(Kind::File),
        Origin::Path => Err(Problem::Replaced { mode: meta.mode }),
        Origin::Operand | Origin::Stdin => Ok(Kind::Stream),
    }
}

impl AsFd for Reader {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}
