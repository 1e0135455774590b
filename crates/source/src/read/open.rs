//! Opening: from an entry to a descriptor, its metadata, and what kind of source it is.

use crate::deadline::with_limit;
use crate::{Bytes, Entry, Meta, Origin, Problem, sys};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

/// What kind of source the bytes come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A regular file.
    File,
    /// A block device: its metadata has its true size.
    Device,
    /// Standard input that is a regular file with this many bytes to come.
    Rest(u64),
    /// The entry's own content.
    Given,
    /// A pipe, a terminal, a character device: there is no size, and nothing to compare.
    Stream,
}

/// An entry, opened.
pub(super) struct Opened {
    pub(super) file: File,
    pub(super) meta: Meta,
    pub(super) kind: Kind,
    /// What is read instead of the file.
    pub(super) given: Option<Box<dyn Bytes>>,
}

impl Kind {
    /// Whether any byte can be read at any time.
    pub(super) fn has_offsets(self) -> bool {
        matches!(self, Kind::File | Kind::Device | Kind::Given)
    }
}

/// Opens the entry and looks at it, within the time limit.
pub(super) fn open(entry: &Entry, limit: Option<Duration>) -> Result<Opened, Problem> {
    if let Some(content) = &entry.content {
        let given = content.open().map_err(Problem::Open)?;
        let (file, meta) = (given.file().map_err(Problem::Open)?, given.meta().map_err(Problem::Stat)?);
        return Ok(Opened { file, meta, kind: Kind::Given, given: Some(given) });
    }
    let Some(limit) = limit else { return open_now(&entry.path, entry.origin) };
    let (path, origin) = (entry.path.clone(), entry.origin);
    with_limit(limit, move || open_now(&path, origin)).map_err(Problem::Open)?
}

fn open_now(path: &[u8], origin: Origin) -> Result<Opened, Problem> {
    let file = match origin {
        Origin::Stdin => io::stdin().as_fd().try_clone_to_owned(),
        Origin::Operand => sys::open_quietly(path, 0),
        Origin::Path | Origin::Listed => open_walked(path),
    };
    let file = File::from(file.map_err(Problem::Open)?);
    let mut meta = sys::stat_open(file.as_fd()).map_err(Problem::Stat)?;
    let kind = kind(origin, &file, &mut meta)?;
    Ok(Opened { file, meta, kind, given: None })
}

/// Opens what was a regular file, or a device, when it was listed. It may be a FIFO by now, so opening must not wait for a
/// writer.
fn open_walked(path: &[u8]) -> io::Result<OwnedFd> {
    match sys::open_quietly(path, libc::O_NONBLOCK) {
        // Another process has a lease on it. If it is a file, waiting is right.
        Err(error) if error.raw_os_error() == Some(libc::EAGAIN) => {
            match sys::stat(path, sys::Links::Follow)?.is_file() {
                true => sys::open_quietly(path, 0),
                false => Err(error),
            }
        }
        result => result,
    }
}

/// The kind of what was opened. Fills in the size of a device, which its metadata don't have.
fn kind(origin: Origin, file: &File, meta: &mut Meta) -> Result<Kind, Problem> {
    match origin {
        Origin::Stdin if meta.is_file() => {
            let start = sys::seek(file, 0, libc::SEEK_CUR).map_err(Problem::Stat)?;
            Ok(Kind::Rest(meta.size.saturating_sub(start)))
        }
        _ if meta.is_directory() => Err(Problem::Open(io::Error::from_raw_os_error(libc::EISDIR))),
        _ if meta.is_file() => Ok(Kind::File),
        Origin::Operand | Origin::Listed if meta.is_block_device() => {
            meta.size = sys::device_size(file.as_fd()).map_err(Problem::Stat)?;
            Ok(Kind::Device)
        }
        Origin::Path => Err(Problem::Replaced { mode: meta.mode }),
        Origin::Listed => Err(Problem::Unfit { mode: meta.mode }),
        Origin::Operand | Origin::Stdin => Ok(Kind::Stream),
    }
}

/// The metadata of what is open now, with the size of a device.
pub(super) fn look(file: &File, kind: Kind) -> io::Result<Meta> {
    let mut meta = sys::stat_open(file.as_fd())?;
    if kind == Kind::Device {
        meta.size = sys::device_size(file.as_fd())?;
    }
    Ok(meta)
}
