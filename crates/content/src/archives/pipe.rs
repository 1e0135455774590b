//! A long member, handed on while it is decoded.

use super::archive_file::ArchiveFile;
use super::items::Own;
use super::spooled::copy_at;
use crate::inside::site::known;
use hashmill_source::{Bytes, EntryContent, Meta};
use parking_lot::Mutex;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// The parts that may wait to be hashed.
const PARTS: usize = 8;

/// The bytes of a part.
pub(super) const PART: usize = 256 << 10;

/// A part of a member, none at its end, or the reason why there is no more.
pub(super) type Part = io::Result<Vec<u8>>;

/// The end of a pipe that gets the parts.
#[derive(Debug, Clone)]
pub(super) struct Piped(Arc<PipedMember>);

#[derive(Debug)]
struct PipedMember {
    archive: Arc<ArchiveFile>,
    size: Option<u64>,
    own: Own,
    state: Mutex<PipeState>,
}

#[derive(Debug)]
struct PipeState {
    receiver: Receiver<Part>,
    /// The part that is being read, and how much of it was.
    part: Vec<u8>,
    read: usize,
    /// The bytes before that part, with those of it that were read.
    at: u64,
    is_over: bool,
    /// The failure that was met by looking ahead.
    failure: Option<io::Error>,
}

/// Creates the content of a member, and the sender of its parts. The last part is empty.
pub(super) fn pipe(archive: Arc<ArchiveFile>, size: Option<u64>, own: Own) -> (SyncSender<Part>, Piped) {
    let (sender, receiver) = sync_channel(PARTS);
    let state = PipeState { receiver, part: Vec::new(), read: 0, at: 0, is_over: false, failure: None };
    (sender, Piped(Arc::new(PipedMember { archive, size, own, state: Mutex::new(state) })))
}

impl EntryContent for Piped {
    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        match self.0.state.lock().at {
            0 => Ok(Box::new(self.clone())),
            _ => Err(io::Error::other("a member of this archive can be read only once")),
        }
    }

    fn known(&self) -> Option<Meta> {
        known(self)
    }

    fn holds_walk(&self) -> bool {
        true
    }
}

impl Bytes for Piped {
    fn meta(&self) -> io::Result<Meta> {
        self.0.own.meta(&self.0.archive, self.0.size.unwrap_or(0))
    }

    fn has_size(&self) -> bool {
        self.0.size.is_some()
    }

    fn is_in_order(&self) -> bool {
        true
    }

    fn peek(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.0.state.lock();
        if state.part.is_empty()
            && let Err(failure) = state.next()
        {
            state.failure = Some(failure);
        }
        Ok(copy_at(&state.part, 0, buffer))
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.0.state.lock();
        if offset != state.at {
            return Err(io::Error::other("a member of this archive can be read only in order"));
        }
        if state.read == state.part.len() {
            state.next()?;
        }
        let length = buffer.len().min(state.part.len() - state.read);
        let from = state.read;
        buffer[..length].copy_from_slice(&state.part[from..from + length]);
        state.read += length;
        state.at += length as u64;
        if state.read == state.part.len() && Some(state.at) == self.0.size {
            // Whoever knows the size may not ask for more: the checksum counts before the last bytes do.
            state.next()?;
        }
        Ok(length)
    }
}

impl PipeState {
    /// Waits for the next part.
    fn next(&mut self) -> io::Result<()> {
        self.read = 0;
        self.part.clear();
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        if !self.is_over {
            let gone = || Err(io::Error::other("the archive is no longer read"));
            self.part = self.receiver.recv().unwrap_or_else(|_| gone())?;
            self.is_over = self.part.is_empty();
        }
        Ok(())
    }
}
