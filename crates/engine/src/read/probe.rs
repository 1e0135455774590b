//! The first look at an entry: opens it, and reads it at once if it is small.
//!
//! A small file is read in one go, checked, and closed here. So no thread keeps small files open.

use super::mapping::{FileMap, Mapping, ReadMethod, Sharing};
use super::open::{OtherFiles, bad_blocks, open};
use crate::event::Read;
use crate::task::{LargeFile, SmallFile};
use hashmill_source::{Cached, Entry, Error, Io, Origin, Reader, Reading};

/// The result of probing a file.
pub(crate) enum Probed {
    /// A small file that was read.
    Small(SmallFile),
    /// A file that takes more than one read. It is open, unless there are too many open files.
    Large(LargeFile),
    /// A small file that is mapped but not read yet.
    Mapped(MappedFile),
    /// A file that could not be read, by its number.
    Failed(u64, Error),
}

/// A small file that is mapped.
pub(crate) struct MappedFile {
    pub(crate) number: u64,
    pub(crate) path: Box<[u8]>,
    pub(crate) reader: Reader,
    pub(crate) map: FileMap,
}

/// The part of a buffer that small files are read into.
pub(crate) struct Room<'a> {
    pub(crate) bytes: &'a mut [u8],
    /// Its place in the buffer.
    pub(crate) start: usize,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct ProbeOptions<'a> {
    /// Files below this size in bytes are small.
    pub(crate) small: u64,
    /// Also find out whether the file was in memory before.
    pub(crate) check_cache: bool,
    /// The caller has other files open, which it can close if there are too many.
    pub(crate) others: OtherFiles,
    /// Map small files, those on trial in their turn.
    pub(crate) mapping: Option<(&'a Mapping, ReadMethod)>,
}

/// Opens a file. If it is small and leaves the last byte of the room free, it is read into the room. Also returns
/// whether the file was in memory before, if that was asked and the system knows.
pub(crate) fn probe(
    number: u64,
    entry: Entry,
    room: Room<'_>,
    reading: &Reading,
    options: ProbeOptions<'_>,
) -> (Probed, Option<bool>) {
    let reader = match open(&entry, reading, options.others) {
        Ok(Some(reader)) => reader,
        // It is opened again when fewer files are open.
        Ok(None) => return (Probed::Large(LargeFile { number, size: 0, entry, reader: None }), None),
        Err(error) => return (Probed::Failed(number, error), None),
    };
    let size = reader.meta().size;
    let cached = if options.check_cache && size > 0 { is_cached(&reader, reading) } else { None };
    // The free byte shows that the file is no longer than its size says. Operands may be anything.
    let long = size >= options.small.min(room.bytes.len() as u64) || !reader.has_size();
    if long || (entry.origin != Origin::Path && !is_named_file(&entry, &reader)) {
        return (Probed::Large(LargeFile { number, entry, size, reader: Some(reader) }), cached);
    }
    let map = |(mapping, turn): (&Mapping, ReadMethod)| mapping.map_in_turn(&reader, Sharing::Beside, turn);
    if let Some(map) = options.mapping.and_then(map) {
        return (Probed::Mapped(MappedFile { number, path: entry.path, reader, map }), cached);
    }
    // Direct reads need whole pages.
    let wanted = (size as usize + 1).next_multiple_of(reading.alignment()).min(room.bytes.len());
    let room = Room { bytes: &mut room.bytes[..wanted], start: room.start };
    (read(number, entry, reader, room), cached)
}

/// Whether an entry named by the user is a regular, seekable file.
fn is_named_file(entry: &Entry, reader: &Reader) -> bool {
    matches!(entry.origin, Origin::Operand | Origin::Listed) && reader.meta().is_file() && reader.seekable()
}

/// Reads a file that should fit into the room with a byte to spare.
fn read(number: u64, entry: Entry, mut reader: Reader, room: Room<'_>) -> Probed {
    let (start, full) = (room.start, room.bytes.len());
    match reader.read(room.bytes) {
        Ok(read) if read < full => match reader.finish(read as u64) {
            Ok(()) => {
                let bad_blocks = bad_blocks(&reader, 0..u64::MAX);
                Probed::Small(SmallFile {
                    number,
                    path: entry.path,
                    read: Read::from_reader(&reader),
                    range: start..start + read,
                    bad_blocks,
                })
            }
            Err(error) => Probed::Failed(number, error),
        },
        // It has more bytes than its size says: it is on a pseudo file system, or it grows.
        Ok(_) => Probed::Large(LargeFile { number, entry, size: reader.meta().size, reader: None }),
        Err(error) => Probed::Failed(number, error),
    }
}

/// Whether the file's bytes are in memory, if the system knows.
pub(crate) fn is_cached(reader: &Reader, reading: &Reading) -> Option<bool> {
    if reading.io == Io::Direct {
        return Some(false);
    }
    match reader.cached() {
        Cached::Yes => Some(true),
        Cached::Partly | Cached::No => Some(false),
        Cached::Unknown => None,
    }
}
