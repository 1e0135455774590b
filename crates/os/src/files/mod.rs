//! Opening, reading, writing and keeping files, where systems differ.

pub mod lock;
pub mod shared_file;

use crate::sys;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Reads at an offset, and returns the number of bytes, which is 0 at the end. On Windows, this moves the position of
/// the file: read such a file at offsets only.
///
/// # Errors
/// If the bytes can't be read.
pub use crate::sys::read_at;

/// Fills a buffer from an offset on, as [`read_at`] does.
///
/// # Errors
/// If the file ends too early, or can't be read.
pub fn read_exact_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match sys::read_at(file, buffer, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                buffer = &mut buffer[read..];
                offset += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Writes at an offset, and returns the number of bytes that were written. On Windows, this moves the position of the
/// file.
///
/// # Errors
/// If nothing can be written.
pub use crate::sys::write_at;

/// Writes all bytes at an offset, as [`write_at`] does.
///
/// # Errors
/// If they can't be written.
pub fn write_all_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match sys::write_at(file, bytes, offset) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => {
                bytes = &bytes[written..];
                offset += written as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Opens a file for reading. Never waits for the writer of a FIFO.
///
/// # Errors
/// If it can't be opened.
pub use crate::sys::open_now;

/// Reads all of a file, opened by [`open_to_read`].
///
/// # Errors
/// If it can't be read.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_to_read(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a file that somebody named for reading, as [`File::open`] does; for the writer of a FIFO it waits [`FIFO_WAIT`](crate::FIFO_WAIT) at most.
/// On all systems a folder is refused with the same kind of error, [`IsADirectory`](io::ErrorKind::IsADirectory): on Windows as it
/// is opened, elsewhere as it is read.
///
/// # Errors
/// If it can't be opened.
pub use crate::sys::open_to_read;

/// Opens a file that exists for reading and writing, as [`open_now`] does for reading.
///
/// # Errors
/// If it can't be opened.
pub use crate::sys::open_to_change;

/// Opens a disk for reading and writing while nothing else uses it: no file system on it is mounted, and no other device is
/// made of it.
///
/// # Errors
/// [`ResourceBusy`](io::ErrorKind::ResourceBusy) if it is in use; [`Unsupported`](io::ErrorKind::Unsupported) on Windows; or it
/// can't be opened.
pub use crate::sys::open_disk_alone;

/// Opens a folder, to look at its metadata, lock it or list it.
///
/// # Errors
/// If it can't be opened, or is not a folder.
pub use crate::sys::open_folder;

/// Creates a file that only this user can read and write, and opens it for both.
///
/// # Errors
/// If the path exists, even as a link that leads nowhere, or the file can't be created.
pub use crate::sys::create_own;

/// Creates a folder that only this user can use.
///
/// # Errors
/// If the path exists, or the folder can't be created.
pub use crate::sys::create_own_folder;

/// Gives a file of [`create_own`] to those whom these mode bits name; on Windows, to those to whom its folder is open.
/// A file system without permissions is no error.
///
/// # Errors
/// If the system refuses.
pub use crate::sys::publish;

/// Takes a folder of this user from all others again; on Windows, a folder of [`create_own_folder`] stays as it is.
///
/// # Errors
/// If the system refuses.
pub use crate::sys::close_folder;

/// Gives the folder at a path, which is open, to others as [`publish`] does with a file. On Windows, what is in it
/// follows.
///
/// # Errors
/// If the system refuses.
pub use crate::sys::publish_folder;

/// Returns the mode bits that new files of this process don't get; none on Windows.
pub use crate::sys::umask;

/// Returns the names in a folder that could be read, in no particular order, and how the listing ended.
///
/// It replaces the standard library's `read_dir`, which panics if a file system reports an error when the directory is
/// closed, as NFS and FUSE do.
///
/// # Errors
/// If it is not a folder, or can't be opened.
pub use crate::sys::names_in;

/// Returns all names in a folder, in no particular order.
///
/// # Errors
/// If it is not a folder, or can't be listed to its end.
pub fn all_names_in(folder: &Path) -> io::Result<Vec<OsString>> {
    let (names, end) = sys::names_in(folder)?;
    end.map(|()| names)
}

/// Asks the file system whether all of a file could be written. NFS and FUSE may report an error only when a descriptor
/// is closed, where the standard library ignores errors: so a duplicate is closed. The file stays open and locked.
/// Windows reports such errors when bytes are written or synced.
///
/// # Errors
/// If something could not be written.
pub use crate::sys::settle;

/// Brings all of these files onto the disk, and returns a result for each. Linux does so with one call for each file
/// system, which takes as long as one call for one file does elsewhere.
pub use crate::sys::sync_many;

/// Makes new names in a folder survive a power cut. Windows has no call for that; NTFS keeps a journal of names.
///
/// # Errors
/// If the folder can't be opened or synced.
pub use crate::sys::sync_folder;

/// Returns a path of an open file; none if the system doesn't know one any more.
pub use crate::sys::path_of;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileKind, Links, UnsyncedFolder, facts, facts_at};
    use std::fs;
    use std::io::{Read, Write};

    #[test]
    fn bytes_are_read_and_written_at_offsets() {
        let mut file = tempfile::tempfile().unwrap();
        write_all_at(&file, b"def", 3).unwrap();
        write_all_at(&file, b"abc", 0).unwrap();
        let mut buffer = [0; 4];
        read_exact_at(&file, &mut buffer, 1).unwrap();
        assert_eq!(&buffer, b"bcde");
        assert_eq!(read_at(&file, &mut buffer, 4).unwrap(), 2);
        assert_eq!(read_at(&file, &mut buffer, 6).unwrap(), 0);
        assert_eq!(read_exact_at(&file, &mut buffer, 3).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        file.write_all(b"").unwrap();
    }

    #[test]
    fn own_files_and_folders_are_new() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mut file = create_own(&at("own")).unwrap();
        file.write_all(b"secret").unwrap();
        settle(&file).unwrap();
        assert!(sync_many(&[&file, &file]).into_iter().all(|synced| synced.is_ok()));
        publish(&file, 0o644).unwrap();
        assert_eq!(create_own(&at("own")).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        create_own_folder(&at("folder")).unwrap();
        assert_eq!(create_own_folder(&at("folder")).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(facts(&open_folder(&at("folder"), Links::Stay).unwrap()).unwrap().kind, FileKind::Folder);
        assert!(open_folder(&at("own"), Links::Stay).is_err());
        sync_folder(folder.path()).unwrap();
        assert!(matches!(sync_folder(&at("none")), Err(UnsyncedFolder::NotOpened(_))));
        let mut text = String::new();
        open_now(&at("own"), Links::Stay).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "secret");
    }

    #[test]
    fn files_that_exist_are_changed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "abc").unwrap();
        let mut file = open_to_change(&at("file"), Links::Stay).unwrap();
        file.write_all(b"d").unwrap();
        assert_eq!(fs::read(at("file")).unwrap(), b"dbc");
        let none = open_to_change(&at("none"), Links::Stay).unwrap_err();
        assert_eq!(none.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_folder_is_closed_and_published() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own");
        create_own_folder(&path).unwrap();
        fs::write(path.join("file"), "").unwrap();
        let open = open_folder(&path, Links::Stay).unwrap();
        close_folder(&open).unwrap();
        publish_folder(&open, &path, 0o755).unwrap();
        assert!(path.join("file").exists());
    }

    #[test]
    fn all_names_are_there_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let (names, end) = names_in(folder.path()).unwrap();
        assert!(names.is_empty() && end.is_ok());
        let wanted: Vec<OsString> = (0..3000).map(|number| OsString::from(format!("{number:05}"))).collect();
        wanted.iter().for_each(|name| fs::write(folder.path().join(name), "").unwrap());
        let (mut names, end) = names_in(folder.path()).unwrap();
        names.sort();
        assert!(names == wanted && end.is_ok());
        assert_eq!(all_names_in(folder.path()).unwrap().len(), wanted.len());
        assert!(names_in(&folder.path().join("00000")).is_err());
        let none = names_in(&folder.path().join("none"));
        assert_eq!(none.unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn temporary_folders_are_folders() {
        assert!(facts_at(&std::env::temp_dir(), Links::Follow).unwrap().is_folder());
    }
}
