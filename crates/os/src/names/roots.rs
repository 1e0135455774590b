//! Where paths start: at a root, or in the working folder.

use crate::names;

/// Returns whether `\` separates names on this system and drives are roots, as on Windows.
pub fn has_drives() -> bool {
    names::is_from_root(b"C:/")
}

/// Returns the root that a path starts at: `/`; where there are drives, also `C:/`, and the two slashes before the name
/// of a server. Empty for a path from the working folder.
pub fn root(path: &[u8]) -> &[u8] {
    root_with(path, has_drives())
}

fn root_with(path: &[u8], has_drives: bool) -> &[u8] {
    let length = match path {
        [b'/', b'/', ..] if has_drives => 2,
        [b'/', ..] => 1,
        [drive, b':', b'/', ..] if has_drives && drive.is_ascii_alphabetic() => 3,
        _ => 0,
    };
    &path[..length]
}

/// Converts a path that somebody typed into a file to the spelling of this system: where `\` separates names, `/` is put
/// in its place, and a carriage return at the end is no part of a name.
pub fn typed(path: Vec<u8>) -> Vec<u8> {
    if has_drives() { without_return(with_slashes(&path)) } else { path }
}

fn without_return(mut path: Vec<u8>) -> Vec<u8> {
    path.truncate(path.strip_suffix(b"\r").unwrap_or(&path).len());
    path
}

/// Returns a path with slashes in the place of backslashes.
pub fn with_slashes(path: &[u8]) -> Vec<u8> {
    path.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect()
}

/// Returns a path relative to the folder that it was found below.
pub fn below<'p>(path: &'p [u8], folder: &[u8]) -> &'p [u8] {
    let rest = path.strip_prefix(folder).unwrap_or(path);
    let slashes = rest.iter().take_while(|byte| **byte == b'/').count();
    &rest[slashes..]
}

/// Removes `.` and empty parts from a path.
pub fn plain(path: &[u8]) -> Vec<u8> {
    let parts = path.split(|byte| *byte == b'/').filter(|part| !part.is_empty() && *part != b".");
    let plain = parts.collect::<Vec<_>>().join(&b'/');
    // The root has a part of its own if it is a drive.
    let root = root(path);
    if root.starts_with(b"/") { [root, plain.as_slice()].concat() } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drives_and_servers_are_roots_where_there_are_drives() {
        for (path, unix, windows) in [
            ("a/b", "", ""),
            ("/a", "/", "/"),
            ("//server/share/a", "/", "//"),
            ("C:/a", "", "C:/"),
            ("C:a", "", ""),
            ("1:/a", "", ""),
        ] {
            assert_eq!(root_with(path.as_bytes(), false), unix.as_bytes(), "{path}");
            assert_eq!(root_with(path.as_bytes(), true), windows.as_bytes(), "{path}");
        }
    }

    #[test]
    fn typed_paths_are_spelled_as_here() {
        assert_eq!(without_return(with_slashes(b"C:\\a\\b\r")), b"C:/a/b");
        assert_eq!(without_return(b"a/b".to_vec()), b"a/b");
        let here: &[u8] = if has_drives() { b"a/b" } else { b"a\\b\r" };
        assert_eq!(typed(b"a\\b\r".to_vec()), here);
    }
}
