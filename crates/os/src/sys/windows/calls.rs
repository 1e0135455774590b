//! The parts that most calls share: handles, sizes and answers.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_BACKUP_SEMANTICS, FILE_SHARE_DELETE, FILE_SHARE_READ, FILE_SHARE_WRITE,
};
use windows_sys::core::BOOL;

/// The flag that lets folders be opened.
pub(super) const BACKUP: u32 = FILE_FLAG_BACKUP_SEMANTICS;

/// Returns the handle of a file, which is open as long as the file is borrowed.
pub(super) fn handle(file: &File) -> HANDLE {
    file.as_raw_handle()
}

/// Lets other programs read, write, rename and remove the file while it is open here.
pub(super) fn share_all(options: &mut OpenOptions) -> &mut OpenOptions {
    options.share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)
}

/// Turns the answer of a call into a result.
pub(super) fn check(answer: BOOL) -> io::Result<()> {
    if answer == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Turns the error number that a call returned into a result.
pub(super) fn check_number(number: u32) -> io::Result<()> {
    match number {
        0 => Ok(()),
        number => Err(io::Error::from_raw_os_error(number.cast_signed())),
    }
}

/// Returns the size of a structure, as calls want it.
pub(super) fn size<T>() -> u32 {
    size_of::<T>() as u32
}
