//! The machine, by calls and the registry.
#![allow(unsafe_code)]

use super::check;
use crate::host::Storage;
use std::mem::zeroed;
use std::os::windows::ffi::OsStrExt;
use std::path::Path;
use std::ptr::null_mut;
use windows_sys::Wdk::System::SystemServices::RtlGetVersion;
use windows_sys::Win32::Storage::FileSystem::{GetDriveTypeW, GetVolumeInformationW, GetVolumePathNameW};
use windows_sys::Win32::System::Registry::{HKEY_LOCAL_MACHINE, RRF_RT_REG_SZ, RegGetValueW};
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX, OSVERSIONINFOW};
use windows_sys::Win32::System::WindowsProgramming::DRIVE_RAMDISK;
use windows_sys::w;

/// The most units of a path.
const MAX_PATH_UNITS: usize = 32_768;

/// The most units of a name in the registry, or of a file system.
const LONGEST_NAME: usize = 261;

/// Returns the name of the processor; empty if unknown.
pub(crate) fn cpu_model() -> String {
    hashmill_digest::Processor::model_name()
}

/// Returns the version of the system.
pub(crate) fn version() -> String {
    // SAFETY: the structure contains numbers only, so all-zero bytes are a valid one.
    let mut found: OSVERSIONINFOW = unsafe { zeroed() };
    found.dwOSVersionInfoSize = size_of::<OSVERSIONINFOW>() as u32;
    // SAFETY: the call writes to a structure that we own and that states its size.
    match unsafe { RtlGetVersion(&raw mut found) } {
        0 => format!("{}.{}.{}", found.dwMajorVersion, found.dwMinorVersion, found.dwBuildNumber),
        _ => String::new(),
    }
}

/// Returns the memory of the machine in bytes.
pub(crate) fn memory() -> Option<u64> {
    // SAFETY: the structure contains numbers only, so all-zero bytes are a valid one.
    let mut found: MEMORYSTATUSEX = unsafe { zeroed() };
    found.dwLength = size_of::<MEMORYSTATUSEX>() as u32;
    // SAFETY: the call writes to a structure that we own and that states its size.
    check(unsafe { GlobalMemoryStatusEx(&raw mut found) }).ok()?;
    Some(found.ullTotalPhys)
}

/// Returns `None`: the clock frequency has no governor, but a plan for power.
pub(crate) fn governor() -> Option<String> {
    None
}

/// Returns the name of the release; empty if unknown.
pub(crate) fn release() -> String {
    let key = w!("SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion");
    let mut name = [0; LONGEST_NAME];
    let mut bytes = size_of_val(&name) as u32;
    // SAFETY: both names end in NUL, and the call writes to the buffer, at most the bytes that it is told.
    let status = unsafe {
        RegGetValueW(
            HKEY_LOCAL_MACHINE,
            key,
            w!("ProductName"),
            RRF_RT_REG_SZ,
            null_mut(),
            name.as_mut_ptr().cast(),
            &raw mut bytes,
        )
    };
    if status == 0 { text(&name) } else { String::new() }
}

/// Returns the storage of a folder: its file system, and the place of its volume.
pub(crate) fn storage(folder: &Path) -> Option<Storage> {
    let path: Vec<u16> = folder.as_os_str().encode_wide().chain([0]).collect();
    let mut root = vec![0; MAX_PATH_UNITS];
    // SAFETY: the path ends in NUL, and the buffer has room for as many units as the call is told.
    check(unsafe { GetVolumePathNameW(path.as_ptr(), root.as_mut_ptr(), root.len() as u32) }).ok()?;
    let mut name = [0; LONGEST_NAME];
    // SAFETY: the root ends in NUL, the buffer has room for as many units as the call is told, and nulls stand for values
    // that are not wanted.
    check(unsafe {
        GetVolumeInformationW(
            root.as_ptr(),
            null_mut(),
            0,
            null_mut(),
            null_mut(),
            null_mut(),
            name.as_mut_ptr(),
            name.len() as u32,
        )
    })
    .ok()?;
    // SAFETY: the root ends in NUL.
    let is_memory = unsafe { GetDriveTypeW(root.as_ptr()) } == DRIVE_RAMDISK;
    Some(Storage {
        file_system: text(&name),
        source: text(&root).trim_start_matches(r"\\?\").to_string(),
        medium: is_memory.then(|| "memory".to_string()),
    })
}

fn text(units: &[u16]) -> String {
    let end = units.iter().position(|unit| *unit == 0).unwrap_or(units.len());
    String::from_utf16_lossy(&units[..end])
}
