//! Bytes that come in order, and are not looked into beforehand: objects of stores, and long members of archives. While they
//! are hashed, their start and end are kept, so that an archive that no name told is told afterwards.

use super::spooled::copy_at;
use crate::unread::{NotLookedInto, WhyUnread};
use hashmill_archive::{Medium, StreamFormat, is_known};
use hashmill_source::{Bytes, EntryContent, Meta};
use parking_lot::Mutex;
use std::fs::File;
use std::io;
use std::sync::Arc;

/// The bytes that are kept of the end, in which a zip may end.
const END: usize = 256 << 10;

/// Content that is watched while it is read.
#[derive(Debug)]
pub(super) struct Watched {
    content: Arc<dyn EntryContent>,
    path: Box<[u8]>,
    unread: NotLookedInto,
}

impl Watched {
    /// Creates content that tells what it was found to be.
    pub(super) fn new(content: Arc<dyn EntryContent>, path: Box<[u8]>, unread: NotLookedInto) -> Watched {
        Watched { content, path, unread }
    }
}

impl EntryContent for Watched {
    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        let seen = Mutex::new(Seen::default());
        let (path, unread) = (self.path.clone(), self.unread.clone());
        Ok(Box::new(Watching { bytes: self.content.open()?, path, unread, seen }))
    }

    fn place(&self) -> Option<Box<[u8]>> {
        self.content.place()
    }

    fn behind(&self) -> Option<&dyn EntryContent> {
        Some(self.content.behind().unwrap_or(&*self.content))
    }

    fn known(&self) -> Option<Meta> {
        self.content.known()
    }

    fn start_at(&self, offset: u64) {
        self.content.start_at(offset);
    }

    fn is_remote(&self) -> bool {
        self.content.is_remote()
    }

    fn is_in_order(&self) -> bool {
        self.content.is_in_order()
    }

    fn holds_walk(&self) -> bool {
        self.content.holds_walk()
    }

    fn waits(&self) -> bool {
        self.content.waits()
    }
}

/// Bytes that are watched.
#[derive(Debug)]
struct Watching {
    bytes: Box<dyn Bytes>,
    path: Box<[u8]>,
    unread: NotLookedInto,
    seen: Mutex<Seen>,
}

/// The start and the end of what was read.
#[derive(Debug, Default)]
struct Seen {
    first: Vec<u8>,
    last: Vec<u8>,
    /// The number of bytes, as far as they were read.
    size: u64,
}

impl Seen {
    /// Adds bytes that follow those before.
    fn add(&mut self, offset: u64, bytes: &[u8]) {
        if offset != self.size {
            return;
        }
        self.size += bytes.len() as u64;
        let lacking = StreamFormat::FIRST.saturating_sub(self.first.len());
        self.first.extend_from_slice(&bytes[..lacking.min(bytes.len())]);
        let kept = &bytes[bytes.len().saturating_sub(END)..];
        // Moving what is kept for each read would cost more than keeping twice as much.
        if self.last.len() + kept.len() > 2 * END {
            self.last.drain(..self.last.len().saturating_sub(END - END.min(kept.len())));
        }
        self.last.extend_from_slice(kept);
    }

    /// Returns whether they are an archive, as far as their start and end tell.
    fn is_archive(&self) -> bool {
        !self.first.is_empty() && is_known(self, &self.first)
    }
}

impl Medium for Seen {
    fn size(&self) -> u64 {
        self.size
    }

    /// Reads what was kept; all else fails.
    fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<()> {
        let kept_from = self.size - self.last.len() as u64;
        let read = match position.checked_sub(kept_from) {
            Some(at) => copy_at(&self.last, at, buffer),
            None => copy_at(&self.first, position, buffer),
        };
        if read == buffer.len() { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        if self.seen.get_mut().is_archive() {
            self.unread.add(&self.path, WhyUnread::Unnamed);
        }
    }
}

impl Bytes for Watching {
    fn file(&self) -> io::Result<Option<File>> {
        self.bytes.file()
    }

    fn meta(&self) -> io::Result<Meta> {
        self.bytes.meta()
    }

    fn peek(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.bytes.peek(buffer)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read_at(offset, buffer)?;
        self.seen.lock().add(offset, &buffer[..read]);
        Ok(read)
    }

    fn prepare(&self, wait: bool) -> bool {
        self.bytes.prepare(wait)
    }

    fn is_in_order(&self) -> bool {
        self.bytes.is_in_order()
    }

    fn has_size(&self) -> bool {
        self.bytes.has_size()
    }

    fn version(&self) -> Option<Box<str>> {
        self.bytes.version()
    }
}
