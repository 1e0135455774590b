//! Access to the files of images: in local folders, or elsewhere through another [`Opener`].

use crate::files::{open_image, size_of};
use hashmill_os::{all_names_in, names, read_at};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt::Debug;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// A set of files with paths, local or not.
pub trait Opener: Debug + Send + Sync {
    /// Opens a file.
    ///
    /// # Errors
    /// If it can't be opened, or can't be read at offsets.
    fn open(&self, path: &Path) -> io::Result<Arc<dyn SharedFile>>;

    /// Returns the names of the files beside this one that begin with `start`, in any order.
    ///
    /// # Errors
    /// If they can't be listed.
    fn beside(&self, path: &Path, start: &[u8]) -> io::Result<Vec<OsString>>;
}

/// An open file that several threads can read at once, at any offset.
pub trait SharedFile: Debug + Send + Sync {
    /// Returns the size in bytes.
    ///
    /// # Errors
    /// If the size is unavailable.
    fn size(&self) -> io::Result<u64>;

    /// Reads at an offset. A short read does not mean the end; reading no bytes does.
    ///
    /// # Errors
    /// If the bytes can't be read.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// Returns whether small reads at any offset cost little, as those of a file on this machine do. Others are read in
    /// larger parts, which are kept for a while.
    fn is_near(&self) -> bool {
        false
    }

    /// Returns the same file, with the same offsets, for a reader of a range alone; `None` unless more than what is read is
    /// requested ahead.
    fn limited_to(&self, _range: Range<u64>) -> Option<Arc<dyn SharedFile>> {
        None
    }
}

/// Local files.
#[derive(Debug, Clone, Copy, Default)]
pub struct Local;

impl Opener for Local {
    fn open(&self, path: &Path) -> io::Result<Arc<dyn SharedFile>> {
        Ok(Arc::new(open_image(path)?))
    }

    fn beside(&self, path: &Path, start: &[u8]) -> io::Result<Vec<OsString>> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut found = all_names_in(folder)?;
        found.retain(|name| names::bytes(name).starts_with(start));
        Ok(found)
    }
}

impl SharedFile for File {
    fn size(&self) -> io::Result<u64> {
        size_of(self)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        read_at(self, buffer, offset)
    }

    fn is_near(&self) -> bool {
        // Devices may want whole sectors.
        self.metadata().is_ok_and(|data| data.is_file())
    }
}

/// Returns the names beside a file that begin with `start`. A file is only opened if it is among them: an opener of a
/// single file may give that one for any name.
pub(crate) fn names_beside(opener: &dyn Opener, path: &Path, start: &[u8]) -> io::Result<BTreeSet<Vec<u8>>> {
    Ok(opener.beside(path, start)?.into_iter().map(names::into_bytes).collect())
}

/// Fills the buffer unless the file ends. Returns how much of it was filled.
///
/// # Errors
/// If the bytes can't be read.
pub fn fill_at(file: &dyn SharedFile, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(offset.saturating_add(filled as u64), &mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
