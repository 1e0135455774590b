//! The first look at an entry: opens it, and reads it at once if it is small.
//!
//! A small file is read in one go, checked, and closed here. So neither a worker nor a reader keeps small files open.

use super::mapping::{Company, FileMap, Mapping, Way};
use super::open::{bad_blocks, open};
use crate::event::Read;
use crate::task::{LargeFile, SmallFile};
use hashloom_source::{Cached, Entry, Error, Io, Origin, Reader, Reading};

/// What a file turned out to be.
pub(crate) enum Probed {
    /// It is small and was read.
    Small(SmallFile),
    /// It takes more than one read. It is open, unless too many files are.
    Large(LargeFile),
    /// It is small and mapped: nothing of it was read yet.
    Mapped(MappedFile),
    /// It could not be read. With its number.
    Failed(u64, Error),
}

/// A small file that is mapped.
pub(crate) struct MappedFile {
    pub(crate) number: u64,
    pub(crate) path: Box<[u8]>,
    pub(crate) reader: Reader,
    pub(crate) map: FileMap,
}

/// How a file is looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProbeOptions<'a> {
    /// A file is small below this size, in bytes.
    pub(crate) small: u64,
    /// Also find out whether it was in memory before.
    pub(crate) check_cache: bool,
    /// The caller has other files open, which it can close first if there are too many.
    pub(crate) has_open: bool,
    /// Small files may be mapped, those on trial in their turn.
    pub(crate) mapping: Option<(&'a Mapping, Way)>,
}

/// Opens a file. If it is small and leaves the last byte of the room free, it is read into the room, which starts at
/// byte `start` of its buffer. Also tells whether the file was in memory before, if that was to be found out and the
/// system tells.
pub(crate) fn probe(
    number: u64,
    entry: Entry,
    (room, start): (&mut [u8], usize),
    reading: &Reading,
    options: ProbeOptions<'_>,
) -> (Probed, Option<bool>) {
    let reader = match open(&entry, reading, options.has_open) {
        Ok(Some(reader)) => reader,
        // Its turn comes when fewer files are open.
        Ok(None) => return (Probed::Large(LargeFile { number, size: 0, entry, reader: None }), None),
        Err(error) => return (Probed::Failed(number, error), None),
    };
    let size = reader.meta().size;
    let cached = if options.check_cache && size > 0 { is_cached(&reader, reading) } else { None };
    // The free byte shows that the file is no longer than its size says. What the user named may be anything.
    let long = size >= options.small.min(room.len() as u64) || !reader.has_size();
    if long || (entry.origin != Origin::Path && !is_named_file(&entry, &reader)) {
        return (Probed::Large(LargeFile { number, entry, size, reader: Some(reader) }), cached);
    }
    let map = |(mapping, turn): (&Mapping, Way)| mapping.map_in_turn(&reader, Company::Beside, turn);
    if let Some(map) = options.mapping.and_then(map) {
        return (Probed::Mapped(MappedFile { number, path: entry.path, reader, map }), cached);
    }
    // Direct reads want whole pages.
    let wanted = (size as usize + 1).next_multiple_of(reading.alignment()).min(room.len());
    (read(number, entry, reader, &mut room[..wanted], start), cached)
}

/// Whether it is a file like those in a tree, though the user named it.
fn is_named_file(entry: &Entry, reader: &Reader) -> bool {
    matches!(entry.origin, Origin::Operand | Origin::Listed) && reader.meta().is_file() && reader.seekable()
}

fn read(number: u64, entry: Entry, mut reader: Reader, room: &mut [u8], start: usize) -> Probed {
    let full = room.len();
    match reader.read(room) {
        Ok(read) if read < full => match reader.finish(read as u64) {
            Ok(()) => {
                let bad_blocks = bad_blocks(&reader, 0..u64::MAX);
                Probed::Small(SmallFile {
                    number,
                    path: entry.path,
                    read: Read::of(&reader),
                    range: start..start + read,
                    bad_blocks,
                })
            }
            Err(error) => Probed::Failed(number, error),
        },
        // It has more bytes than its size says: a pseudo file system has it, or it grows.
        Ok(_) => Probed::Large(LargeFile { number, entry, size: reader.meta().size, reader: None }),
        Err(error) => Probed::Failed(number, error),
    }
}

/// Whether a read of the file finds its bytes in memory, if the system tells.
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
