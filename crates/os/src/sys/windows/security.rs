//! Files and folders that only their owner can use.

use super::calls::{check, check_number, handle, size};
use super::facts::look;
use super::guard::Local;
use super::owner::user;
use super::wide::{wide, wide_text};
use crate::Links;
use std::fs::File;
use std::io;
use std::os::windows::io::FromRawHandle;
use std::path::Path;
use std::ptr::{null, null_mut};
use windows_sys::Win32::Foundation::{GENERIC_READ, GENERIC_WRITE, INVALID_HANDLE_VALUE};
use windows_sys::Win32::Security::Authorization::{
    ConvertStringSecurityDescriptorToSecurityDescriptorW, SDDL_REVISION_1, SE_FILE_OBJECT, SetSecurityInfo,
};
use windows_sys::Win32::Security::{
    ACL, ACL_REVISION, DACL_SECURITY_INFORMATION, InitializeAcl, SECURITY_ATTRIBUTES,
    UNPROTECTED_DACL_SECURITY_INFORMATION,
};
use windows_sys::Win32::Storage::FileSystem::{
    CREATE_NEW, CreateDirectoryW, CreateFileW, FILE_ATTRIBUTE_NORMAL, FILE_SHARE_DELETE, FILE_SHARE_READ,
    FILE_SHARE_WRITE, READ_CONTROL, WRITE_DAC,
};

/// Returns access rights that aren't inherited from the folder: everything for the user and the system. Files and folders
/// below inherit them. Wine grants nothing to the owner as such (`OW`).
fn own() -> io::Result<String> {
    Ok(format!("D:P(A;OICI;FA;;;{})(A;OICI;FA;;;SY)", user()?))
}

#[allow(unsafe_code)]
pub fn create_own(path: &Path) -> io::Result<File> {
    let path = wide(path)?;
    let rights = GENERIC_READ | GENERIC_WRITE | WRITE_DAC;
    let share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    with_own(|own| {
        // SAFETY: the path ends in NUL, and `own` is valid; both outlive the call.
        let handle = unsafe {
            CreateFileW(path.as_ptr(), rights, share, own, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, null_mut())
        };
        if handle == INVALID_HANDLE_VALUE {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle is new and has no other owner.
        Ok(unsafe { File::from_raw_handle(handle) })
    })
}

#[allow(unsafe_code)]
pub fn create_own_folder(path: &Path) -> io::Result<()> {
    let path = wide(path)?;
    // SAFETY: the path ends in NUL, and `own` is valid; both outlive the call.
    with_own(|own| check(unsafe { CreateDirectoryW(path.as_ptr(), own) }))
}

/// Calls a function with the attributes of what only its owner can use.
#[allow(unsafe_code)]
fn with_own<T>(call: impl FnOnce(*const SECURITY_ATTRIBUTES) -> io::Result<T>) -> io::Result<T> {
    let text = wide_text(&own()?);
    let mut descriptor = null_mut();
    // SAFETY: the text ends in NUL, and the call writes an address to a pointer that we own.
    check(unsafe {
        ConvertStringSecurityDescriptorToSecurityDescriptorW(
            text.as_ptr(),
            SDDL_REVISION_1,
            &raw mut descriptor,
            null_mut(),
        )
    })?;
    // SAFETY: the call allocated it for its caller.
    let descriptor = unsafe { Local::new(descriptor) };
    let attributes = SECURITY_ATTRIBUTES {
        nLength: size::<SECURITY_ATTRIBUTES>(),
        lpSecurityDescriptor: descriptor.get(),
        bInheritHandle: 0,
    };
    call(&raw const attributes)
}

pub fn close_folder(_: &File) -> io::Result<()> {
    Ok(())
}

/// Does with a folder what [`publish`] does with a file. The system passes the rights on to what is in it.
pub fn publish_folder(_: &File, path: &Path, mode: u32) -> io::Result<()> {
    publish(&look(path, Links::Stay, READ_CONTROL | WRITE_DAC)?, mode)
}

/// Replaces own access rights by those that the folder gives. Without the right for that, the file had the folder's
/// rights all along, or the file system has none.
#[allow(unsafe_code)]
pub fn publish(file: &File, _: u32) -> io::Result<()> {
    let mut empty = ACL { AclRevision: 0, Sbz1: 0, AclSize: 0, AceCount: 0, Sbz2: 0 };
    // SAFETY: the list is ours, and as large as the call is told.
    check(unsafe { InitializeAcl(&raw mut empty, size::<ACL>(), ACL_REVISION) })?;
    let parts = DACL_SECURITY_INFORMATION | UNPROTECTED_DACL_SECURITY_INFORMATION;
    // SAFETY: the handle is open, and the list outlives the call; nulls stand for parts that stay.
    let number = unsafe {
        SetSecurityInfo(handle(file), SE_FILE_OBJECT, parts, null_mut(), null_mut(), &raw const empty, null())
    };
    match check_number(number) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        Err(error) if crate::error::is_no_locks(&error) => Ok(()),
        done => done,
    }
}
