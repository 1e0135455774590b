//! Paths as bytes: joining, names, and paths that are longer than the kernel accepts at once.

use crate::sys;
use hashloom_os::names;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

/// The longest path that a system call accepts: `PATH_MAX` counts the closing NUL.
pub(crate) const LONGEST: usize = libc::PATH_MAX as usize - 1;

/// A path of any length in the form that system calls accept: a directory to start from, and a path that is short
/// enough.
pub(crate) struct ShortPath<'a> {
    /// The directory to start from; `None` is the working directory.
    pub(crate) start: Option<OwnedFd>,
    /// The path from there.
    pub(crate) path: &'a [u8],
}

impl<'a> ShortPath<'a> {
    /// Opens the directories of a long path step by step, each step shorter than `PATH_MAX`.
    pub(crate) fn open(path: &'a [u8]) -> io::Result<ShortPath<'a>> {
        let mut short = ShortPath { start: None, path };
        while short.path.len() > LONGEST {
            // Without a slash, a single name is too long, which the kernel rejects.
            let Some(slash) = short.path[..LONGEST].iter().rposition(|&byte| byte == b'/') else { break };
            let (step, rest) = short.path.split_at(slash + 1);
            let flags = libc::O_PATH | libc::O_DIRECTORY;
            short.start = Some(sys::open(&ShortPath { start: short.start, path: step }, flags)?);
            short.path = without_leading_slashes(rest);
        }
        Ok(short)
    }
}

/// Strips leading slashes; returns `.` if nothing is left.
pub(crate) fn without_leading_slashes(path: &[u8]) -> &[u8] {
    match path.iter().position(|&byte| byte != b'/') {
        Some(first) => &path[first..],
        None => b".",
    }
}

/// Makes a directory's path, as typed, end in one slash, so that the names of its entries can be appended.
pub(crate) fn end_in_slash(directory: &mut Vec<u8>) {
    directory.truncate(length_without_slashes(directory));
    directory.push(b'/');
}

/// Returns the last part of a path, ignoring trailing slashes. Empty for the root.
pub(crate) fn name(path: &[u8]) -> &[u8] {
    let end = length_without_slashes(path);
    let start = path[..end].iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    &path[start..end]
}

/// Returns the working directory as the system names it, and as the shell does if links lead there. Empty if unknown.
pub(crate) fn working_directories() -> Vec<Vec<u8>> {
    let system = std::env::current_dir().ok();
    let same = |typed: &PathBuf| {
        let canonical = typed.is_absolute().then(|| typed.canonicalize().ok()).flatten();
        canonical.is_some() && canonical == system && Some(typed) != system.as_ref()
    };
    let shell = std::env::var_os("PWD").map(PathBuf::from).filter(same);
    system.iter().cloned().chain(shell).map(|path| names::into_path_bytes(path)).collect()
}

/// Returns the path from the root of one that is shown relative to a directory. `.` and `..` are resolved lexically.
pub(crate) fn from_root(directory: &[u8], shown: &[u8]) -> Vec<u8> {
    let mut path = directory.strip_suffix(b"/").unwrap_or(directory).to_vec();
    for part in shown.split(|&byte| byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => path.truncate(path.iter().rposition(|&byte| byte == b'/').unwrap_or(0)),
            name => {
                path.push(b'/');
                path.extend_from_slice(name);
            }
        }
    }
    path
}

fn length_without_slashes(path: &[u8]) -> usize {
    path.iter().rposition(|&byte| byte != b'/').map_or(0, |last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_from_the_root_have_no_steps_back() {
        for (directory, shown, wanted) in [
            ("/a/b", "c", "/a/b/c"),
            ("/a/b", "./c//d", "/a/b/c/d"),
            ("/a/b", "../c", "/a/c"),
            ("/a", "../../c", "/c"),
            ("/", "c", "/c"),
        ] {
            let found = from_root(directory.as_bytes(), shown.as_bytes());
            assert_eq!(found, wanted.as_bytes(), "{directory} {shown}");
        }
    }

    #[test]
    fn one_slash_stands_between_directory_and_name() {
        for (directory, expected) in
            [("d", "d/"), ("d/", "d/"), ("d//", "d/"), (".", "./"), ("..", "../"), ("/", "/"), ("//", "/")]
        {
            let mut path = directory.as_bytes().to_vec();
            end_in_slash(&mut path);
            assert_eq!(path, expected.as_bytes());
        }
    }

    #[test]
    fn the_name_is_the_last_part() {
        for (path, expected) in
            [("a/b", "b"), ("b", "b"), ("a/b//", "b"), ("/", ""), ("", ""), ("a/..", "..")]
        {
            assert_eq!(name(path.as_bytes()), expected.as_bytes());
        }
    }

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
            assert!(short.path.len() <= LONGEST && short.path.ends_with(end.as_bytes()));
            assert!(sys::stat(path.as_bytes(), sys::Links::Follow).unwrap().is_directory());
        }
    }

    #[test]
    fn a_name_that_is_too_long_is_reported() {
        let error = sys::stat(&[b'x'; 5000], sys::Links::Follow).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ENAMETOOLONG));
    }
}
