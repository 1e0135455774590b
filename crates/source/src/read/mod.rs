//! One file's bytes, and the check that these are all bytes of a file that did not change.
//!
//! The kernel is not advised that reads are sequential: it detects that by itself, and the advice gained nothing in
//! measurements.

pub(crate) mod aligned;
pub(crate) mod rate;
pub(crate) mod reading;
pub(crate) mod residency;
pub(crate) mod settle;
pub(crate) mod stream;

mod bad;
mod direct;
mod drop_behind;
mod handle;
mod map;
mod open;

use crate::fd_limit::FdGuard;
use crate::holes::{Holes, Segment};
use crate::{Entry, Error, Meta, Problem, Reading, sys};
pub use map::address_space_is_ample;
use residency::Cached;

use handle::Handle;
use open::{ByteSource, Opened};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

/// An open file that is being read.
#[derive(Debug)]
pub struct Reader {
    handle: Handle,
    path: Box<[u8]>,
    meta: Meta,
    opened: SystemTime,
    kind: ByteSource,
    /// The number of bytes that [`Reader::read`] returned.
    position: u64,
    /// Whether [`Reader::read`] reached the end.
    ended: bool,
    holes: Option<Holes>,
    /// Whether a read showed that nothing follows the size.
    has_ended: AtomicBool,
    /// Dropped after the file is closed.
    _fd: FdGuard,
}

impl Reader {
    /// The size in bytes below which files are never mapped.
    pub const LEAST_MAPPED: u64 = map::LEAST_SIZE;

    /// Opens the entry and records its metadata.
    ///
    /// A file below an operand must still be a regular file; an operand may be anything that can be read. After an
    /// error with [`Error::is_fd_limit`], a retry may succeed when other readers are closed.
    pub fn open(entry: &Entry, reading: &Reading) -> Result<Reader, Error> {
        let now = SystemTime::now();
        let opened = open::open(entry, reading);
        let opened = opened.map_err(|problem| Error { path: entry.path.clone(), problem })?;
        let Opened { meta, kind, .. } = opened;
        let handle = Handle::new(opened, &entry.path, reading);
        let is_trusted = || handle.ask(|file| Ok(sys::tells_holes(file))).unwrap_or(false);
        let may = kind == ByteSource::File && reading.trusts_holes();
        let holes = Holes::from_meta(&meta).filter(|_| may && is_trusted());
        Ok(Reader {
            handle,
            path: entry.path.clone(),
            meta,
            opened: now,
            kind,
            position: 0,
            ended: false,
            holes,
            has_ended: AtomicBool::new(false),
            _fd: FdGuard::new(),
        })
    }

    /// Returns the open file; with content of the entry's own, the file that holds it, if there is one.
    pub fn file(&self) -> Option<&File> {
        self.handle.file()
    }

    /// Returns the offset on the device of the file's first extent. Reading files in this order costs few seeks. `None`
    /// for an empty file, for one without a position yet, and if the file system does not tell; then the order of inode
    /// numbers is the next best.
    pub fn disk_position(&self) -> Option<u64> {
        sys::disk_position(self.file()?).ok().flatten()
    }

    /// Asks the system to read these bytes into memory, without waiting for them. This is a hint, and it is no error if
    /// the system ignores it.
    pub fn will_need(&self, offset: u64, length: u64) {
        if let Some(file) = self.file() {
            sys::will_need(file, offset, length);
        }
    }

    /// Returns the metadata at opening. For block devices and for content of an entry, they contain the true size.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Returns the time just before the file was opened; `None` of anything but a file at a path, of which
    /// [`Reader::meta`] doesn't show later changes.
    pub fn opened(&self) -> Option<SystemTime> {
        (self.kind == ByteSource::File && self.meta.is_file()).then_some(self.opened)
    }

    /// Returns whether [`Reader::read_at`] works: for a regular file with a reliable size, or a block device. For
    /// regular files this costs a system call, so check the size first.
    pub fn seekable(&self) -> bool {
        self.meta.size > 0
            && match self.kind {
                ByteSource::File => !self.pretends_size(),
                ByteSource::Device | ByteSource::Given => true,
                ByteSource::GivenInOrder(_) | ByteSource::Rest(_) | ByteSource::Stream => false,
            }
    }

