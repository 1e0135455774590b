//! Locks of files and folders against other processes.

use crate::{error, sys};
use std::fs::File;
use std::io;
use std::path::Path;

/// The lock of a file, as other processes that want it see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    /// This process has the lock until it closes the file.
    Taken,
    /// The file system has no locks.
    Unsupported,
}

/// Locks a file for this process, unless another process has locked it. Other processes can still read and write it.
///
/// # Errors
/// `WouldBlock` if another process has it.
pub fn try_lock(file: &File) -> io::Result<Lock> {
    loop {
        let Err(error) = sys::try_lock(file) else { return Ok(Lock::Taken) };
        match error.kind() {
            io::ErrorKind::Interrupted => {}
            io::ErrorKind::Unsupported => return Ok(Lock::Unsupported),
            _ if error::is_no_locks(&error) => return Ok(Lock::Unsupported),
            _ => return Err(error),
        }
    }
}

/// Locks an open folder at this path likewise, and returns the file that holds the lock while it is open. On Windows,
/// that is a temporary file of this user, which is removed when it is closed: other users and machines don't see it.
///
/// # Errors
/// `WouldBlock` if another process has it.
pub fn lock_folder(open: &File, path: &Path) -> io::Result<(File, Lock)> {
    let holder = sys::lock_holder(open, path)?;
    let lock = try_lock(&holder)?;
    Ok((holder, lock))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Links, open_folder};

    #[test]
    fn a_lock_holds_against_others_until_its_file_is_closed() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let (one, two) = (file.reopen().unwrap(), file.reopen().unwrap());
        assert_eq!(try_lock(&one).unwrap(), Lock::Taken);
        assert_eq!(try_lock(&two).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        drop(one);
        assert_eq!(try_lock(&two).unwrap(), Lock::Taken);
    }

    #[test]
    fn a_folder_is_locked_as_long_as_the_holder_lives() {
        let folder = tempfile::tempdir().unwrap();
        let open = || open_folder(folder.path(), Links::Stay).unwrap();
        let (one, two) = (open(), open());
        let (holder, lock) = lock_folder(&one, folder.path()).unwrap();
        assert_eq!(lock, Lock::Taken);
        drop(one);
        assert_eq!(lock_folder(&two, folder.path()).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        drop(holder);
        assert_eq!(lock_folder(&two, folder.path()).unwrap().1, Lock::Taken);
    }
}
