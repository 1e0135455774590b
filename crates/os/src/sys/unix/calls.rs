//! The part that most calls share.

use std::ffi::c_int;
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
