//! The part that most calls share.

use std::ffi::{CStr, CString, c_int};
use std::io;

/// Repeats a call of Unix, which returns a negative number if it fails, as long as a signal interrupts it.
///
/// # Errors
/// Any other than an interruption.
pub fn retry_interrupted(mut call: impl FnMut() -> c_int) -> io::Result<c_int> {
    loop {
        let result = call();
        if result >= 0 {
            return Ok(result);
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Calls a function with the bytes as a C string. Most are short enough for the stack.
///
/// # Errors
/// Those of the function, and if one of the bytes is zero.
pub fn with_c_string<T>(bytes: &[u8], call: impl FnOnce(&CStr) -> io::Result<T>) -> io::Result<T> {
    let mut short = [0; 256];
    if bytes.len() < short.len() {
        short[..bytes.len()].copy_from_slice(bytes);
        return match CStr::from_bytes_with_nul(&short[..=bytes.len()]) {
            Ok(string) => call(string),
            Err(_) => Err(io::ErrorKind::InvalidInput.into()),
        };
    }
    call(&CString::new(bytes)?)
}
