//! The file system of a file. What is below it only the registry of devices tells, which is not asked.

use super::short_path::ShortPath;
use super::unix::open_short;
use crate::{Device, Medium, Meta};
use hashmill_os::retry_interrupted;
use std::ffi::{CStr, OsStr, c_char};
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// File systems whose listings have the numbers that files have, and that keep files in the page cache.
const LOCAL: [&str; 2] = ["apfs", "hfs"];

/// File systems of other machines.
const NETWORK: [&str; 5] = ["smbfs", "nfs", "afpfs", "webdav", "ftp"];

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
        let opened = || open_short(&ShortPath::open(path)?, libc::O_NONBLOCK).and_then(|file| volume(&file));
        match self.is_real.then(opened) {
            Some(Ok(volume)) => device(number, &volume),
            _ => Device::unknown(number),
        }
    }
}

fn device(number: u64, volume: &libc::statfs) -> Device {
    let text = |field: &[c_char]| OsStr::from_bytes(bytes(field)).to_os_string();
    let file_system = text(&volume.f_fstypename).to_string_lossy().into_owned();
    let medium = if NETWORK.contains(&&*file_system) { Medium::Network } else { Medium::Unknown };
    Device {
        file_system,
        mount_point: Some(text(&volume.f_mntonname).into()),
        source: Some(text(&volume.f_mntfromname).to_string_lossy().into_owned()),
        medium,
        ..Device::unknown(number)
    }
}

/// Returns the device number to look up for a path: that of its file system.
pub(crate) fn device_number(_: &[u8], meta: &Meta) -> u64 {
    meta.dev
}

/// Returns whether listings have reliable inode numbers. False if unknown.
pub(crate) fn tells_inodes(directory: &File) -> bool {
    is_local(directory)
}

/// Returns whether two files in a folder never have one device and inode number, except as names of one file. False if
/// unknown.
pub(crate) fn tells_identities(folder: &Path) -> bool {
    File::open(folder).is_ok_and(|folder| is_local(&folder))
}

/// Returns whether files there may be mapped. False if unknown.
pub(crate) fn maps_well(file: &File) -> bool {
    is_local(file)
}

/// Returns whether holes that are told there are zeros. False if unknown.
pub(crate) fn tells_holes(file: &File) -> bool {
    is_local(file)
}

/// Returns whether files on a file system of this name may be mapped. False if unknown.
pub(crate) fn maps_well_as(name: &str) -> bool {
    LOCAL.contains(&name)
}

fn is_local(file: &File) -> bool {
    volume(file).is_ok_and(|volume| LOCAL.iter().any(|name| name.as_bytes() == bytes(&volume.f_fstypename)))
}

fn volume(file: &File) -> io::Result<libc::statfs> {
    let mut found = MaybeUninit::uninit();
    // SAFETY: the descriptor is open while `file` is borrowed, and `found` has room for what the call writes.
    retry_interrupted(|| unsafe { libc::fstatfs(file.as_raw_fd(), found.as_mut_ptr()) })?;
    // SAFETY: the call succeeded, so it wrote the whole structure.
    Ok(unsafe { found.assume_init() })
}

/// Returns the bytes before the first NUL.
fn bytes(field: &[c_char]) -> &[u8] {
    // SAFETY: characters of C and bytes have the same size, and every pattern is valid.
    let all = unsafe { std::slice::from_raw_parts(field.as_ptr().cast::<u8>(), field.len()) };
    CStr::from_bytes_until_nul(all).map_or(all, CStr::to_bytes)
}
