//! The part that most calls share.

use std::ffi::c_int;
use std::io;

/// Repeats a call that a signal interrupted.
pub(crate) fn retry(mut call: impl FnMut() -> c_int) -> io::Result<c_int> {
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
