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
}

/// A known number of bytes that many threads can read at once, at any offset.
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

    /// Which version they are of, where what holds them keeps versions. It is asked for after the last read.
    fn version(&self) -> Option<Box<str>> {
        None
    }
}
