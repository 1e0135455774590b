//! The first look at an entry: opens it, and reads it at once if it is small.
//!
//! A small file is done with here, as far as the disk is concerned: it is read in one go, checked, and
//! closed. So neither a worker nor a reader keeps descriptors of small files open.

use crate::queue::Large;
use hashloom_source::{Cached, Entry, Error, Meta, Origin, Reader};
use std::ops::Range;

/// Bytes of a cache line: kernels load rows that start with one fastest.
pub(crate) const LINE: usize = 64;

/// A small file whose bytes were all read and that held still meanwhile.
#[derive(Debug)]
pub(crate) struct Small {
    pub(crate) number: u64,
    pub(crate) path: Box<[u8]>,
    pub(crate) meta: Meta,
    /// Where its bytes are in the buffer that they were read into.
    pub(crate) range: Range<usize>,
}

/// What a file turned out to be.
pub(crate) enum Probed {
    /// Small: it was read.
    Small(Small),
    /// It takes more than one read; open.
    Large(Large),
    /// It could not be read; with its number.
    Failed(u64, Error),
}

/// Opens a file, and reads it into `room` if it is shorter than `small` bytes and leaves the last byte of
/// its room free. `start` is where the room starts in the buffer. With `look` it also tells whether the
/// file was in memory before, if that can be found out.
pub(crate) fn probe(
    number: u64,
    entry: Entry,
    room: &mut [u8],
    start: usize,
    small: u64,
    look: bool,
) -> (Probed, Option<bool>) {
    let reader = match Reader::open(&entry) {
        Ok(reader) => reader,
        Err(error) => return (Probed::Failed(number, error), None),
    };
    let size = reader.meta().size;
    let cached = if look && size > 0 { is_cached(&reader) } else { None };
    // A file that is as long as it says leaves the last byte of its room free.
    if entry.origin != Origin::Path || size >= small.min(room.len() as u64) {
        return (Probed::Large(Large { number, entry, size, reader: Some(reader) }), cached);
    }
    let room = &mut room[..=size as usize];
    (read(number, entry, reader, room, start), cached)
}

fn read(number: u64, entry: Entry, mut reader: Reader, room: &mut [u8], start: usize) -> Probed {
    let (meta, full) = (*reader.meta(), room.len());
    match reader.read(room) {
        Ok(read) if read < full => match reader.finish(read as u64) {
            Ok(()) => Probed::Small(Small { number, path: entry.path, meta, range: start..start + read }),
            Err(error) => Probed::Failed(number, error),
        },
        // More bytes than its size says: a file of a pseudo file system, or one that grows.
        Ok(_) => Probed::Large(Large { number, entry, size: meta.size, reader: None }),
        Err(error) => Probed::Failed(number, error),
    }
}

/// Whether a file is in memory, as far as can be told.
pub(crate) fn is_cached(reader: &Reader) -> Option<bool> {
    match reader.cached() {
        Cached::Yes => Some(true),
        Cached::Partly | Cached::No => Some(false),
        Cached::Unknown => None,
    }
}
