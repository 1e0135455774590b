//! Windows.

pub(crate) use libc::{EACCES, EEXIST, EINTR, EINVAL, EIO, EISDIR, ENOENT, ENOTDIR, ETIMEDOUT};

/// Returns the number of a system's error as Python has it (`PC/errmap.h` of CPython).
pub(crate) fn errno(number: i32) -> i32 {
    match number {
        // ERROR_FILE_NOT_FOUND and ERROR_PATH_NOT_FOUND, names that nothing can have, networks that are not there.
        2 | 3 | 15 | 53 | 67 | 123 | 161 => ENOENT,
        // ERROR_ACCESS_DENIED, ERROR_WRITE_PROTECT to ERROR_SHARING_BUFFER_EXCEEDED, and the like.
        5 | 16 | 19..=36 | 65 | 82 | 83 | 108 | 132 | 158 | 167 => EACCES,
        4 => libc::EMFILE,
        8 | 14 => libc::ENOMEM,
        80 | 183 => EEXIST,
        109 | 232 => libc::EPIPE,
        112 => libc::ENOSPC,
        145 => libc::ENOTEMPTY,
        267 => ENOTDIR,
        _ => EINVAL,
    }
}

/// Does nothing: the command's own handler of Ctrl-C comes before the interpreter's.
pub(crate) fn behave_as_a_program() {}
