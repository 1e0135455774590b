//! Bytes that are not those of one file as it is: the media in a disk image, a file inside another. Whoever
//! makes entries can give them such bytes; here they are only read.

use crate::Meta;
use std::fmt::Debug;
use std::fs::File;
use std::io;

/// What an entry stands for, if that is not the file at its path.
pub trait Content: Debug + Send + Sync {
    /// Opens it. An entry may be opened more than once.
    ///
    /// # Errors
    /// If it can't be opened; the path is added to the message.
    fn open(&self) -> io::Result<Box<dyn Bytes>>;
}

/// Bytes of a known number that can be read anywhere, by many threads at once.
pub trait Bytes: Debug + Send + Sync {
    /// The file that holds them, or the first of them.
    ///
    /// # Errors
    /// If it can't be opened.
    fn file(&self) -> io::Result<File>;

    /// How many bytes there are, and the newest times of all files that hold them. It is asked for before
    /// the first read and after the last, to see whether these files held still.
    ///
    /// # Errors
    /// If the files can't be asked.
    fn meta(&self) -> io::Result<Meta>;

    /// Reads at an offset. Fewer bytes than asked for don't mean the end, none do.
    ///
    /// # Errors
    /// If not all of these bytes are there and whole.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;
}
