//! Windows. hashdeep's own version for Windows differs from that for Linux in more than its calls: paths and ends of lines
//! are those of Windows, patterns in operands are expanded, and links in folders are not followed.

pub(crate) use crate::plain_path::SystemPath;

use hashmill_os::reparse::{JUNCTION, SYMLINK};
use hashmill_os::{Facts, FileKind, Usage, error, names};
use std::borrow::Cow;
use std::ffi::OsString;
use std::io;
use std::path::absolute as absolute_path;
use std::thread::available_parallelism;

/// The end of lines.
pub(crate) const NEWLINE: &str = "\r\n";

/// The prompt before the command in the help.
pub(crate) const PROMPT: &str = "C:\\>";

/// The width of the line that shows progress.
pub(crate) const WIDTH: usize = 72;

/// The name of the device that is always empty.
const NULL: &[u8] = b"nul";

/// The text of the C library for errors of files.
const REASONS: &[(&str, &str)] = &[
    ("ENOENT", "No such file or directory"),
    ("EACCES", "Permission denied"),
    ("EPERM", "Operation not permitted"),
    ("EIO", "Input/output error"),
    ("ENXIO", "No such device or address"),
    ("EINVAL", "Invalid argument"),
    ("EEXIST", "File exists"),
    ("EISDIR", "Is a directory"),
    ("ENOTDIR", "Not a directory"),
    ("EMFILE", "Too many open files"),
    ("ENOSPC", "No space left on device"),
    ("EROFS", "Read-only file system"),
    ("ENAMETOOLONG", "Filename too long"),
    ("EBUSY", "Resource device"),
    ("ENOMEM", "Not enough space"),
];

/// Returns the number of processors, as counted by `-h`.
pub(crate) fn processors() -> i64 {
    available_parallelism().map_or(1, |count| count.get() as i64)
}

/// Returns a path as it is shown.
pub(crate) fn shown(path: &[u8]) -> Cow<'_, [u8]> {
    Cow::Owned(path.iter().map(|byte| if *byte == b'/' { b'\\' } else { *byte }).collect())
}

/// Returns a path that was written in a list.
pub(crate) fn written(mut path: Vec<u8>) -> Vec<u8> {
    path.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
    path
}

/// Returns the prompt before the command in the banner.
pub(crate) fn prompt(directory: &[u8]) -> Cow<'static, [u8]> {
    Cow::Owned([&*shown(directory), b">"].concat())
}

/// Returns the name of a command by the file of its program, without its extension and the number of bits.
pub(crate) fn command(file: &[u8]) -> &[u8] {
    let name = file.strip_suffix(b".exe").unwrap_or(file);
    name.strip_suffix(b"64").unwrap_or(name)
}

/// Returns the absolute path of an operand, as Windows makes it: without dots and superfluous separators, with a drive.
pub(crate) fn absolute(_: &[u8], operand: OsString) -> Vec<u8> {
    names::into_path_bytes(absolute_path(&operand).unwrap_or_else(|_| operand.into()))
}

/// Removes the separator at the end of a path, and adds one to a drive.
pub(crate) fn tidy(mut path: Vec<u8>) -> Vec<u8> {
    match path[..] {
        [_, b':'] => path.push(b'/'),
        [_, b':', _] | [] | [_] => {}
        [.., b'/'] => drop(path.pop()),
        _ => {}
    }
    path
}

/// Normalises a path that is shown as given.
pub(crate) fn tidy_relative(path: Vec<u8>) -> Vec<u8> {
    tidy(path)
}

/// Returns the remark about a file in a folder that is skipped because it stands for another one.
pub(crate) fn skipped(facts: &Facts) -> Option<String> {
    (facts.kind == FileKind::Link || facts.elsewhere).then(|| match facts.tag {
        JUNCTION => "Junction point, skipping".to_string(),
        SYMLINK => "Symbolic link, skipping".to_string(),
        other => format!("Unknown reparse point 0x{other:x}, skipping"),
    })
}

/// Returns whether it is the device that is always empty.
pub(crate) fn is_null(facts: &Facts, path: &[u8]) -> bool {
    facts.kind == FileKind::Character && crate::path::bare(path).eq_ignore_ascii_case(NULL)
}

/// Returns the time that is shown as ctime: that of the creation.
pub(crate) fn ctime(facts: &Facts) -> i64 {
    facts.born.0
}

/// Returns the text of an error, if it is not that of the standard library.
pub(crate) fn reason(error: &io::Error) -> Option<&'static str> {
    error.raw_os_error()?;
    let word = error::word(error);
    REASONS.iter().find(|(name, _)| *name == word).map(|(_, text)| *text)
}

/// Returns the elements of a DFXML document about the system: none.
pub(crate) fn system() -> Vec<(&'static str, Vec<u8>)> {
    Vec::new()
}

/// Returns the number of the user who started the command, for a DFXML document: none.
pub(crate) fn user() -> Option<u32> {
    None
}

/// Returns the resources of the run, for a DFXML document: none.
pub(crate) fn usage() -> Option<Usage> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::personality::Personality;

    #[test]
    fn programs_are_commands_with_extension_and_number() {
        let name = |path: &str| Personality::named(path.as_ref()).map(Personality::name);
        for path in ["md5deep64.exe", "md5deep.exe", r"C:\tools\MD5DEEP64.EXE", "./md5deep", r"..\md5deep64"]
        {
            assert_eq!(name(path).as_deref(), Some("md5deep"), "{path}");
        }
        assert_eq!(name("HASHDEEP.EXE").as_deref(), Some("hashdeep"));
        assert_eq!(name("hashdeep64.exe").as_deref(), Some("hashdeep"));
        for path in ["hashmill.exe", "md5deep32.exe", "deep.exe", r"md5deep.exe\x"] {
            assert_eq!(name(path), None, "{path}");
        }
    }

    #[test]
    fn paths_are_shown_with_backslashes_and_read_with_either() {
        assert_eq!(&*shown(b"C:/a/b"), br"C:\a\b");
        assert_eq!(written(br"C:\a/b".to_vec()), b"C:/a/b");
        assert_eq!(&*prompt(b"C:/a"), br"C:\a>");
    }

    #[test]
    fn paths_are_as_windows_wants_them() {
        for (path, tidied) in
            [("d:", "d:/"), ("d:/", "d:/"), ("d:/a/", "d:/a"), ("a/", "a"), ("//s/t", "//s/t")]
        {
            assert_eq!(tidy(path.into()), tidied.as_bytes(), "{path}");
        }
        assert_eq!(absolute(b"", r"C:\a\.\b\..\c//d".into()), b"C:/a/c/d");
        assert!(absolute(b"", "x".into()).ends_with(b"/x"));
    }
}
