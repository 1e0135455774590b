//! The names in a folder.

use super::files::open_folder;
use crate::Links;
use crate::sys::{ends, errno, readdir};
use std::ffi::{CStr, OsStr, OsString};
use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{self, NonNull};

pub fn names_in(folder: &Path) -> io::Result<(Vec<OsString>, io::Result<()>)> {
    let mut stream = FolderStream::new(open_folder(folder, Links::Follow)?)?;
    let mut names = Vec::new();
    loop {
        match stream.next() {
            Ok(Some(entry)) => names.push(OsStr::from_bytes(entry.name.to_bytes()).to_os_string()),
            Ok(None) => return Ok((names, Ok(()))),
            Err(error) => return Ok((names, Err(error))),
        }
    }
}

/// An open directory stream.
pub struct FolderStream {
    stream: NonNull<libc::DIR>,
    /// The descriptor, which the stream closes.
    folder: ManuallyDrop<File>,
}

/// An entry of a folder.
pub struct FolderEntry<'a> {
    /// The folder.
    pub folder: &'a File,
    /// The name.
    pub name: &'a CStr,
    /// The type, as one of the `DT_` numbers.
    pub kind: u8,
    /// The number of the entry's file on its volume.
    pub number: u64,
}

#[allow(unsafe_code)]
impl FolderStream {
    /// Takes ownership of an open folder.
    ///
    /// # Errors
    /// If it can't be listed.
    pub fn new(folder: File) -> io::Result<FolderStream> {
        loop {
            // SAFETY: the descriptor is open and owned here.
            if let Some(stream) = NonNull::new(unsafe { libc::fdopendir(folder.as_raw_fd()) }) {
                // The stream owns the descriptor from here on.
                return Ok(FolderStream { stream, folder: ManuallyDrop::new(folder) });
            }
            // It queries the type of the folder, which can be interrupted.
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
    }

    /// Returns the folder itself, only for lookups in it.
    pub fn folder(&self) -> &File {
        &self.folder
    }

    /// Returns the next entry, skipping `.` and `..`.
    ///
    /// # Errors
    /// If the system reports one; it is an error of the listing, not of an entry.
    #[expect(clippy::should_implement_trait, reason = "an entry borrows the listing")]
    pub fn next(&mut self) -> io::Result<Option<FolderEntry<'_>>> {
        let mut has_ended = false;
        loop {
            // SAFETY: the number is this thread's own.
            unsafe { *errno() = 0 };
            // SAFETY: the stream is open, and borrowing `self` mutably keeps others from it.
            let entry = unsafe { readdir(self.stream.as_ptr()) };
            if entry.is_null() {
                match io::Error::last_os_error() {
                    // Entries that come now, behind an end, are listed, too.
                    end if end.raw_os_error() == Some(0) => match ends(&self.folder)? || has_ended {
                        true => return Ok(None),
                        false => has_ended = true,
                    },
                    // File systems over networks or in user space can be interrupted. The stream stays at its position.
                    error if error.kind() == io::ErrorKind::Interrupted => {}
                    error => return Err(error),
                }
                continue;
            }
            // SAFETY: the entry is valid until the next call, which the borrow prevents, and its name ends in NUL. Only
            // fields are borrowed: the structure may be shorter than its type.
            let name = unsafe { CStr::from_ptr(ptr::addr_of!((*entry).d_name).cast()) };
            if name != c"." && name != c".." {
                // SAFETY: as above.
                let (kind, number) = unsafe { ((*entry).d_type, (*entry).d_ino) };
                return Ok(Some(FolderEntry { folder: &self.folder, name, kind, number }));
            }
        }
    }
}

#[allow(unsafe_code)]
impl Drop for FolderStream {
    fn drop(&mut self) {
        // An error of closing does not matter: a listing is read, not written. (The standard library panics here.)
        // SAFETY: the stream is open and never used again.
        unsafe { libc::closedir(self.stream.as_ptr()) };
    }
}
