//! Paths that lists name, as files of this machine.

use crate::history;
use crate::selection::path_of;
use hashloom_manifest::format::{Base, Format};
use std::borrow::Cow;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Where the paths in a list may lead. A list may come from anybody, and a request tells its receiver who reads the list,
/// or is made with the reader's keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reach {
    /// To files. What looks like a location is the path of a file.
    #[default]
    Files,
    /// To objects in stores, too.
    Remote,
}

/// Returns the folder that the paths of a list start in, as its format has it; none where that is wherever its user is.
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
            let whole = here.canonicalize().unwrap_or_else(|_| here.to_path_buf());
            whole.file_name().filter(|name| fits(name.as_bytes())).map(|_| history::root_of(here))
        }
    }
}

/// Returns a folder as what paths in it begin with; nothing is the working folder.
pub fn prefix(folder: &Path) -> Box<[u8]> {
    match folder.as_os_str().as_bytes() {
        [] => Box::default(),
        folder @ [.., b'/'] => folder.into(),
        folder => [folder, b"/"].concat().into(),
    }
}

/// Returns the path of a list as one from its base down.
pub fn below_base(prefix: &[u8], path: Box<[u8]>) -> Box<[u8]> {
    let stays = prefix.is_empty() || path.is_empty() || path.starts_with(b"/");
    if stays { path } else { [prefix, &*path].concat().into() }
}

/// Whether there is an entry of this name.
pub fn exists(path: &[u8]) -> bool {
    Path::new(&path_of(path)).symlink_metadata().is_ok()
}

/// Whether backslashes may divide a path: it has some, and no slash.
fn may_be_divided(path: &[u8]) -> bool {
    memchr::memchr(b'\\', path).is_some() && memchr::memchr(b'/', path).is_none()
}

/// The path of a file that a list names. Backslashes are of its name where there is an entry of this name; else they
/// divide the path, as in lists from Windows. One in front stands for the root of a medium: then it is a path from the
/// working folder, if there is a file.
pub fn local(path: &[u8]) -> Cow<'_, [u8]> {
    if !may_be_divided(path) || exists(path) {
        return Cow::Borrowed(path);
    }
    let slashed: Vec<u8> = path.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect();
    if exists(&slashed) {
        return Cow::Owned(slashed);
    }
    match slashed.strip_prefix(b"/") {
        Some(below) if exists(below) => Cow::Owned(below.to_vec()),
        _ => Cow::Borrowed(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_name_with_a_backslash_comes_before_a_path() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| [folder.path().as_os_str().as_bytes(), b"/", name.as_bytes()].concat();
        fs::write(folder.path().join("a\\b"), "").unwrap();
        // With a slash before it, it can be nothing else.
        assert_eq!(*local(&at("a\\b")), *at("a\\b"));
        assert_eq!(*local(b"no\\such\\file"), *b"no\\such\\file");
        let windows: Vec<u8> = at("").iter().map(|byte| if *byte == b'/' { b'\\' } else { *byte }).collect();
        assert_eq!(*local(&windows), *at(""));
    }
}
