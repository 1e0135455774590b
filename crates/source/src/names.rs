//! The names in one directory.

use crate::sys::Directory;
use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Returns the names in a directory, in no particular order.
///
/// It replaces the standard library's `read_dir`, which panics if a file system reports an error when the directory is
/// closed, as NFS and FUSE do.
///
/// # Errors
/// If it is not a directory, or can't be listed to its end.
pub fn names(directory: &Path) -> io::Result<Vec<OsString>> {
    let (names, end) = names_until(directory)?;
    end.map(|()| names)
}

/// Returns the names that could be read, and how the listing ended.
///
/// # Errors
/// If it is not a directory.
pub fn names_until(directory: &Path) -> io::Result<(Vec<OsString>, io::Result<()>)> {
    let open = OpenOptions::new().read(true).custom_flags(libc::O_DIRECTORY).open(directory)?;
    list(open.into())
}

/// Lists the names in an open directory, in no particular order.
pub(crate) fn names_of(directory: OwnedFd) -> io::Result<Vec<OsString>> {
    let (names, end) = list(directory)?;
    end.map(|()| names)
}

fn list(directory: OwnedFd) -> io::Result<(Vec<OsString>, io::Result<()>)> {
    let mut listing = Directory::new(directory)?;
    let mut names = Vec::new();
    loop {
        match listing.next() {
            Ok(Some(listed)) => names.push(OsStr::from_bytes(listed.name.to_bytes()).to_os_string()),
            Ok(None) => return Ok((names, Ok(()))),
            Err(error) => return Ok((names, Err(error))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn all_names_are_there_and_no_others() {
        let folder = std::env::temp_dir().join(format!("hashloom-names-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        assert_eq!(names(&folder).unwrap(), Vec::<OsString>::new());
        let wanted: Vec<OsString> = (0..3000).map(|number| OsString::from(format!("{number:05}"))).collect();
        wanted.iter().for_each(|name| fs::write(folder.join(name), "").unwrap());
        let mut found = names(&folder).unwrap();
        found.sort();
        assert_eq!(found, wanted);
        assert!(names(&folder.join("00000")).is_err());
        assert_eq!(names(&folder.join("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
        fs::remove_dir_all(&folder).unwrap();
    }
}
