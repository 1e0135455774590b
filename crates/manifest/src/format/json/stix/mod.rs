//! `stix`: the files of a bundle of STIX 2.1: objects of type `file`, each with the folder it lies in.
//!
//! A folder is an object of its own, whose identifier the file has; it stands before the file. Identifiers follow from
//! what they identify, so that equal files have equal ones in all bundles. Source: STIX Version 2.1 (OASIS Standard),
//! sections 2.9 (identifiers), 6.4 (directories), 6.7 (files) and 10.7 (hash algorithms).

mod id;
mod read;
mod write;

use super::objects::has_keys;
use crate::format::values::tags::{TagRow, algorithms};
pub(in crate::format) use read::reader;
pub(in crate::format) use write::writer;

/// The algorithms of the standard, and its names for them.
const ALGORITHMS: [TagRow; 6] = [
    ("md5", "MD5"),
    ("sha1", "SHA-1"),
    ("sha256", "SHA-256"),
    ("sha512", "SHA-512"),
    ("sha3-256", "SHA3-256"),
    ("sha3-512", "SHA3-512"),
];

pub(in crate::format) const HOLDS: &[&str] = &algorithms(&ALGORITHMS);

pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    has_keys(first, &["type"]) && memchr::memmem::find(first, b"\"bundle--").is_some()
}

/// Returns the folder of a path and its name there; `None` of a name without a folder.
fn split(path: &str) -> (Option<String>, &str) {
    match path.rsplit_once('/') {
        None => (None, path),
        Some((folder, name)) if is_root(folder) => (Some(format!("{folder}/")), name),
        Some((folder, name)) => (Some(folder.to_owned()), name),
    }
}

/// Returns the path of a name in a folder, as [`split`] parts it.
fn join(folder: &str, name: &str) -> String {
    match folder.strip_suffix('/') {
        Some(above) if is_root(above) => format!("{folder}{name}"),
        _ if is_of_windows(folder) => format!("{}\\{name}", folder.strip_suffix('\\').unwrap_or(folder)),
        _ => format!("{folder}/{name}"),
    }
}

/// Returns whether a folder is one of Windows: it begins with a drive (`C:\`) or with the name of a server (`\\`).
fn is_of_windows(folder: &str) -> bool {
    let has_drive = matches!(folder.as_bytes(), [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic());
    (has_drive || folder.starts_with("\\\\")) && !folder.contains('/')
}

/// Returns whether a path without the slash at its end is a root.
fn is_root(path: &str) -> bool {
    path.bytes().all(|byte| byte == b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_come_back_from_folders_and_names() {
        for path in ["a", "a/b", "./a", "/a", "//a", "a//b", "/a/b", "a/ b", "a\\b/c"] {
            let (folder, name) = split(path);
            let joined = folder.map_or(name.to_owned(), |folder| join(&folder, name));
            assert_eq!(joined, path);
        }
        assert_eq!(split("/a"), (Some("/".to_owned()), "a"));
        assert_eq!(join("C:\\Windows", "a"), "C:\\Windows\\a");
        assert_eq!(join("C:\\", "a"), "C:\\a");
    }
}
