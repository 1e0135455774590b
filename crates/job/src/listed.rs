//! Files of this machine that are named in lists.

use crate::history;
use crate::roots::{has_drives, with_slashes};
use crate::selection::path_of;
use crate::stores::Stores;
use hashmill_manifest::format::{Base, Format};
use hashmill_os::names;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Where the paths in a list may lead. A list may come from anybody, and a request to a store reveals its reader and
/// may use the reader's keys.
#[derive(Debug, Clone, Default)]
pub enum Reach {
    /// Only to files: text that looks like a location is the path of a file.
    #[default]
    Files,
    /// To files and to objects in these stores.
    Remote(Stores),
}

impl Reach {
    /// Returns the stores if this path of a list leads to an object in one.
    pub(crate) fn stores_for(&self, path: &[u8]) -> Option<&Stores> {
        match self {
            Reach::Remote(stores) if stores.is_location(path) => Some(stores),
            _ => None,
        }
    }
}

/// Returns the folder that the paths of a list are relative to, by the rules of its format; `None` means the user's
/// working folder.
pub fn base(list: &Path, format: &Format) -> Option<PathBuf> {
    if list.as_os_str() == "-" {
        return None;
    }
    if history::is_history(list) {
        return Some(history::root_of(list));
    }
    let folder = list.parent().unwrap_or(Path::new(""));
    match format.base {
        Base::Anywhere | Base::Nowhere => None,
        Base::Folder => Some(folder.to_path_buf()),
        Base::Above(fits) => {
            let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            let whole = names::canonical(here).unwrap_or_else(|_| here.to_path_buf());
            whole.file_name().filter(|name| fits(&names::bytes(name))).map(|_| history::root_of(here))
        }
    }
}

/// Returns a folder as a prefix of the paths in it. The working folder has an empty prefix.
pub fn prefix(folder: &Path) -> Box<[u8]> {
    match &*names::path_bytes(folder) {
        [] => Box::default(),
        folder @ [.., b'/'] => folder.into(),
        folder => [folder, b"/"].concat().into(),
    }
}

/// Puts the folder of a list in front of a relative path from it.
pub fn below_base(prefix: &[u8], path: Box<[u8]>) -> Box<[u8]> {
    let from_root =
        || names::is_from_root(&path) || (has_drives() && names::is_from_root(&with_slashes(&path)));
    let stays = prefix.is_empty() || path.is_empty() || from_root();
    if stays { path } else { [prefix, &*path].concat().into() }
}

/// Returns whether an entry of this name exists.
pub fn exists(path: &[u8]) -> bool {
    Path::new(&path_of(path)).symlink_metadata().is_ok()
}

/// Returns whether backslashes may be separators: the path has some, and no slash, unless this system has both.
fn may_be_divided(path: &[u8]) -> bool {
    memchr::memchr(b'\\', path).is_some() && (memchr::memchr(b'/', path).is_none() || has_drives())
}

/// Returns the path of a file that a list names. If no entry has exactly this name, backslashes are separators, as in
/// lists from Windows. A leading one is the root of a medium: the path is then relative to the working folder, if such
/// a file exists.
pub fn local(path: &[u8]) -> Cow<'_, [u8]> {
    if !may_be_divided(path) || exists(path) {
        return Cow::Borrowed(path);
    }
    let slashed = with_slashes(path);
    if exists(&slashed) {
        return Cow::Owned(slashed);
    }
    match slashed.strip_prefix(b"/") {
        Some(below) if exists(below) => Cow::Owned(below.to_vec()),
        // No name has a backslash here: it is missing under the other name.
        _ if has_drives() => Cow::Owned(slashed),
        _ => Cow::Borrowed(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_windows_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let at = [&*names::path_bytes(folder.path()), b"/"].concat();
        let windows: Vec<u8> = at.iter().map(|byte| if *byte == b'/' { b'\\' } else { *byte }).collect();
        assert_eq!(*local(&windows), *at);
    }

    #[test]
    fn paths_from_a_root_stay() {
        let root = names::into_path_bytes(std::env::temp_dir());
        assert_eq!(*below_base(b"list/", root.clone().into()), *root);
        assert_eq!(&*below_base(b"list/", b"a/b".as_slice().into()), b"list/a/b");
        let drive: &[u8] = if has_drives() { b"C:\\a" } else { b"list/C:\\a" };
        assert_eq!(&*below_base(b"list/", b"C:\\a".as_slice().into()), drive);
    }
}

#[cfg(all(test, unix))]
mod tests_of_backslashes {
    use super::*;
    use std::fs;

    #[test]
    fn a_name_with_a_backslash_comes_before_a_path() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| [&*names::path_bytes(folder.path()), b"/", name.as_bytes()].concat();
        fs::write(folder.path().join("a\\b"), "").unwrap();
        // With a slash before it, only a name is possible.
        assert_eq!(*local(&at("a\\b")), *at("a\\b"));
        assert_eq!(*local(b"no\\such\\file"), *b"no\\such\\file");
    }
}
