//! Members whose bytes are in memory, or in a copy, and can be read at any position.

use super::archive_file::ArchiveFile;
use super::budget::Loan;
use super::items::Own;
use super::spooled::{Spooled, copy_at};
use crate::inside::site::known;
use hashmill_source::{Bytes, Entry, EntryContent, Error, Meta, Problem, WalkItem};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A short member, which was decoded.
#[derive(Debug, Clone)]
pub(super) struct MemberInMemory(Arc<HeldMember>);

#[derive(Debug)]
struct HeldMember {
    archive: Arc<ArchiveFile>,
    bytes: Arc<Vec<u8>>,
    own: Own,
    /// Whether the decoder may wait until it is read.
    is_last: AtomicBool,
    _loan: Loan,
}

impl MemberInMemory {
    /// Creates the content of a member.
    pub(super) fn new(
        archive: Arc<ArchiveFile>,
        bytes: Arc<Vec<u8>>,
        own: Own,
        loan: Loan,
    ) -> MemberInMemory {
        MemberInMemory(Arc::new(HeldMember {
            archive,
            bytes,
            own,
            is_last: AtomicBool::new(false),
            _loan: loan,
        }))
    }

    /// Says that the decoder may wait until it is read.
    pub(super) fn ends_portion(&self) {
        self.0.is_last.store(true, Ordering::Relaxed);
    }
}

impl EntryContent for MemberInMemory {
    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        Ok(Box::new(self.clone()))
    }

    fn known(&self) -> Option<Meta> {
        known(self)
    }

    fn holds_walk(&self) -> bool {
        self.0.is_last.load(Ordering::Relaxed)
    }
}

impl Bytes for MemberInMemory {
    fn meta(&self) -> io::Result<Meta> {
        self.0.own.meta(&self.0.archive, self.0.bytes.len() as u64)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(copy_at(&self.0.bytes, offset, buffer))
    }
}

/// Opens what is inside of something; a member that can only be read in order is copied, and the copy takes its place.
///
/// # Errors
/// The item of an entry that can't be looked into.
pub(crate) fn seekable(entry: Entry) -> Result<(Entry, Box<dyn Bytes>), WalkItem> {
    // One that can't be read fails by itself.
    let Some(bytes) = entry.content.as_ref().and_then(|content| content.open().ok()) else {
        return Err(WalkItem::File(entry));
    };
    if !bytes.is_in_order() && bytes.has_size() {
        return Ok((entry, bytes));
    }
    let copied = copy(&entry, &*bytes)?;
    let content = Some(Arc::new(copied.clone()) as Arc<dyn EntryContent>);
    Ok((Entry { size: Some(copied.spooled.size()), content, ..entry }, Box::new(copied)))
}

fn copy(entry: &Entry, bytes: &dyn Bytes) -> Result<Copied, WalkItem> {
    let failed = |problem| WalkItem::Failed(Error { path: entry.path.clone(), problem });
    let before = bytes.meta().map_err(|error| failed(Problem::Stat(error)))?;
    let spooled = Spooled::copy(|at, buffer| bytes.read_at(at, buffer))
        .map_err(|(offset, source)| failed(Problem::Read { offset, source }))?;
    let after = bytes.meta().map_err(|error| failed(Problem::Stat(error)))?;
    if before != after {
        return Err(failed(Problem::Changed { before: Box::new(before), after: Box::new(after) }));
    }
    Ok(Copied { spooled, meta: before })
}

/// A member that was copied to be looked into.
#[derive(Debug, Clone)]
pub(super) struct Copied {
    pub(super) spooled: Spooled,
    pub(super) meta: Meta,
}

impl EntryContent for Copied {
    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        Ok(Box::new(self.clone()))
    }

    fn known(&self) -> Option<Meta> {
        known(self)
    }
}

impl Bytes for Copied {
    fn meta(&self) -> io::Result<Meta> {
        Ok(Meta { size: self.spooled.size(), ..self.meta })
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.spooled.read_at(offset, buffer)
    }
}
