//! Opening: from an entry to a descriptor, its metadata, and the kind of source.

use super::settle::{KernelClock, Settled, settle};
use crate::deadline::with_limit;
use crate::opening::Want;
use crate::{Bytes, Entry, Meta, OperandDirectory, Origin, Problem, Reading, sys};
use hashmill_os::error::{Meaning, make, would_wait};
use hashmill_os::{FIFO_WAIT, Links, device_size, without_writer};
use std::fs::File;
use std::io;

/// The kind of source that the bytes come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ByteSource {
    File,
    /// A block device: its metadata contain its true size.
    Device,
    /// Standard input that is a regular file with this many bytes left.
    Rest(u64),
    /// The entry's own content.
    Given,
    /// The entry's own content, readable only in order; with its size, if known.
    GivenInOrder(Option<u64>),
    /// A pipe, a terminal or a character device, without a size or metadata to compare.
    Stream,
}

pub(super) struct Opened {
    pub(super) bytes: OpenBytes,
    pub(super) meta: Meta,
    pub(super) kind: ByteSource,
}

/// The open bytes of an entry.
pub(super) enum OpenBytes {
    File(File),
    /// The entry's own content, and the file that holds it, if there is one.
    Given(Option<File>, Box<dyn Bytes>),
}

impl ByteSource {
    pub(super) fn has_offsets(self) -> bool {
        matches!(
            self,
            ByteSource::File | ByteSource::Device | ByteSource::Given | ByteSource::GivenInOrder(_)
        )
    }

    /// Returns the kind of an entry's own content.
    fn of_given(given: &dyn Bytes, meta: &Meta) -> ByteSource {
        let size = given.has_size().then_some(meta.size);
        if given.is_in_order() { ByteSource::GivenInOrder(size) } else { ByteSource::Given }
    }
}

/// Opens the entry and reads its metadata, within the time limit.
pub(super) fn open(entry: &Entry, reading: &Reading) -> Result<Opened, Problem> {
    if let Some(content) = &entry.content {
        let given = content.open().map_err(Problem::Open)?;
        let (file, meta) = (given.file().map_err(Problem::Open)?, given.meta().map_err(Problem::Stat)?);
        let kind = ByteSource::of_given(&*given, &meta);
        return Ok(Opened { bytes: OpenBytes::Given(file, given), meta, kind });
    }
    let hydrate = reading.hydrate;
    let Some(limit) = reading.timeout else {
        if is_fifo(entry) {
            let path = entry.path.clone();
            let opened = with_limit(FIFO_WAIT, move || open_now(&path, Origin::Operand, None, hydrate));
            return opened.map_err(|why| {
                Problem::Open(if why.kind() == io::ErrorKind::TimedOut { without_writer() } else { why })
            })?;
        }
        return open_now(&entry.path, entry.origin, entry.operand.as_deref(), hydrate);
    };
    let (path, origin, operand) = (entry.path.clone(), entry.origin, entry.operand.clone());
    with_limit(limit, move || open_now(&path, origin, operand.as_deref(), hydrate)).map_err(Problem::Open)?
}

/// Returns whether an entry is a FIFO that was named: one that a shell's pattern matched may never have a writer.
fn is_fifo(entry: &Entry) -> bool {
    let is_fifo = || sys::stat(&entry.path, Links::Follow).is_ok_and(|meta| meta.is_fifo());
    entry.origin == Origin::Operand && entry.size.is_none() && is_fifo()
}

