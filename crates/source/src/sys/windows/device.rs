//! The volume below a file, and the disk below that.

use super::calls::{check, control, handle};
use crate::opening::Want;
use crate::{Device, Medium, Meta};
use hashmill_os::{Links, names};
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::ptr;
use windows_sys::Win32::Storage::FileSystem::{
    GetDriveTypeW, GetVolumeInformationByHandleW, GetVolumePathNameW,
};
use windows_sys::Win32::System::Ioctl::{
    IOCTL_STORAGE_QUERY_PROPERTY, PropertyStandardQuery, StorageDeviceSeekPenaltyProperty,
};

/// File systems whose listings have the numbers that files have.
const TRUE_LISTINGS: [&str; 2] = ["NTFS", "ReFS"];

/// Answers of `GetDriveTypeW`.
const FIXED: u32 = 3;
const REMOTE: u32 = 4;
const MEMORY_DISK: u32 = 6;

/// The longest name of a file system or a mount point, in units of 16 bits.
const LONGEST_NAME: usize = 512;

/// The system's tables of devices.
#[derive(Debug)]
pub(crate) struct DeviceTables {
    is_real: bool,
}

impl DeviceTables {
    /// Returns the tables of this machine.
    pub(crate) fn new() -> DeviceTables {
        DeviceTables { is_real: true }
    }

    /// Returns no tables: the system's are in no directory.
    pub(crate) fn under(_: &Path) -> DeviceTables {
        DeviceTables { is_real: false }
    }

    /// Finds the device with a number, which holds a path.
    pub(crate) fn find(&self, number: u64, path: &[u8]) -> Device {
        if !self.is_real {
            return Device::unknown(number);
        }
        let file = super::open(path, Want::Lookup, Links::Follow)
            .or_else(|_| super::open(path, Want::ReadNow, Links::Follow));
        let file_system = file.and_then(|file| file_system(&file)).unwrap_or_default();
        let mount_point = names::path(path).and_then(|path| mount_point(&path)).ok();
        let medium = mount_point.as_deref().map_or(Medium::Unknown, medium);
        Device { file_system, mount_point, medium, ..Device::unknown(number) }
    }
}

/// Returns the device number to look up for a path: that of its volume.
pub(crate) fn device_number(_: &[u8], meta: &Meta) -> u64 {
    meta.dev
}

/// Returns whether listings have reliable file numbers. False if unknown.
pub(crate) fn tells_inodes(directory: &File) -> bool {
    file_system(directory).is_ok_and(|name| TRUE_LISTINGS.contains(&&*name))
}

/// Returns true: volumes have numbers for their files.
pub(crate) fn tells_identities(_: &Path) -> bool {
    true
}

/// Returns the name of the file system of an open file.
fn file_system(file: &File) -> io::Result<String> {
    let mut name = [0; LONGEST_NAME];
    let none = ptr::null_mut::<u32>();
    // SAFETY: the handle is open, and `name` has room for as many units as the call is told.
    check(unsafe {
        let length = LONGEST_NAME as u32;
        GetVolumeInformationByHandleW(
            handle(file),
            ptr::null_mut(),
            0,
            none,
            none,
            none,
            name.as_mut_ptr(),
            length,
        )
    })?;
    Ok(text(&name).to_string_lossy().into_owned())
}

/// Returns where the volume of a path is mounted.
fn mount_point(path: &Path) -> io::Result<PathBuf> {
    let (path, mut found) = (wide(path), [0; LONGEST_NAME]);
    // SAFETY: `path` ends in 0, and `found` has room for as many units as the call is told.
    check(unsafe { GetVolumePathNameW(path.as_ptr(), found.as_mut_ptr(), LONGEST_NAME as u32) })?;
    Ok(text(&found).into())
}

/// Returns the medium of a volume.
fn medium(mount_point: &Path) -> Medium {
    let point = wide(mount_point);
    // SAFETY: the text ends in 0.
    match unsafe { GetDriveTypeW(point.as_ptr()) } {
        REMOTE => Medium::Network,
        MEMORY_DISK => Medium::Memory,
        FIXED => seeks(mount_point).map_or(Medium::Unknown, |seeks| match seeks {
            true => Medium::Rotational,
            false => Medium::Solid,
        }),
        _ => Medium::Unknown,
    }
}

/// Returns whether the disk of a drive (`C:\`) loses time when it seeks, if it tells.
fn seeks(mount_point: &Path) -> Option<bool> {
    let drive = mount_point.to_str()?.strip_suffix('\\')?;
    let volume = OpenOptions::new().access_mode(0).open(format!(r"\\.\{drive}")).ok()?;
    let asked = [StorageDeviceSeekPenaltyProperty, PropertyStandardQuery, 0].map(i32::to_le_bytes).concat();
    // `DEVICE_SEEK_PENALTY_DESCRIPTOR`: two numbers of 32 bits, and a truth value.
    let mut answer = [0; 12];
    let length = control(&volume, IOCTL_STORAGE_QUERY_PROPERTY, &asked, &mut answer).ok()?;
    (length > 8).then_some(answer[8] != 0)
}

fn wide(path: &Path) -> Vec<u16> {
    path.as_os_str().encode_wide().chain([0]).collect()
}

/// Returns the text before the first 0.
fn text(units: &[u16]) -> OsString {
    OsString::from_wide(units.split(|unit| *unit == 0).next().unwrap_or_default())
}
