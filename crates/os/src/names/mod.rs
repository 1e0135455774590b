//! Names and paths as bytes, the form in which hashmill sorts, compares and records them.
//!
//! On Linux and macOS, these are the bytes that the system stores. Windows stores units of 16 bits, which need not be
//! valid UTF-16. Their form here is UTF-8, with lone surrogates in three bytes each (WTF-8). The order of bytes is then
//! the order of code points, and each name has one form: the form of a surrogate pair is that of its character alone.
//!
//! A path has `/` between its names on all systems.

pub mod pattern;
pub mod roots;

use crate::sys;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::Path;

/// A path that all systems refuse.
const IMPOSSIBLE: &str = "\0";

/// Returns the bytes of a name or of another word of the system.
pub fn bytes(name: &(impl AsRef<OsStr> + ?Sized)) -> Cow<'_, [u8]> {
    sys::bytes(name.as_ref())
}

/// Returns the bytes of a path, with `/` between its names.
pub fn path_bytes(path: &(impl AsRef<Path> + ?Sized)) -> Cow<'_, [u8]> {
    sys::path_bytes(path.as_ref())
}

/// Converts a name into its bytes.
pub use crate::sys::into_bytes;

/// Converts a path into its bytes, with `/` between its names.
pub use crate::sys::into_path_bytes;

/// Returns the name with these bytes.
///
/// # Errors
/// If no name of the system has these bytes, which can't happen on Linux and macOS: the kind is
/// [`InvalidFilename`](std::io::ErrorKind::InvalidFilename).
pub use crate::sys::name;

/// Returns the path with these bytes.
///
/// # Errors
/// As [`name`]; on Windows also for bytes with `\`, which would separate names there but is part of a name elsewhere.
pub use crate::sys::path;

/// Returns the path of a file from the root, without links and `..`. On Windows it is written as people write it, not in the form
/// that the system does not interpret (`\\?\C:\…`), unless that would name another file.
///
/// # Errors
/// If there is no such file, or a folder on the way can't be read.
pub use crate::sys::canonical;

/// Returns the path with these bytes; if there is none, one that no file can have: every attempt to look it up fails.
pub fn path_to_try(bytes: &[u8]) -> Cow<'_, Path> {
    sys::path(bytes).unwrap_or(Cow::Borrowed(Path::new(IMPOSSIBLE)))
}

/// Returns the path with these bytes, of which the system changes nothing: on Windows, the last dot and space of a name are
/// a part of it then, and a name below a folder stands for no device (`tree/NUL`). Only to open it or to look it up.
///
/// # Errors
/// As [`path`]; on Windows also if the current folder is not known.
pub use crate::sys::exact_path;

/// Converts bytes into the name that has them.
///
/// # Errors
/// As [`name`].
pub use crate::sys::into_name;

/// Converts bytes into the path that has them.
///
/// # Errors
/// As [`path`].
pub use crate::sys::into_path;

/// Returns whether a path starts from a root, not from the working directory: at `/`, and on Windows also at a drive, as
/// `C:/`.
pub use crate::sys::is_from_root;

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn text_is_its_own_bytes() {
        for text in ["", "a", "größe", "d/\u{10ffff}"] {
            assert_eq!(&*bytes(text), text.as_bytes());
            assert_eq!(into_bytes(text.into()), text.as_bytes());
            assert_eq!(&*name(text.as_bytes()).unwrap(), text);
            assert_eq!(&*path_bytes(text), text.as_bytes());
            assert_eq!(&*path(text.as_bytes()).unwrap(), Path::new(text));
            assert_eq!(into_path(text.into()).unwrap(), Path::new(text));
        }
    }

    #[test]
    fn impossible_paths_are_not_found() {
        let refused = Path::new(IMPOSSIBLE).metadata().unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::InvalidInput);
        assert_eq!(&*path_to_try(b"a/b"), Path::new("a/b"));
    }

    #[test]
    fn bytes_are_those_of_the_standard_library() {
        // It does not promise that; a difference would be worth knowing.
        let own = std::env::current_exe().unwrap();
        assert_eq!(&*bytes(&own), own.as_os_str().as_encoded_bytes());
    }
}
