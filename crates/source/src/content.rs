//! Bytes other than those of a file: the medium in a disk image, or a file inside another one. Whoever makes entries can
//! give them such bytes; this crate only reads them.

use crate::Meta;
use std::fmt::Debug;
use std::fs::File;
use std::io;

/// What is read for an entry, if that is not the file at its path.
pub trait Content: Debug + Send + Sync {
    /// Opens it. An entry may be opened more than once.
    ///
    /// # Errors
    /// If it can't be opened; the path is added to the message.
    fn open(&self) -> io::Result<Box<dyn Bytes>>;

    /// Where it is, in words that whoever made it understands, if that is not the entry's path: the location of an object.
    fn place(&self) -> Option<Box<[u8]>> {
        None
    }

    /// Returns what is known of it before it is opened, if that tells it from whatever else may have lain in its place before.
    fn known(&self) -> Option<Meta> {
        None
    }

    /// Whether it is far away and asked for ahead, in the order of the walk: then it is best read in that order, and each of
    /// its bytes by one thread after the other.
    fn is_remote(&self) -> bool {
        false
    }
}

/// Bytes that many threads can read at once, at any offset, unless [`Bytes::is_in_order`].
pub trait Bytes: Debug + Send + Sync {
    /// The file that holds them, or the first of them. Where no file of this machine does: any file; nothing is read there.
    ///
    /// # Errors
    /// If it can't be opened.
    fn file(&self) -> io::Result<File>;

    /// How many bytes there are, and the newest times of all files that hold them. It is asked for before the first read
    /// and after the last, to see whether these files changed.
    ///
    /// # Errors
    /// If the files can't be asked.
    fn meta(&self) -> io::Result<Meta>;

    /// Reads at an offset. Fewer bytes than asked for don't mean the end; no bytes do.
    ///
    /// # Errors
    /// If not all of these bytes are there and whole.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// Sets aside what it takes to be read to the end whatever else is read, and asks for the first bytes. False if others have
    /// that now; with `wait` it waits for them.
    fn prepare(&self, _wait: bool) -> bool {
        true
    }

    /// Whether they can only be read in order, from the first on.
    fn is_in_order(&self) -> bool {
        false
    }

    /// Whether their number is known before they are read. If not, the metadata have the size 0.
    fn has_size(&self) -> bool {
        true
    }

    /// Which version they are of, where what holds them keeps versions. It is asked for after the last read.
    fn version(&self) -> Option<Box<str>> {
        None
    }
}
