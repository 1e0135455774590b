//! Bytes that are not those of a file at a path: the medium in a disk image, or a file inside another one. The creator
//! of an entry supplies them; this crate only reads them.

use crate::Meta;
use std::any::Any;
use std::fmt::Debug;
use std::fs::File;
use std::io;

/// The bytes of an entry, if they are not those of the file at its path.
pub trait EntryContent: Any + Debug + Send + Sync {
    /// Opens the bytes. An entry may be opened more than once.
    ///
    /// # Errors
    /// If it can't be opened; the path is added to the message.
    fn open(&self) -> io::Result<Box<dyn Bytes>>;

    /// Returns where the bytes are, if that is not the entry's path, for the crate that supplied them: the location of
    /// an object, for example.
    fn place(&self) -> Option<Box<[u8]>> {
        None
    }

    /// Returns the content that this one passes on, if it does so.
    fn behind(&self) -> Option<&dyn EntryContent> {
        None
    }

    /// Returns the metadata that are known before it is opened, if they tell it from anything that lay in its place
    /// before.
    fn known(&self) -> Option<Meta> {
        None
    }

    /// Says that reading will begin at this offset, before it is opened.
    fn start_at(&self, _offset: u64) {}

    /// Returns whether the bytes are remote and prefetched in the order of the walk. They are then best read in that
    /// order, each entry by one reader.
    fn is_remote(&self) -> bool {
        false
    }

    /// Returns whether its bytes come only in order, from the start to the end, as those of a server that sends whole files.
    fn is_in_order(&self) -> bool {
        false
    }

    /// Returns whether the walk may wait, before it meets the next entry, until this one and those before it are read.
    /// No entry is then kept back to be read together with later ones.
    fn holds_walk(&self) -> bool {
        false
    }

    /// Returns whether a read may wait until entries behind this one are read. The thread that reads it then has nothing
    /// else to do meanwhile, and there must be other threads.
    fn waits(&self) -> bool {
        false
    }
}

/// Bytes that many threads can read at once, at any offset, unless [`Bytes::is_in_order`] is true.
pub trait Bytes: Debug + Send + Sync {
    /// Opens the file that holds the bytes, or the first one; none if they are not on this machine.
    ///
    /// # Errors
    /// If it can't be opened.
    fn file(&self) -> io::Result<Option<File>> {
        Ok(None)
    }

    /// Returns the number of bytes, and the newest times of all files that hold them. It is called before the first
    /// read and after the last, to detect changes of these files.
    ///
    /// # Errors
    /// If the metadata can't be read.
    fn meta(&self) -> io::Result<Meta>;

    /// Reads at an offset. Fewer bytes than requested do not mean the end; zero bytes do.
    ///
    /// # Errors
    /// If not all of these bytes can be read intact.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// Reads the first bytes, as many as there are and fit, before anything else is read. Whoever has the same bytes open
    /// reads them all the same.
    ///
    /// # Errors
    /// As [`Bytes::read_at`].
    fn peek(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.read_at(filled as u64, &mut buffer[filled..])? {
                0 => break,
                read => filled += read,
            }
        }
        Ok(filled)
    }

    /// Reserves the resources to read the bytes to the end, whatever else is read, and requests the first bytes.
    /// Returns false if the resources are in use; with `wait`, waits for them.
    fn prepare(&self, _wait: bool) -> bool {
        true
    }

    /// Returns whether they can only be read in order, from the start.
    fn is_in_order(&self) -> bool {
        false
    }

    /// Returns whether the number of bytes is known before they are read. If not, the size in the metadata is 0.
    fn has_size(&self) -> bool {
        true
    }

    /// Returns the version that was read, for stores that keep versions. It is called after the last read.
    fn version(&self) -> Option<Box<str>> {
        None
    }
}
