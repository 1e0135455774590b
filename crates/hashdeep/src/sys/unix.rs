//! The functions that Linux and macOS share.

use super::NULL;
use crate::path::below;
use hashmill_os::{Facts, FileKind, Usage, names, user_number};
use rustix::process::getuid;
use rustix::system::uname;
use std::borrow::Cow;
use std::ffi::OsString;

/// The end of lines.
pub(crate) const NEWLINE: &str = "\n";

/// The prompt before the command in the help.
pub(crate) const PROMPT: &str = "$";

/// The width of the line that shows progress.
pub(crate) const WIDTH: usize = 74;

/// Returns the number of processors, as counted by `-h`.
#[allow(unsafe_code)]
pub(crate) fn processors() -> i64 {
    // SAFETY: the call takes a number and touches no memory.
    let count = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    if count < 0 { 1 } else { count }
}

/// Returns a path as it is shown.
pub(crate) fn shown(path: &[u8]) -> Cow<'_, [u8]> {
    Cow::Borrowed(path)
}

/// Returns a path that was written in a list.
pub(crate) fn written(path: Vec<u8>) -> Vec<u8> {
    path
}

/// Returns the prompt before the command in the banner.
pub(crate) fn prompt(_: &[u8]) -> Cow<'static, [u8]> {
    Cow::Borrowed(if user_number() == Some(0) { b"#" } else { b"$" })
}

/// Returns the name of a command by the file of its program.
pub(crate) fn command(file: &[u8]) -> &[u8] {
    file
}

/// Returns the absolute path of an operand, without resolving anything in it.
pub(crate) fn absolute(directory: &[u8], operand: OsString) -> Vec<u8> {
    let operand = names::into_path_bytes(operand.into());
    if operand.starts_with(b"/") { operand } else { below(directory, &operand) }
}

/// Normalises an absolute path like hashdeep: removes double slashes, `/./`, and `/../` with the component before it.
/// Links are not resolved, and one or two dots at the end stay.
pub(crate) fn tidy(path: Vec<u8>) -> Vec<u8> {
    let mut tidy: Vec<u8> = Vec::with_capacity(path.len());
    let mut climbing = true;
    for byte in path {
        tidy.push(byte);
        if byte != b'/' {
            continue;
        }
        let kept = tidy.len() - trailing(&tidy);
        tidy.truncate(kept);
        if climbing && tidy.ends_with(b"/../") {
            climbing = climb(&mut tidy);
        }
    }
    tidy
}

/// Returns the number of redundant bytes at the end: a second slash, or `./` after a slash.
fn trailing(path: &[u8]) -> usize {
    match path {
        [.., b'/', b'/'] => 1,
        [.., b'/', b'.', b'/'] => 2,
        _ => 0,
    }
}

/// Removes `/../` with the component before it, which is missing at the root. Returns false for the first component of
/// a relative path, which stays together with everything after it.
fn climb(path: &mut Vec<u8>) -> bool {
    let at = path.len() - 4;
    match path[..at].iter().rposition(|byte| *byte == b'/') {
        Some(before) => path.truncate(before + 1),
        None if at == 0 => path.truncate(1),
        None => return false,
    }
    true
}

/// Normalises a path that is shown as given.
pub(crate) fn tidy_relative(path: Vec<u8>) -> Vec<u8> {
    path
}

/// Returns the remark about a file in a folder that is skipped because it stands for another one.
pub(crate) fn skipped(_: &Facts) -> Option<String> {
    None
}

/// Returns whether it is the device that is always empty.
pub(crate) fn is_null(facts: &Facts, _: &[u8]) -> bool {
    facts.kind == FileKind::Character && facts.device == NULL
}

/// Returns the time that is shown as ctime: that of the last change of the inode.
pub(crate) fn ctime(facts: &Facts) -> i64 {
    facts.ctime.0
}

/// Returns the elements of a DFXML document about the system.
pub(crate) fn system() -> Vec<(&'static str, Vec<u8>)> {
    let name = uname();
    let elements = [
        ("os_sysname", name.sysname()),
        ("os_release", name.release()),
        ("os_version", name.version()),
        ("host", name.nodename()),
        ("arch", name.machine()),
    ];
    elements.into_iter().map(|(tag, text)| (tag, text.to_bytes().to_vec())).collect()
}

/// Returns the number of the user who started the command, for a DFXML document.
pub(crate) fn user() -> Option<u32> {
    Some(getuid().as_raw())
}

/// Returns the resources of the run, for a DFXML document.
pub(crate) fn usage() -> Option<Usage> {
    hashmill_os::usage().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_tidied_by_their_letters() {
        for (path, tidied) in [
            ("/a//b///c", "/a/b/c"),
            ("/a/./b/././c/.", "/a/b/c/."),
            ("/a/../b", "/b"),
            ("/a/b/../../c", "/c"),
            ("/a/.//../b", "/b"),
            ("/../x", "/x"),
            ("/../../x", "/x"),
            ("a/../b", "a/../b"),
            ("a/../b/../c", "a/../b/../c"),
            ("x/a/../b", "x/b"),
            ("/a/..", "/a/.."),
            ("../x", "../x"),
            ("./x", "./x"),
            ("/a/.../b", "/a/.../b"),
        ] {
            assert_eq!(String::from_utf8(tidy(path.into())).unwrap(), tidied, "{path}");
        }
    }
}
