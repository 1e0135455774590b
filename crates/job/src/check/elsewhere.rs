//! The reason why files of a list are not found, where it can be told, and the next step.

use crate::listed::{exists, prefix};
use hashmill_os::names;
use hashmill_terminal::Shown;
use std::fmt;
use std::path::{Path, PathBuf};
use unicode_normalization::UnicodeNormalization;

/// The most missing files that are looked at.
pub const LOOKED_AT: usize = 64;

/// The place of files that are not where a list says, or why they are not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Elsewhere {
    /// In the folder of the list.
    OfList(PathBuf),
    /// Below this folder, by the ends of paths that start at a root.
    Below(PathBuf),
    /// Under a name that looks the same: the one in the list.
    Alike(Box<[u8]>),
    /// All are below this folder, which does not exist.
    NoFolder(PathBuf),
    /// All are below a location in a store, which says why there is nothing.
    NoPlace(String),
}

impl Elsewhere {
    /// Finds out where files of a list are that were not found; `is_based`: a folder is stated that paths start in. The
    /// first [`LOOKED_AT`] are enough.
    pub fn find(list: &Path, missing: &[Box<[u8]>], is_based: bool) -> Option<Elsewhere> {
        let folder = list.parent().filter(|_| list.as_os_str() != "-").unwrap_or(Path::new(""));
        let is_below = |folder: &Path, path: &[u8]| exists(&[&*prefix(folder), path].concat());
        let from_root = |path: &[u8]| names::is_from_root(path);
        let relative = missing.iter().filter(|path| !from_root(path));
        let found = (!is_based && !folder.as_os_str().is_empty()).then_some(relative).into_iter().flatten();
        if found.clone().any(|path| is_below(folder, path)) {
            return Some(Elsewhere::OfList(folder.into()));
        }
        let ends = |path: &[u8]| -> Vec<Vec<u8>> {
            let slashes = memchr::memchr_iter(b'/', path);
            slashes.map(|slash| path[slash + 1..].to_vec()).filter(|end| !end.is_empty()).take(64).collect()
        };
        for path in missing.iter().filter(|path| from_root(path)) {
            let mut here = [folder, Path::new("")].into_iter();
            let found = here.find(|here| ends(path).iter().any(|end| is_below(here, end)));
            if let Some(here) = found {
                let here = if here.as_os_str().is_empty() { Path::new(".") } else { here };
                return Some(Elsewhere::Below(here.into()));
            }
        }
        if let Some(path) = missing.iter().find(|path| has_twin(path)) {
            return Some(Elsewhere::Alike(path.clone()));
        }
        let mut folders = missing.iter().map(|path| missing_folder(path));
        let first = folders.next().flatten()?;
        folders.all(|folder| folder.as_ref() == Some(&first)).then_some(Elsewhere::NoFolder(first))
    }
}

/// Returns whether a file exists whose name has the same letters in another form of Unicode.
fn has_twin(path: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(path) else { return false };
    let forms: [String; 2] = [text.nfc().collect(), text.nfd().collect()];
    forms.iter().any(|form| form != text && exists(form.as_bytes()))
}

/// Returns the outermost folder of a path that does not exist.
fn missing_folder(path: &[u8]) -> Option<PathBuf> {
    let path = names::path_to_try(path);
    let folders: Vec<&Path> =
        path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()).collect();
    let absent = folders.into_iter().rev().find(|folder| folder.symlink_metadata().is_err());
    absent.map(Path::to_path_buf)
}

impl fmt::Display for Elsewhere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Elsewhere::OfList(folder) => {
                let folder = Shown::path(folder);
                write!(
                    f,
                    "its names are relative to its own folder: --base {folder}, or 'hashmill audit -k LIST {folder}'"
                )
            }
            Elsewhere::Below(folder) => {
                let folder = Shown::path(folder);
                write!(
                    f,
                    "its names start at the root of another place: 'hashmill audit -k LIST {folder}' finds the files below {folder}"
                )
            }
            Elsewhere::Alike(path) => write!(
                f,
                "the file {} is there under a name that looks the same, of other characters (NFC and NFD of Unicode); 'hashmill \
                 audit -k LIST DIR' finds it by its content",
                Shown(path)
            ),
            Elsewhere::NoPlace(why) => write!(f, "{why} (--base)"),
            Elsewhere::NoFolder(folder) => write!(
                f,
                "there is no {}: is its disk mounted, was it moved? ('hashmill check --base DIR' or 'hashmill audit -k LIST DIR' looks \
                 elsewhere)",
                Shown::path(folder)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_place_of_missing_files_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("list");
        fs::create_dir(folder.path().join("d")).unwrap();
        for name in ["a", "d/b", "\u{e9}"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let find = |missing: &[&str], is_based| {
            let missing: Vec<Box<[u8]>> = missing.iter().map(|path| path.as_bytes().into()).collect();
            Elsewhere::find(&list, &missing, is_based)
        };
        let here = folder.path().to_path_buf();
        assert_eq!(find(&["no", "d/b"], false), Some(Elsewhere::OfList(here.clone())));
        assert_eq!(find(&["d/b"], true), Some(Elsewhere::NoFolder("d".into())));
        assert_eq!(find(&["/old/place/d/b"], false), Some(Elsewhere::Below(here.clone())));
        let alike = here.join("e\u{301}").to_str().unwrap().to_string();
        if !Path::new(&alike).exists() {
            assert_eq!(find(&[&alike], true), Some(Elsewhere::Alike(alike.into_bytes().into())));
        }
        assert_eq!(find(&["no/such/x", "no/y"], false), Some(Elsewhere::NoFolder("no".into())));
        assert_eq!(find(&["no/x", "nothing"], false), None);
        assert_eq!(find(&["nothing"], false), None);
    }
}
