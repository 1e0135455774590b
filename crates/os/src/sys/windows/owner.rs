//! Owners of files.

use super::calls::{check, check_number, handle};
use super::facts::{facts, look};
use super::guard::Local;
use super::wide::wide_text;
use crate::{Access, Facts, Links, Owner};
use std::fs::File;
use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::path::Path;
use std::ptr::null_mut;
use windows_sys::Win32::Security::Authorization::{
    ConvertSidToStringSidW, ConvertStringSidToSidW, GetSecurityInfo, SE_FILE_OBJECT,
};
use windows_sys::Win32::Security::{
    EqualSid, GetTokenInformation, IsWellKnownSid, OWNER_SECURITY_INFORMATION, PSID, TOKEN_QUERY, TOKEN_USER,
    TokenUser, WinBuiltinAdministratorsSid, WinLocalSystemSid,
};
use windows_sys::Win32::Storage::FileSystem::{FILE_READ_ATTRIBUTES, READ_CONTROL};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

/// The SID of the service that installs Windows itself, `NT SERVICE\TrustedInstaller`.
const INSTALLER: &str = "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464";

/// The system in messages.
pub const SYSTEM: &str = "the system";
/// The word before the SID of another user in messages.
pub const USER_NUMBER: &str = "SID";

/// Room for the user of a token, a multiple of its alignment: a pointer, flags and the longest SID need less.
const TOKEN_WORDS: usize = 32;

#[allow(unsafe_code)]
pub fn owner(file: &File) -> io::Result<Owner> {
    let (mut sid, mut descriptor) = (null_mut(), null_mut());
    // SAFETY: the handle is open, and the call writes addresses to pointers that we own; the others are not wanted.
    check_number(unsafe {
        GetSecurityInfo(
            handle(file),
            SE_FILE_OBJECT,
            OWNER_SECURITY_INFORMATION,
            &raw mut sid,
            null_mut(),
            null_mut(),
            null_mut(),
            &raw mut descriptor,
        )
    })?;
    // SAFETY: the call allocated it for its caller. The SID lies in it.
    let _descriptor = unsafe { Local::new(descriptor) };
    if sid.is_null() {
        return Err(io::Error::other("the file has no owner"));
    }
    if is_mine(sid)? {
        return Ok(Owner::Mine);
    }
    if is_system(sid)? { Ok(Owner::System) } else { text(sid).map(Owner::Other) }
}

pub fn owned_at(path: &Path, links: Links) -> io::Result<(Facts, Owner)> {
    let file = look(path, links, READ_CONTROL | FILE_READ_ATTRIBUTES)?;
    Ok((facts(&file)?, owner(&file)?))
}

pub fn others_may(_: &File) -> io::Result<Access> {
    Ok(Access { read: false, write: false, everybody_writes: false })
}

/// Returns whether this is the SID of the user of this process.
#[allow(unsafe_code)]
fn is_mine(sid: PSID) -> io::Result<bool> {
    // SAFETY: both are valid.
    with_user(|user| Ok(unsafe { EqualSid(user, sid) } != 0))
}

/// Returns the SID of the user of this process as text.
pub(super) fn user() -> io::Result<Box<str>> {
    with_user(text)
}

/// Calls a function with the SID of the user of this process.
#[allow(unsafe_code)]
fn with_user<T>(call: impl FnOnce(PSID) -> io::Result<T>) -> io::Result<T> {
    let mut token = null_mut();
    // SAFETY: the call writes a handle to a pointer that we own.
    check(unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &raw mut token) })?;
    // SAFETY: the handle is new and has no other owner.
    let token = unsafe { OwnedHandle::from_raw_handle(token) };
    let mut user = [0_u64; TOKEN_WORDS];
    let mut used = 0;
    // SAFETY: the buffer has as many bytes as the call is told, and is aligned for the structure.
    check(unsafe {
        GetTokenInformation(
            token.as_raw_handle(),
            TokenUser,
            user.as_mut_ptr().cast(),
            size_of_val(&user) as u32,
            &raw mut used,
        )
    })?;
    // SAFETY: the call wrote the structure, whose SID lies behind it in the buffer, which outlives the call.
    call(unsafe { (*user.as_ptr().cast::<TOKEN_USER>()).User.Sid })
}

/// Returns whether this is the SID of Windows or of its administrators.
#[allow(unsafe_code)]
fn is_system(sid: PSID) -> io::Result<bool> {
    // SAFETY: `sid` is valid.
    let is = |kind| unsafe { IsWellKnownSid(sid, kind) } != 0;
    if is(WinLocalSystemSid) || is(WinBuiltinAdministratorsSid) {
        return Ok(true);
    }
    let text = wide_text(INSTALLER);
    let mut installer = null_mut();
    // SAFETY: the text ends in NUL, and the call writes an address to a pointer that we own.
    check(unsafe { ConvertStringSidToSidW(text.as_ptr(), &raw mut installer) })?;
    // SAFETY: the call allocated it for its caller.
    let installer = unsafe { Local::new(installer) };
    // SAFETY: both are valid.
    Ok(unsafe { EqualSid(installer.get(), sid) } != 0)
}

#[allow(unsafe_code)]
fn text(sid: PSID) -> io::Result<Box<str>> {
    let mut text = null_mut();
    // SAFETY: `sid` is valid, and the call writes an address to a pointer that we own.
    check(unsafe { ConvertSidToStringSidW(sid, &raw mut text) })?;
    // SAFETY: the call allocated it for its caller.
    let _text = unsafe { Local::new(text.cast()) };
    // SAFETY: the text ends in NUL.
    let units = (0..).map(|at| unsafe { *text.add(at) }).take_while(|&unit| unit != 0);
    Ok(char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
}
