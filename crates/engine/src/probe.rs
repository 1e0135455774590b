//! The first look at an entry: opens it, and reads it at once if it is small.
//!
//! A small file is done with here, as far as the disk is concerned: it is read in one go, checked, and
//! closed. So neither a worker nor a reader keeps descriptors of small files open.

use crate::opening::{bad_blocks, open};
use crate::queue::Large;
use hashloom_manifest::Piece;
use hashloom_source::{Cached, Entry, Error, Io, Meta, Origin, Reader, Reading};
use std::ops::Range;

/// A small file whose bytes were all read and that held still meanwhile.
#[derive(Debug)]
pub(crate) struct Small {
    pub(crate) number: u64,
    pub(crate) path: Box<[u8]>,
    pub(crate) meta: Meta,
    /// Where its bytes are in the buffer that they were read into.
    pub(crate) range: Range<usize>,
    /// What of it is zeros because it could not be read.
    pub(crate) bad_blocks: Box<[Piece]>,
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

/// How a file is looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Looking {
    /// A file is small below this size, in bytes.
    pub(crate) small: u64,
    /// Also find out whether it was in memory before.
    pub(crate) look: bool,
    /// The caller has other files open, which it can close first if there are too many.
    pub(crate) holds: bool,
}

/// Opens a file, and reads it into the room (which starts so many bytes into its buffer) if it is small and
/// leaves the last byte of the room free. Also tells whether the file was in memory before, if that was to
/// be found out and can be.
pub(crate) fn probe(
    number: u64,
    entry: Entry,
    (room, start): (&mut [u8], usize),
    reading: &Reading,
    looking: Looking,
) -> (Probed, Option<bool>) {
    let reader = match open(&entry, reading, looking.holds) {
        Ok(Some(reader)) => reader,
        // Its turn comes when less is open.
        Ok(None) => return (Probed::Large(Large { number, size: 0, entry, reader: None }), None),
        Err(error) => return (Probed::Failed(number, error), None),
    };
    let size = reader.meta().size;
    let cached = if looking.look && size > 0 { is_cached(&reader, reading) } else { None };
    // A file that is as long as it says leaves the last byte of its room free. What was named may be anything.
    let long = size >= looking.small.min(room.len() as u64);
    if long || (entry.origin != Origin::Path && !is_named_file(&entry, &reader)) {
        return (Probed::Large(Large { number, entry, size, reader: Some(reader) }), cached);
    }
    // Direct reads want whole pages.
    let wanted = (size as usize + 1).next_multiple_of(reading.alignment()).min(room.len());
    (read(number, entry, reader, &mut room[..wanted], start), cached)
}

/// Whether it is a file like those in a tree, though it was named.
fn is_named_file(entry: &Entry, reader: &Reader) -> bool {
    matches!(entry.origin, Origin::Operand | Origin::Listed) && reader.meta().is_file() && reader.seekable()
}

fn read(number: u64, entry: Entry, mut reader: Reader, room: &mut [u8], start: usize) -> Probed {
    let (meta, full) = (*reader.meta(), room.len());
    match reader.read(room) {
        Ok(read) if read < full => match reader.finish(read as u64) {
            Ok(()) => {
                let bad_blocks = bad_blocks(&reader, 0..u64::MAX);
                Probed::Small(Small {
                    number,
                    path: entry.path,
                    meta,
                    range: start..start + read,
                    bad_blocks,
                })
            }
            Err(error) => Probed::Failed(number, error),
        },
        // More bytes than its size says: a file of a pseudo file system, or one that grows.
        Ok(_) => Probed::Large(Large { number, entry, size: meta.size, reader: None }),
        Err(error) => Probed::Failed(number, error),
    }
}

/// Whether reading a file finds it in memory, as far as can be told.
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
