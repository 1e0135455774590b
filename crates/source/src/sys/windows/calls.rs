//! Helpers of all calls in this folder.

use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::os::windows::io::AsRawHandle;
use std::ptr;
use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::System::IO::DeviceIoControl;
use windows_sys::core::BOOL;

pub(super) fn handle(file: &File) -> HANDLE {
    file.as_raw_handle()
}

/// Returns the system's error if a call failed.
pub(super) fn check(result: BOOL) -> io::Result<()> {
    if result == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Sends a request with these bytes to a file's driver. Returns the number of bytes of its answer.
///
/// # Errors
/// If the driver does not know the request, or its answer does not fit.
pub(super) fn control(file: &File, code: u32, asked: &[u8], answer: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    let (asked_at, answer_at): (*const c_void, *mut c_void) =
        (asked.as_ptr().cast(), answer.as_mut_ptr().cast());
    // SAFETY: the handle is open, and both lengths are those of what is borrowed until the call returns.
    check(unsafe {
        DeviceIoControl(
            handle(file),
            code,
            asked_at,
            asked.len() as u32,
            answer_at,
            answer.len() as u32,
            &raw mut length,
            ptr::null_mut(),
        )
    })?;
    Ok((length as usize).min(answer.len()))
}

/// Returns the number of 64 bits at a place of an answer; 0 beyond its end.
pub(super) fn number(answer: &[u8], at: usize) -> u64 {
    answer.get(at..at + 8).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u64::from_le_bytes(*bytes))
}