    /// Returns whether the file's bytes are cached, up to the size at opening. Small files are checked as a whole,
    /// larger ones in three places. Costs a few system calls and reads nothing.
    pub fn cached(&self) -> Cached {
        let is_own = self.meta.is_file() && self.handle.given().is_none();
        let file = self.file().filter(|_| is_own);
        file.map_or(Cached::Unknown, |file| residency::cached(file, self.meta.size))
    }

    /// Returns whether all bytes come from the medium and none from the page cache, if [`Reading::fresh`] asks for that. False if
    /// the system does not tell.
    pub fn is_fresh(&self) -> bool {
        self.handle.is_fresh()
    }

    fn pretends_size(&self) -> bool {
        self.handle.ask(|file| Ok(sys::pretends_sizes(file))).unwrap_or(false)
    }

    /// Reads the next bytes in order. Fills the buffer unless the file ends: fewer bytes mean the end. Holes become
    /// zeros and are not read from the disk.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let plain =
            self.holes.is_none() && self.handle.configured().is_none() && self.handle.given().is_none();
        let offsets = self.kind.has_offsets() && !plain;
        if !offsets {
            return self.read_on(buffer);
        }
        let read = self.read_at(self.position, buffer)?;
        self.position += read as u64;
        Ok(read)
    }

    fn read_on(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let mut filled = 0;
        while filled < buffer.len() && !self.ended {
            let room = buffer.len() - filled;
            match self.handle.read(&mut buffer[filled..]) {
                Ok(read) => {
                    filled += read;
                    self.position += read as u64;
                    self.ended = read == 0 || (read < room && self.is_end(self.position));
                    if self.ended {
                        self.note_end(self.position);
                    }
                }
                Err(source) if source.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Err(self.failed_at(self.position, source)),
            }
        }
        Ok(filled)
    }

    /// Reads the bytes at an offset, from any thread. Fills the buffer unless the file ends. Holes as above.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, Error> {
        let Some(holes) = &self.holes else { return self.read_data(offset, buffer) };
        let mut filled = 0;
        while filled < buffer.len() && offset + (filled as u64) < self.meta.size {
            let at = offset + filled as u64;
            let find = |offset, size| self.handle.ask(move |file| sys::segment(file, offset, size));
            let segment = holes.at(&find, at).map_err(|source| self.failed_at(at, source))?;
            let (Segment::Data { end } | Segment::Hole { end }) = segment;
            let room = usize::try_from(end.min(self.meta.size) - at).unwrap_or(usize::MAX);
            let to = filled.saturating_add(room).min(buffer.len());
            filled += self.read_segment(segment, at, &mut buffer[filled..to])?;
            if filled < to {
                // The file is shorter than it was; `finish` finds the reason.
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
                if let Some(configured) = self.handle.configured() {
                    configured.passed(offset, buffer.len());
                }
                Ok(buffer.len())
            }
        }
    }

    fn read_data(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, Error> {
        let result = match self.handle.configured().and_then(|configured| configured.bad.as_ref()) {
            None => self.fill(offset, buffer),
            Some(bad) => {
                // Nothing can be rescued after the end.
                let left = usize::try_from(self.meta.size.saturating_sub(offset)).unwrap_or(usize::MAX);
                let most = buffer.len().min(left);
                bad.rescue(offset, &mut buffer[..most], &|at, part| self.fill(at, part))
            }
        };
        result.map_err(|(offset, source)| self.failed_at(offset, source))
    }

    /// Fills the buffer unless the file ends.
    fn fill(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, (u64, io::Error)> {
        let mut filled = 0;
        while filled < buffer.len() {
            let room = buffer.len() - filled;
            let at = offset + filled as u64;
            match self.handle.read_at(at, &mut buffer[filled..]) {
                Ok(0) => {
                    self.note_end(at);
                    break;
                }
                Ok(read) => {
                    filled += read;
                    if read < room && self.is_end(at + read as u64) {
                        self.note_end(at + read as u64);
                        break;
                    }
                }
                Err(source) if source.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Err((at, source)),
            }
        }
        Ok(filled)
    }

    /// Notes that a read ended at a position, if that is where the size says.
    fn note_end(&self, position: u64) {
        if self.is_end(position) {
            self.has_ended.store(true, Ordering::Relaxed);
        }
    }

    /// Checks that the file ends at its size, unless a read showed that already: file systems may state a size that is
    /// too small.
    fn check_end(&self, size: u64) -> Result<(), Problem> {
        if self.kind != ByteSource::File || self.has_ended.load(Ordering::Relaxed) {
            return Ok(());
        }
        match self.fill(size, &mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(Problem::Longer { size }),
            // Where the end of the file is bad, what follows it is, too.
            Err(_) if self.handle.configured().is_some_and(|configured| configured.bad.is_some()) => Ok(()),
            Err((offset, source)) => Err(Problem::Read { offset, source }),
        }
    }

    /// Returns whether a short read that ended here reached the end of the file, so that no further read is needed. A
    /// read that filled its buffer proves nothing, since the size may not be true.
    fn is_end(&self, position: u64) -> bool {
        self.expected() == Some(position)
    }

    /// Returns the expected number of bytes, if known.
    fn expected(&self) -> Option<u64> {
        match self.kind {
            ByteSource::File | ByteSource::Device | ByteSource::Given => Some(self.meta.size),
            ByteSource::Rest(size) => Some(size),
            ByteSource::GivenInOrder(size) => size,
            ByteSource::Stream => None,
        }
    }

    /// Returns whether the number of bytes is known before they are read. It may turn out to be wrong.
    pub fn has_size(&self) -> bool {
        self.expected().is_some()
    }

    /// Reserves the resources to read it to the end, whatever else is read, if its content needs any
    /// ([`Bytes::prepare`](crate::Bytes::prepare)).
    pub fn prepare(&self, wait: bool) -> bool {
        self.handle.given().is_none_or(|given| given.prepare(wait))
    }

    /// Returns the unreadable parts of a range that were replaced with zeros so far
    /// ([`BadBlocks::Zero`](crate::BadBlocks::Zero)), in order.
    pub fn bad_blocks(&self, range: Range<u64>) -> Vec<Range<u64>> {
        let bad = self.handle.configured().and_then(|configured| configured.bad.as_ref());
        bad.map(|bad| bad.within(&range)).unwrap_or_default()
    }

    /// Returns the version that was read, for stores that keep versions.
    pub fn version(&self) -> Option<Box<str>> {
        self.handle.given().and_then(|given| given.version())
    }

    /// Checks that `read` bytes are all, and that the file did not change since it was opened.
    pub fn finish(&self, read: u64) -> Result<(), Error> {
        self.check(read).map_err(|problem| Error { path: self.path.clone(), problem })
    }

    fn check(&self, read: u64) -> Result<(), Problem> {
        // For content without a known size, the number of bytes read is the size, if they are of one version.
        let came = self.handle.given().map(|_| read);
        let Some(size) = self.expected().or(came) else { return Ok(()) };
        let kind = self.kind;
        let after = match self.handle.given() {
            Some(given) => given.meta(),
            None => self.handle.ask(move |file| open::look(file, kind)),
        };
        let after = after.map_err(Problem::Stat)?;
        let unchanged = match kind {
            // The times of a device node say nothing about its content.
            ByteSource::Device => after.size == size,
            _ => self.meta.same_content(&after),
        };
        let sized = matches!(kind, ByteSource::Device | ByteSource::Given | ByteSource::GivenInOrder(_));
        if unchanged && read == size && self.meta.is_file() {
            self.check_end(size)
        } else if unchanged && (read == size || (!sized && self.pretends_size())) {
            Ok(())
        } else if unchanged && read > size && kind == ByteSource::File && self.meta.is_file() {
            Err(Problem::Longer { size })
        } else if unchanged && read < size {
            Err(Problem::Short { read: self.end(size).unwrap_or(read), size })
        } else {
            Err(Problem::Changed { before: Box::new(self.meta), after: Box::new(after) })
        }
    }

    /// Returns where reading ends in a file that ends before its size. Threads that read in parallel only know that one
    /// of them reached the end.
    fn end(&self, size: u64) -> Option<u64> {
        if !self.seekable() {
            return None;
        }
        let (mut there, mut beyond) = (0, size);
        while there < beyond {
            let middle = there + (beyond - there) / 2;
            match self.read_at(middle, &mut [0]).ok()? {
                0 => beyond = middle,
                _ => there = middle + 1,
            }
        }
        Some(there).filter(|end| *end < size)
    }

    fn failed_at(&self, offset: u64, source: io::Error) -> Error {
        Error { path: self.path.clone(), problem: Problem::Read { offset, source } }
    }
}
