//! The reason why files of a list are not found, where it can be told, and the next step.

use crate::manifest_writer::bare_names::bare;
use hashmill_lists::listed::{exists, prefix};
use hashmill_manifest::audit::Category;
use hashmill_manifest::audit::Verdict;
use hashmill_os::{all_names_in, names};
use hashmill_terminal::Shown;
use std::fmt;
use std::path::{Path, PathBuf};
use unicode_normalization::UnicodeNormalization;

/// The most missing files that are looked at.
pub(super) const LOOKED_AT: usize = 64;

/// The most folders beside a list in which its files are looked for.
const FOLDERS: usize = 64;

/// The place of files that are not where a list says, or why they are not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Elsewhere {
    /// In the folder of the list.
    OfList(PathBuf),
    /// In a folder beside the list.
    Beside(PathBuf),
    /// Below this folder, by the ends of paths that start at a root.
    Below(PathBuf),
    /// Under a name that looks the same: the one in the list.
    Alike(Box<[u8]>),
    /// All are below this folder, which does not exist.
    NoFolder(PathBuf),
    /// All are below a location in a store, which says why there is nothing.
    NoPlace(String),
}

/// The folder that the relative paths of a list start in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListBase {
    /// None is stated: that of the run, or of the list.
    OwnFolder,
    /// It is stated.
    Stated,
}

