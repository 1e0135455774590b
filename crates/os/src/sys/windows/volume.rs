//! The room on volumes and devices.

use super::calls::{check, handle, size};
use super::wide::wide;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::path::Path;
use std::ptr::{null, null_mut};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_NAME_NORMALIZED, GetDiskFreeSpaceExW, GetFinalPathNameByHandleW, VOLUME_NAME_GUID,
};
use windows_sys::Win32::System::IO::DeviceIoControl;
use windows_sys::Win32::System::Ioctl::{GET_LENGTH_INFORMATION, IOCTL_DISK_GET_LENGTH_INFO};

pub(crate) const DISKS_ARE_BLOCKS: bool = true;

/// The most units of a path.
const LONGEST: usize = 32_768;

/// The units of the name of a volume: `\\?\Volume{…}\`.
const VOLUME: usize = 49;

#[allow(unsafe_code)]
pub(crate) fn free(file: &File) -> Option<u64> {
    let mut path = vec![0; LONGEST];
    let flags = FILE_NAME_NORMALIZED | VOLUME_NAME_GUID;
    // SAFETY: the handle is open, and the buffer has room for as many units as the call is told.
    let length = unsafe {
        GetFinalPathNameByHandleW(handle(file), path.as_mut_ptr(), path.len() as u32, flags) as usize
    };
    if !(VOLUME..LONGEST).contains(&length) {
        return None;
    }
    path.truncate(VOLUME);
    path.push(0);
    ask(&path)
}

pub(crate) fn free_at(folder: &Path) -> Option<u64> {
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
pub(crate) fn device_size(device: &File) -> io::Result<u64> {
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
