//! Paths that are longer than the kernel accepts at once.

use super::calls;
use super::unix::open_short;
use crate::opening::Want;
use crate::path::without_leading_slashes;
use std::fs::File;
use std::io;

/// The longest path that a system call accepts: `PATH_MAX` counts the closing NUL.
pub(super) const LONGEST_PATH: usize = libc::PATH_MAX as usize - 1;

/// A path of any length in the form that system calls accept: a directory to start from, and a path that is short
/// enough.
pub(super) struct ShortPath<'a> {
    /// The directory to start from; `None` is the working directory.
    pub(super) start: Option<File>,
    /// The path from there.
    pub(super) path: &'a [u8],
}

impl<'a> ShortPath<'a> {
    /// Opens the directories of a long path step by step, each step shorter than `PATH_MAX`.
    pub(super) fn open(path: &'a [u8]) -> io::Result<ShortPath<'a>> {
        let mut short = ShortPath { start: None, path };
        while short.path.len() > LONGEST_PATH {
            // Without a slash, a single name is too long, which the kernel rejects.
            let Some(slash) = short.path[..LONGEST_PATH].iter().rposition(|&byte| byte == b'/') else {
                break;
            };
            let (step, rest) = short.path.split_at(slash + 1);
            let step = ShortPath { start: short.start, path: step };
            short.start = Some(open_short(&step, calls::flags(Want::Lookup))?);
            short.path = without_leading_slashes(rest);
        }
        Ok(short)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::stat;
    use hashmill_os::Links;

    #[test]
    fn long_paths_are_gone_down_in_steps() {
        let long = "./".repeat(5000);
        for (path, end) in [
            (format!("{long}src"), "src"),
            (format!("{long}/"), "/"),
            (format!("{long}//."), "."),
            ("/".repeat(5000), "."),
        ] {
            let short = ShortPath::open(path.as_bytes()).unwrap();
            assert!(short.start.is_some());
            assert!(short.path.len() <= LONGEST_PATH && short.path.ends_with(end.as_bytes()));
            assert!(stat(path.as_bytes(), Links::Follow).unwrap().is_directory());
        }
    }

    #[test]
    fn a_name_that_is_too_long_is_reported() {
        let error = stat(&[b'x'; 5000], Links::Follow).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ENAMETOOLONG));
    }
}