fn open_now(
    path: &[u8],
    origin: Origin,
    operand: Option<&OperandDirectory>,
    hydrate: bool,
) -> Result<Opened, Problem> {
    let file = match (origin, operand) {
        (Origin::Stdin, _) => sys::stdin().map_err(Problem::Open),
        (Origin::Operand, _) => sys::open(path, Want::Read, Links::Follow).map_err(Problem::Open),
        (Origin::Path | Origin::Listed, Some(operand)) => {
            let opened = open_without_waiting(
                |want| operand.open_with(path, want),
                || operand.meta(path).map(|meta| meta.is_file()),
            );
            opened.map_err(|source| Problem::of_walked(source, Problem::Open))
        }
        (Origin::Path | Origin::Listed, None) => {
            if origin == Origin::Listed {
                check_kind(path)?;
            }
            let opened = open_without_waiting(
                |want| sys::open(path, want, Links::Follow),
                || sys::stat(path, Links::Follow).map(|meta| meta.is_file()),
            );
            opened.map_err(Problem::Open)
        }
    };
    let file = file?;
    let mut meta = sys::stat_open(&file).map_err(Problem::Stat)?;
    if meta.is_elsewhere() && !hydrate {
        return Err(Problem::Elsewhere);
    }
    if meta.is_file() {
        meta = settled(&file, meta)?;
    }
    let kind = kind(origin, &file, &mut meta)?;
    Ok(Opened { bytes: OpenBytes::File(file), meta, kind })
}

/// Waits until the file is unchanged for a tick, so that later metadata can be compared, and returns its metadata.
fn settled(file: &File, first: Meta) -> Result<Meta, Problem> {
    let is_pseudo = || sys::pretends_sizes(file);
    match settle(first, &KernelClock, is_pseudo, || sys::stat_open(file)).map_err(Problem::Stat)? {
        Settled::Still(meta) => Ok(meta),
        Settled::Restless(last) => Err(Problem::Changed { before: Box::new(first), after: Box::new(last) }),
    }
}

/// Opens a path that was a regular file or a device when it was listed. It may be a FIFO now, so opening must not wait
/// for a writer.
fn open_without_waiting(
    open: impl Fn(Want) -> io::Result<File>,
    is_file: impl FnOnce() -> io::Result<bool>,
) -> io::Result<File> {
    match open(Want::ReadNow) {
        // Another process has a lease on it. For a file, waiting is right.
        Err(error) if would_wait(&error) => match is_file()? {
            true => open(Want::Read),
            false => Err(error),
        },
        result => result,
    }
}

/// Checks that a path which a list names is not that of a FIFO or a character device: to open one may change it, as a tape
/// or a watchdog, or wake up another process.
fn check_kind(path: &[u8]) -> Result<(), Problem> {
    match sys::stat(path, Links::Follow) {
        // Why it can't be looked up is the reason why it can't be opened.
        Err(_) => Ok(()),
        Ok(meta) if meta.is_file() || meta.is_directory() || meta.is_block_device() => Ok(()),
        Ok(meta) => Err(Problem::Unfit { mode: meta.mode }),
    }
}

/// Returns the kind of an open file. Fills in the size of a device, which its metadata lack.
fn kind(origin: Origin, file: &File, meta: &mut Meta) -> Result<ByteSource, Problem> {
    match origin {
        Origin::Stdin if meta.is_file() => {
            let start = sys::position(file).map_err(Problem::Stat)?;
            Ok(ByteSource::Rest(meta.size.saturating_sub(start)))
        }
        _ if meta.is_directory() => Err(Problem::Open(make(Meaning::Folder))),
        _ if meta.is_file() => Ok(ByteSource::File),
        Origin::Operand | Origin::Listed if meta.is_block_device() => {
            meta.size = device_size(file).map_err(Problem::Stat)?;
            Ok(ByteSource::Device)
        }
        Origin::Path => Err(Problem::Replaced { mode: meta.mode }),
        Origin::Listed => Err(Problem::Unfit { mode: meta.mode }),
        Origin::Operand | Origin::Stdin => Ok(ByteSource::Stream),
    }
}

/// Returns the current metadata of an open file, with the size of a device.
pub(super) fn look(file: &File, kind: ByteSource) -> io::Result<Meta> {
    let mut meta = sys::stat_open(file)?;
    if kind == ByteSource::Device {
        meta.size = device_size(file)?;
    }
    Ok(meta)
}
