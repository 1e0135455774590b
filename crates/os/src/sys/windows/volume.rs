//! Volumes and devices, and the paths of files on them.

use super::calls::{check, handle, size};
use super::wide::wide;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::windows::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_NAME_NORMALIZED, GETFINALPATHNAMEBYHANDLE_FLAGS, GetDiskFreeSpaceExW, GetFinalPathNameByHandleW,
    VOLUME_NAME_DOS, VOLUME_NAME_GUID,
};
use windows_sys::Win32::System::IO::DeviceIoControl;
use windows_sys::Win32::System::Ioctl::{GET_LENGTH_INFORMATION, IOCTL_DISK_GET_LENGTH_INFO};

pub const DISKS_ARE_BLOCKS: bool = true;

/// The most units of a path.
const MAX_PATH_UNITS: usize = 32_768;

/// The units of the name of a volume: `\\?\Volume{…}\`.
const VOLUME: usize = 49;

pub fn free(file: &File) -> Option<u64> {
    let mut path = final_path(file, VOLUME_NAME_GUID).filter(|path| path.len() >= VOLUME)?;
    path.truncate(VOLUME);
    path.push(0);
    ask(&path)
}

/// Returns the path without `\\?\`, as it is typed.
pub fn path_of(file: &File) -> Option<PathBuf> {
    let path = final_path(file, VOLUME_NAME_DOS)?;
    let path = OsString::from_wide(&path).into_string().ok()?;
    let shared = path.strip_prefix(r"\\?\UNC\").map(|rest| format!(r"\\{rest}"));
    let local = || path.strip_prefix(r"\\?\").unwrap_or(&path).to_owned();
    Some(shared.unwrap_or_else(local).into())
}

#[allow(unsafe_code)]
fn final_path(file: &File, form: GETFINALPATHNAMEBYHANDLE_FLAGS) -> Option<Vec<u16>> {
    let mut path = vec![0; MAX_PATH_UNITS];
    let flags = FILE_NAME_NORMALIZED | form;
    // SAFETY: the handle is open, and the buffer has room for as many units as the call is told.
    let length = unsafe {
        GetFinalPathNameByHandleW(handle(file), path.as_mut_ptr(), path.len() as u32, flags) as usize
    };
    path.truncate(length);
    (1..MAX_PATH_UNITS).contains(&length).then_some(path)
}

/// Volumes are found by their letters, not by their numbers.
pub fn mount_point(_: u64) -> Option<PathBuf> {
    None
}

/// Returns the serial number as `dir` shows it.
pub fn volume_text(number: u64) -> String {
    format!("{:04X}-{:04X}", number >> 16 & 0xffff, number & 0xffff)
}

pub fn free_at(folder: &Path) -> Option<u64> {
    ask(&wide(folder).ok()?)
}

#[allow(unsafe_code)]
fn ask(folder: &[u16]) -> Option<u64> {
    let mut free = 0;
    // SAFETY: the path ends in NUL, and the call writes to a number that we own; the others are not wanted.
    check(unsafe { GetDiskFreeSpaceExW(folder.as_ptr(), &raw mut free, null_mut(), null_mut()) }).ok()?;
    Some(free)
}

#[allow(unsafe_code)]
pub fn device_size(device: &File) -> io::Result<u64> {
    let mut found = MaybeUninit::<GET_LENGTH_INFORMATION>::zeroed();
    let mut used = 0;
    // SAFETY: the handle is open, nothing is given to the device, and `found` has room for as many bytes as it is told.
    check(unsafe {
        DeviceIoControl(
            handle(device),
            IOCTL_DISK_GET_LENGTH_INFO,
            null(),
            0,
            found.as_mut_ptr().cast(),
            size::<GET_LENGTH_INFORMATION>(),
            &raw mut used,
            null_mut(),
        )
    })?;
    // SAFETY: the structure was all zeros, a valid value of an integer, before the call wrote to it.
    Ok(unsafe { found.assume_init() }.Length.cast_unsigned())
}
