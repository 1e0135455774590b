//! Path comparison independent of spelling.

use hashmill_os::names;
use std::borrow::Cow;

/// The separators of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// A slash; a backslash is part of a name.
    Unix,
    /// A backslash or a slash.
    Windows,
}

impl Style {
    fn divides(self, byte: u8) -> bool {
        byte == b'/' || (byte == b'\\' && self == Style::Windows)
    }
}

/// Returns the significant components of a path, without empty ones and `.`.
pub(super) fn parts(path: &[u8], style: Style) -> impl Iterator<Item = &[u8]> {
    path.split(move |byte| style.divides(*byte)).filter(|part| !part.is_empty() && *part != b".")
}

/// Returns whether a path starts at a root. `C:` counts as a component, so that it can be stripped like a directory.
pub(super) fn is_absolute(path: &[u8], style: Style) -> bool {
    path.first().is_some_and(|first| style.divides(*first))
}

/// Returns whether a path of this machine starts at a root, which may be a drive.
pub(super) fn is_from_root(path: &[u8]) -> bool {
    is_absolute(path, Style::Unix) || names::is_from_root(path)
}

/// Returns whether a path in a style and one with slashes differ at most in spelling.
pub(super) fn same(styled: &[u8], style: Style, path: &[u8]) -> bool {
    let is_alike = is_absolute(styled, style) == is_absolute(path, Style::Unix);
    is_alike && parts(styled, style).eq(parts(path, Style::Unix))
}

/// Joins components to a path that starts at no root.
pub(super) fn joined<'a>(parts: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let is_absolute = false;
    join(is_absolute, parts)
}

/// Joins components to a path of this machine.
pub(super) fn join<'a>(absolute: bool, parts: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut path = Vec::new();
    for (index, part) in parts.enumerate() {
        if absolute || index > 0 {
            path.push(b'/');
        }
        path.extend_from_slice(part);
    }
    if absolute && path.is_empty() {
        path.push(b'/');
    }
    path
}

/// Makes a path absolute; `..` is resolved lexically.
pub(super) fn absolute(working: &[u8], path: &[u8]) -> Vec<u8> {
    let mut stack: Vec<&[u8]> = Vec::new();
    for part in parts(working, Style::Unix).chain(parts(path, Style::Unix)) {
        if part == b".." {
            stack.pop();
        } else {
            stack.push(part);
        }
    }
    // The working directory starts at a drive if not at a slash.
    join(is_absolute(working, Style::Unix), stack.into_iter())
}

/// Resolves the `..` of a path from a root lexically.
pub(super) fn resolved(path: &[u8]) -> Vec<u8> {
    // A path that starts at a drive has no slash before it.
    absolute(if is_absolute(path, Style::Unix) { b"/" } else { b"" }, path)
}

/// Returns a path of this machine from its root, with its drive; only that of a path from the working directory has no `..`.
pub(super) fn whole(working: &[u8], path: &[u8]) -> Vec<u8> {
    if is_from_root(path) { with_drive(working, path).into_owned() } else { absolute(working, path) }
}

/// Puts the drive of the working directory, if that has one, in front of a path that starts at the root of some drive.
fn with_drive<'p>(working: &[u8], path: &'p [u8]) -> Cow<'p, [u8]> {
    match (working, path) {
        ([drive, b':', ..], [b'/', rest @ ..]) if !rest.starts_with(b"/") => {
            Cow::Owned([&[*drive, b':'], path].concat())
        }
        _ => Cow::Borrowed(path),
    }
}

/// Removes the drive of the working directory, if that has one, from a path that starts there.
pub(super) fn without_drive<'p>(working: &[u8], path: &'p [u8]) -> Option<&'p [u8]> {
    match (working, path) {
        ([drive, b':', ..], [same, b':', rest @ ..]) if same == drive && rest.starts_with(b"/") => Some(rest),
        _ => None,
    }
}

/// Makes an absolute path relative to the working directory.
pub(super) fn relative(working: &[u8], path: &[u8]) -> Vec<u8> {
    let from: Vec<&[u8]> = parts(working, Style::Unix).collect();
    let to: Vec<&[u8]> = parts(path, Style::Unix).collect();
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from[shared..].iter().map(|_| &b".."[..]);
    joined(up.chain(to[shared..].iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_path_are_the_same() {
        for spelling in ["a/b", "./a/b", "a//b", "a/./b", "a/b/", "././a///b"] {
            assert!(same(spelling.as_bytes(), Style::Unix, b"a/b"), "{spelling}");
        }
        for other in ["/a/b", "a/b/c", "a", "a/../a/b", "A/b", "a\\b"] {
            assert!(!same(other.as_bytes(), Style::Unix, b"a/b"), "{other}");
        }
        assert!(same(b".\\a\\b", Style::Windows, b"a/b"));
        assert!(same(b"\\\\host\\share\\x", Style::Windows, b"/host/share/x"));
        assert!(!same(b"C:\\a", Style::Windows, b"c:/a"), "case is kept");
    }

    #[test]
    fn relative_and_absolute_turn_into_each_other() {
        assert_eq!(absolute(b"/home/u", b"./x/a"), b"/home/u/x/a");
        assert_eq!(absolute(b"/home/u", b"../x/a"), b"/home/x/a");
        assert_eq!(relative(b"/home/u", b"/home/u/x/a"), b"x/a");
        assert_eq!(relative(b"/home/u", b"/home/x/a"), b"../x/a");
        assert_eq!(absolute(b"/", b".."), b"/");
        assert_eq!(absolute(b"C:/home/u", b"../x/a"), b"C:/home/x/a");
        assert_eq!(relative(b"C:/home/u", b"C:/home/u/x/a"), b"x/a");
        assert_eq!(relative(b"C:/home/u", &with_drive(b"C:/home/u", b"/home/x/a")), b"../x/a");
        for same in [&b"//server/share/a"[..], b"D:/a", b"a"] {
            assert_eq!(*with_drive(b"C:/home/u", same), *same);
        }
        assert_eq!(*with_drive(b"/home/u", b"/home/x/a"), *b"/home/x/a");
        assert_eq!(without_drive(b"C:/home/u", b"C:/a"), Some(&b"/a"[..]));
        for none in [&b"D:/a"[..], b"/a", b"C:a", b"a"] {
            assert_eq!(without_drive(b"C:/home/u", none), None);
        }
        assert_eq!((resolved(b"C:/a/../b"), resolved(b"/a/../b")), (b"C:/b".to_vec(), b"/b".to_vec()));
    }
}