impl Elsewhere {
    /// Finds out where files of a list are that were not found. The first `LOOKED_AT` are enough.
    pub fn find(list: &Path, missing: &[Box<[u8]>], base: ListBase) -> Option<Elsewhere> {
        let is_based = base == ListBase::Stated;
        let folder = list.parent().filter(|_| list.as_os_str() != "-").unwrap_or(Path::new(""));
        let is_below = |folder: &Path, path: &[u8]| exists(&[&*prefix(folder), path].concat());
        let from_root = |path: &[u8]| names::is_from_root(path);
        let relative = missing.iter().filter(|path| !from_root(path));
        let found = (!is_based && !folder.as_os_str().is_empty()).then_some(relative).into_iter().flatten();
        if found.clone().any(|path| is_below(folder, path)) {
            return Some(Elsewhere::OfList(folder.into()));
        }
        let mut beside = (!is_based).then(|| folders_in(folder)).into_iter().flatten();
        let is_in = |beside: &PathBuf| {
            let mut paths = missing.iter().filter(|path| !from_root(path)).peekable();
            paths.peek().is_some() && paths.all(|path| is_below(beside, path))
        };
        if let Some(beside) = beside.find(is_in) {
            return Some(Elsewhere::Beside(beside));
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

/// Returns the first folders in a folder.
fn folders_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut names = all_names_in(here).unwrap_or_default();
    names.sort();
    let paths = names.into_iter().map(|name| folder.join(name));
    paths.filter(|path| path.symlink_metadata().is_ok_and(|meta| meta.is_dir())).take(FOLDERS)
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
            Elsewhere::Beside(folder) => {
                let folder = Shown::path(folder);
                write!(
                    f,
                    "its names are relative to {folder}: --base {folder}, or 'hashmill audit -k LIST {folder}'"
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

/// The folders between which a file moved.
type Folders = (Box<[u8]>, Box<[u8]>);

/// The first files that only one side of a comparison has, which tell why.
#[derive(Debug, Default)]
pub struct Strays {
    missing: Vec<Box<[u8]>>,
    new: Vec<Box<[u8]>>,
    /// The number of files that moved.
    moved: u64,
    /// The paths of the folders between which all files moved; none if they differ.
    moves: Option<Folders>,
    /// Whether a file lies where it did.
    has_place: bool,
    /// A file whose names look the same.
    alike: Option<Box<[u8]>>,
}

impl Strays {
    /// Takes a verdict.
    pub fn see(&mut self, verdict: &Verdict) {
        let list = match verdict.category {
            Category::Missing => &mut self.missing,
            Category::New => &mut self.new,
            Category::Moved => return self.see_moved(verdict),
            Category::Matched | Category::Changed => {
                self.has_place = true;
                return;
            }
            _ => return,
        };
        if list.len() < LOOKED_AT {
            list.push(verdict.path.clone());
        }
    }

    fn see_moved(&mut self, verdict: &Verdict) {
        let (from, to) = (verdict.known_path.as_deref().unwrap_or_default(), &*verdict.path);
        if looks_same(bare(from), bare(to)) {
            self.alike = Some(to.into());
        }
        let folders = folders_between(from, to);
        self.moved += 1;
        match &self.moves {
            None if self.moved == 1 => self.moves = Some(folders),
            Some(moves) if *moves != folders => self.moves = None,
            _ => {}
        }
    }

    /// Returns the first missing files.
    pub fn missing(&self) -> &[Box<[u8]>] {
        &self.missing
    }

    /// Returns why the sides differ, if something simple explains it.
    pub fn why(&self) -> Option<WhyStray> {
        let has_twin = |path: &[u8]| self.missing.iter().any(|other| looks_same(bare(other), bare(path)));
        if let Some(path) = self.alike.as_ref().or_else(|| self.new.iter().find(|path| has_twin(path))) {
            return Some(WhyStray::Alike(path.clone()));
        }
        let moves = self.moves.as_ref().filter(|_| self.moved > 1 && !self.has_place);
        moves.filter(|(from, _)| from.is_empty()).map(|(_, to)| WhyStray::Deeper(to.clone()))
    }
}

/// A simple reason why two sides differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhyStray {
    /// A file has names that look the same, in two forms of Unicode.
    Alike(Box<[u8]>),
    /// All files of the first side lie in this folder of the second.
    Deeper(Box<[u8]>),
}

impl fmt::Display for WhyStray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WhyStray::Alike(path) => write!(
                f,
                "{}: the names on both sides look the same, and are of other characters (NFC and NFD of Unicode); 'hashmill diff \
                 --by-content' compares content alone",
                Shown(path)
            ),
            WhyStray::Deeper(folder) => {
                let folder = Shown(folder);
                write!(
                    f,
                    "all names of the first side are relative to {folder} of the second: compare with that folder"
                )
            }
        }
    }
}

/// Returns whether two names that differ have the same letters in other forms of Unicode.
fn looks_same(one: &[u8], other: &[u8]) -> bool {
    let (Ok(text), Ok(second)) = (str::from_utf8(one), str::from_utf8(other)) else { return false };
    one != other && text.nfc().eq(second.nfc())
}

/// Returns what differs at the beginnings of two paths, as whole folders.
fn folders_between(from: &[u8], to: &[u8]) -> Folders {
    let (from, to) = (from.strip_prefix(b"./").unwrap_or(from), to.strip_prefix(b"./").unwrap_or(to));
    let alike = from.iter().rev().zip(to.iter().rev()).take_while(|(one, other)| one == other).count();
    let (mut first, mut second) = (from.len() - alike, to.len() - alike);
    // Up to the end of a folder on both sides.
    while !(ends_folder(&from[..first]) && ends_folder(&to[..second])) && first < from.len() {
        first += 1;
        second += 1;
    }
    (from[..first].into(), to[..second].into())
}

fn ends_folder(path: &[u8]) -> bool {
    path.last().is_none_or(|last| *last == b'/')
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn verdict(category: Category, known: Option<&str>, path: &str) -> Verdict {
        let known_path = known.map(|known| known.as_bytes().into());
        let path = path.as_bytes().into();
        Verdict { category, path, known_path, piece: None, status: None, strength: None, sides: None }
    }

    #[test]
    fn a_simple_reason_of_differences_is_found() {
        let why = |verdicts: &[(Category, Option<&str>, &str)]| {
            let mut strays = Strays::default();
            verdicts.iter().for_each(|(category, known, path)| strays.see(&verdict(*category, *known, path)));
            strays.why()
        };
        use Category::{Matched, Missing, Moved, New};
        let alike = |path: &str| Some(WhyStray::Alike(path.as_bytes().into()));
        let deeper = Some(WhyStray::Deeper(b"src/".as_slice().into()));
        let moved = [(Moved, Some("./a"), "src/a"), (Moved, Some("./d/a"), "src/d/a")];
        assert_eq!(why(&moved), deeper);
        assert_eq!(why(&moved[..1]), None, "one file may have moved");
        assert_eq!(why(&[&moved[..], &[(Matched, Some("b"), "b")]].concat()), None);
        assert_eq!(why(&[moved[0], (Moved, Some("b"), "other/b")]), None);
        assert_eq!(why(&[moved[0], (Moved, Some("old/b"), "src/b")]), None);
        assert_eq!(why(&[(Moved, Some("d/e\u{301}"), "d/\u{e9}")]), alike("d/\u{e9}"));
        assert_eq!(why(&[(New, None, "\u{e9}"), (Missing, None, "d/e\u{301}")]), alike("\u{e9}"));
        assert_eq!(why(&[(New, None, "a"), (Missing, None, "d/a"), (Missing, None, "b")]), None);
    }

    #[test]
    fn folders_differ_as_a_whole() {
        for (from, to, folders) in [
            ("a", "src/a", ("", "src/")),
            ("xa/b", "ya/b", ("xa/", "ya/")),
            ("a/b/c", "b/c", ("a/", "")),
            ("a/x", "a/y", ("a/x", "a/y")),
            ("aa", "a", ("aa", "a")),
        ] {
            let (first, second) = folders_between(from.as_bytes(), to.as_bytes());
            assert_eq!((&*first, &*second), (folders.0.as_bytes(), folders.1.as_bytes()), "{from} {to}");
        }
    }

    #[test]
    fn the_place_of_missing_files_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("list");
        fs::create_dir(folder.path().join("d")).unwrap();
        for name in ["a", "d/b", "\u{e9}"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let find = |missing: &[&str], base| {
            let missing: Vec<Box<[u8]>> = missing.iter().map(|path| path.as_bytes().into()).collect();
            Elsewhere::find(&list, &missing, base)
        };
        let here = folder.path().to_path_buf();
        assert_eq!(find(&["no", "d/b"], ListBase::OwnFolder), Some(Elsewhere::OfList(here.clone())));
        assert_eq!(find(&["b"], ListBase::OwnFolder), Some(Elsewhere::Beside(here.join("d"))));
        assert_eq!(find(&["b", "c"], ListBase::OwnFolder), None, "not all of them");
        assert_eq!(find(&["d/b"], ListBase::Stated), Some(Elsewhere::NoFolder("d".into())));
        assert_eq!(find(&["/old/place/d/b"], ListBase::OwnFolder), Some(Elsewhere::Below(here.clone())));
        let alike = here.join("e\u{301}").to_str().unwrap().to_string();
        if !Path::new(&alike).exists() {
            assert_eq!(find(&[&alike], ListBase::Stated), Some(Elsewhere::Alike(alike.into_bytes().into())));
        }
        assert_eq!(find(&["no/such/x", "no/y"], ListBase::OwnFolder), Some(Elsewhere::NoFolder("no".into())));
        assert_eq!(find(&["no/x", "nothing"], ListBase::OwnFolder), None);
        assert_eq!(find(&["nothing"], ListBase::OwnFolder), None);
    }
}
