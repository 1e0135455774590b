//! Opening, reading and writing of files.

use super::calls::{BACKUP, check, handle, share_all};
use super::facts::facts;
use crate::error::{self, Meaning};
use crate::{FileKind, Links, Stream, UnsyncedFolder};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::mem::zeroed;
use std::os::windows::fs::{FileExt, OpenOptionsExt};
use std::os::windows::io::{AsHandle, AsRawHandle};
use std::path::Path;
use std::ptr::null_mut;
use windows_sys::Win32::Foundation::{
    ERROR_INVALID_HANDLE, ERROR_IO_PENDING, ERROR_LOCK_VIOLATION, ERROR_SHARING_VIOLATION,
    INVALID_HANDLE_VALUE,
};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_DELETE_ON_CLOSE, FILE_FLAG_OPEN_REPARSE_POINT, LOCKFILE_EXCLUSIVE_LOCK,
    LOCKFILE_FAIL_IMMEDIATELY, LockFileEx,
};
use windows_sys::Win32::System::IO::OVERLAPPED;

/// The beginning of the name of the file that is open as long as a folder is locked.
const FOLDER_LOCK: &str = "hashmill-lock";

/// The byte of a file that is locked. Locks of Windows keep others from reading: so it is one that no file has.
const LOCKED: u64 = i64::MAX as u64 - 1;

pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.seek_read(buffer, offset)
}

pub fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
    file.seek_write(bytes, offset)
}

pub fn open_now(path: &Path, links: Links) -> io::Result<File> {
    open_with(OpenOptions::new().read(true), path, links)
}

pub fn open_to_read(path: &Path) -> io::Result<File> {
    File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::PermissionDenied if path.is_dir() => io::ErrorKind::IsADirectory.into(),
        _ => error,
    })
}

pub fn open_to_change(path: &Path, links: Links) -> io::Result<File> {
    open_with(OpenOptions::new().read(true).write(true), path, links)
}

pub fn open_disk_alone(_: &Path) -> io::Result<File> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "disks are not written on Windows so far"))
}

fn open_with(options: &mut OpenOptions, path: &Path, links: Links) -> io::Result<File> {
    let link = if links == Links::Stay { FILE_FLAG_OPEN_REPARSE_POINT } else { 0 };
    let file = share_all(options).custom_flags(BACKUP | link).open(path)?;
    if links == Links::Stay && facts(&file)?.kind == FileKind::Link {
        return Err(error::make(Meaning::Link));
    }
    Ok(file)
}

pub fn open_folder(path: &Path, links: Links) -> io::Result<File> {
    let file = open_now(path, links)?;
    if facts(&file)?.is_folder() { Ok(file) } else { Err(io::ErrorKind::NotADirectory.into()) }
}

pub fn umask() -> u32 {
    0
}

pub fn names_in(folder: &Path) -> io::Result<(Vec<OsString>, io::Result<()>)> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        match entry {
            Ok(entry) => names.push(entry.file_name()),
            Err(error) => return Ok((names, Err(error))),
        }
    }
    Ok((names, Ok(())))
}

pub fn settle(_: &File) -> io::Result<()> {
    Ok(())
}

pub fn sync_many(files: &[&File]) -> Vec<io::Result<()>> {
    files.iter().map(|file| file.sync_all()).collect()
}

pub fn sync_folder(folder: &Path) -> Result<(), UnsyncedFolder> {
    fs::metadata(folder).map(drop).map_err(UnsyncedFolder::NotOpened)
}

#[allow(unsafe_code)]
pub fn try_lock(file: &File) -> io::Result<()> {
    // SAFETY: all-zero bytes are a valid structure: a position, and no event.
    let mut place: OVERLAPPED = unsafe { zeroed() };
    place.Anonymous.Anonymous.Offset = LOCKED as u32;
    place.Anonymous.Anonymous.OffsetHigh = (LOCKED >> 32) as u32;
    let flags = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
    // SAFETY: the handle is open, and the call is finished when it returns, so it keeps no address.
    let locked = check(unsafe { LockFileEx(handle(file), flags, 0, 1, 0, &raw mut place) });
    locked.map_err(|error| match error.raw_os_error().map(i32::cast_unsigned) {
        Some(ERROR_LOCK_VIOLATION | ERROR_IO_PENDING) => io::ErrorKind::WouldBlock.into(),
        _ => error,
    })
}

/// Creates the file that is locked in the place of a folder: among the temporary files, as a folder can't be renamed
/// while a file in it is open. It is removed when it is closed.
pub fn lock_holder(open: &File, _: &Path) -> io::Result<File> {
    let (volume, number) = facts(open)?.id;
    let path = std::env::temp_dir().join(format!("{FOLDER_LOCK}-{volume:x}-{number:x}"));
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).create(true).truncate(false);
    // With no sharing, a second run can't open it.
    let opened = options.share_mode(0).custom_flags(FILE_FLAG_DELETE_ON_CLOSE).open(path);
    opened.map_err(|error| match error.raw_os_error().map(i32::cast_unsigned) {
        Some(ERROR_SHARING_VIOLATION) => io::ErrorKind::WouldBlock.into(),
        _ => error,
    })
}

/// Does nothing: handles are no small numbers that something else could get.
pub fn hold_closed_streams() {}

pub fn is_closed(_: Stream) -> bool {
    false
}

pub fn standard(stream: Stream) -> io::Result<File> {
    let (input, output, error) = (io::stdin(), io::stdout(), io::stderr());
    let handle = match stream {
        Stream::Input => input.as_handle(),
        Stream::Output => output.as_handle(),
        Stream::Error => error.as_handle(),
    };
    // A service may have no streams. Other systems give such a program empty ones; and a duplicate of the handle that
    // stands for "none" would be one of this process.
    let is_there = ![null_mut(), INVALID_HANDLE_VALUE].contains(&handle.as_raw_handle());
    let cloned = is_there.then(|| handle.try_clone_to_owned().map(File::from));
    match cloned {
        Some(Err(error)) if error.raw_os_error() != Some(ERROR_INVALID_HANDLE.cast_signed()) => Err(error),
        Some(Ok(file)) => Ok(file),
        _ => OpenOptions::new().read(true).write(true).open("NUL"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn a_folder_is_no_file_to_read() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(open_to_read(folder.path()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        let none = open_to_read(&folder.path().join("none"));
        assert_eq!(none.unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_locked_file_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "content").unwrap();
        let locked = OpenOptions::new().read(true).write(true).open(&path).unwrap();
        try_lock(&locked).unwrap();
        let mut text = String::new();
        open_now(&path, Links::Stay).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "content");
    }
}
