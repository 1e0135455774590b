//! The second copies: where they lie, and which one belongs to a file.

use crate::error::Error;
use crate::misfit::Misfit;
use crate::scrub::ground::is_below;
use hashmill_content::File as Tried;
use hashmill_content::selection::{below, path_of};
use hashmill_content::stores::Stores;
use hashmill_content::stores::location::with_slash;
use hashmill_keep::Root;
use hashmill_os::names;
use hashmill_source::{Entry, OperandDirectory, Origin, Problem, WalkItem};
use std::sync::Arc;

/// Where second copies lie, and whether damaged files are replaced by them.
#[derive(Debug, Clone)]
pub struct RepairFrom {
    /// A folder with the same relative paths, or a location in a store. With several folders to verify, each has a folder of its last
    /// name in it.
    pub path: Box<[u8]>,
    /// Whether files are replaced. Otherwise a run only tells what could be.
    pub replace: bool,
}

/// The second copies of all files.
#[derive(Debug)]
pub(crate) struct SecondCopy {
    base: Base,
    /// The folders that are verified.
    roots: Vec<NamedRoot>,
    /// Whether damaged files are replaced.
    pub(crate) replace: bool,
}

/// A folder that is verified.
#[derive(Debug)]
struct NamedRoot {
    /// Its path as it was named.
    path: Box<[u8]>,
    /// The last name of its path; empty if it has none.
    last: Box<[u8]>,
}

#[derive(Debug)]
enum Base {
    /// A folder, and its path with a slash at the end.
    Folder(Arc<OperandDirectory>, Box<[u8]>),
    /// The copy of the only file that is verified, in its folder.
    File(Arc<OperandDirectory>, Box<[u8]>),
    /// A location, with a slash at the end.
    Location(Box<[u8]>, Stores),
}

impl SecondCopy {
    /// Opens the place of second copies for these folders.
    ///
    /// # Errors
    /// If it can't be opened, is one of the folders, or can't tell two of them apart.
    pub(crate) fn open(from: &RepairFrom, roots: &[Root], stores: &Stores) -> Result<SecondCopy, Error> {
        let misfit = |why: &str| Err(Misfit::of_place(from.path.clone(), why).into());
        let names: Vec<NamedRoot> = roots.iter().map(NamedRoot::new).collect();
        let mut last: Vec<&[u8]> = names.iter().map(|root| &*root.last).collect();
        last.sort_unstable();
        if names.len() > 1 && (last.windows(2).any(|pair| pair[0] == pair[1]) || last[0].is_empty()) {
            return misfit(
                "the second copies of several folders lie below their last names, which must differ; verify these folders one by one",
            );
        }
        let base = match stores.is_location(&from.path) {
            true => location(&from.path, stores)?,
            false => {
                let place =
                    names::canonical(&path_of(&from.path)).map_err(Error::file(&from.path, Tried::Open))?;
                if roots.iter().any(|root| *root.place == *names::path_bytes(&place)) {
                    return misfit("is what is to be repaired; name another copy of it");
                }
                if place.is_dir() { folder(&from.path)? } else { file(&from.path)? }
            }
        };
        let is_one_file = || matches!(&roots, [root] if path_of(&root.place).is_file());
        match &base {
            Base::File(..) if !is_one_file() => misfit("is no folder"),
            _ => Ok(SecondCopy { base, roots: names, replace: from.replace }),
        }
    }

    /// Returns the path or the location of the copy of a file as it is shown, and its entry.
    pub(super) fn find(&self, path: &[u8]) -> (Box<[u8]>, Result<Entry, hashmill_source::Error>) {
        let name = self.name(path);
        let in_folder = |directory: &Arc<OperandDirectory>, whole: Box<[u8]>| {
            let entry = Entry::new(whole.clone(), Origin::Path);
            (whole, Ok(Entry { operand: Some(Arc::clone(directory)), ..entry }))
        };
        match &self.base {
            Base::Folder(directory, before) => in_folder(directory, [before, &*name].concat().into()),
            Base::File(directory, path) => in_folder(directory, path.clone()),
            Base::Location(before, stores) => match stores.below(before, vec![name.into()]).next() {
                Some(WalkItem::File(entry)) => (entry.path.clone(), Ok(entry)),
                Some(WalkItem::Failed(error)) => (error.path.clone(), Err(error)),
                Some(WalkItem::Skipped { .. }) | None => {
                    let problem = Problem::Stat(std::io::ErrorKind::NotFound.into());
                    (before.clone(), Err(hashmill_source::Error { path: before.clone(), problem }))
                }
            },
        }
    }

    /// Returns the path of a file below the place of second copies.
    fn name(&self, path: &[u8]) -> Vec<u8> {
        let Some(NamedRoot { path: root, last }) = self.roots.iter().find(|root| is_below(path, &root.path))
        else {
            return path.to_vec();
        };
        match (self.roots.len(), below(path, root)) {
            (_, b"") => last.to_vec(),
            (1, rest) => rest.to_vec(),
            (_, rest) => [last, &b"/"[..], rest].concat(),
        }
    }
}

impl NamedRoot {
    fn new(root: &Root) -> NamedRoot {
        NamedRoot { path: root.name.clone(), last: last_name(root) }
    }
}

/// Opens a folder.
fn folder(path: &[u8]) -> Result<Base, Error> {
    let open = OperandDirectory::open(path).map(Arc::new);
    Ok(Base::Folder(open.map_err(Error::file(path, Tried::Open))?, with_slash(path)))
}

/// Opens the folder of a file.
fn file(path: &[u8]) -> Result<Base, Error> {
    let (folder, whole) = crate::scrub::ground::folder_of(path);
    let open = OperandDirectory::open(&folder).map(Arc::new);
    Ok(Base::File(open.map_err(Error::file(path, Tried::Open))?, whole))
}

/// Checks a location. That of a folder of this machine is a folder.
fn location(typed: &[u8], stores: &Stores) -> Result<Base, Error> {
    stores.check_base(typed, false)?;
    match stores.folder_here(typed) {
        Some(here) => folder(&names::path_bytes(&here)),
        None => Ok(Base::Location(with_slash(typed), stores.clone())),
    }
}

/// Returns the last name of a folder, as it was named or else as it lies; empty of one that has none.
fn last_name(root: &Root) -> Box<[u8]> {
    let last = |path: &[u8]| -> Box<[u8]> {
        path.rsplit(|byte| *byte == b'/').find(|name| !name.is_empty()).unwrap_or_default().into()
    };
    match &*last(&root.name) {
        b"" | b"." | b".." => last(&root.place),
        name => name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(name: &str, place: &str) -> Root {
        Root { name: name.as_bytes().into(), place: place.as_bytes().into() }
    }

    fn named(roots: &[Root], path: &str) -> String {
        let roots = roots.iter().map(NamedRoot::new).collect();
        let copies = SecondCopy {
            base: Base::Location(b"s3://b/".as_slice().into(), Stores::default()),
            roots,
            replace: false,
        };
        String::from_utf8(copies.name(path.as_bytes())).unwrap()
    }

    #[test]
    fn copies_have_the_paths_below_the_folder() {
        let one = [root("a/tree", "/x/a/tree")];
        assert_eq!(named(&one, "a/tree/b/c"), "b/c");
        assert_eq!(named(&[root("a/tree/", "/x/a/tree")], "a/tree/b"), "b");
        assert_eq!(named(&[root(".", "/x/tree")], "./b"), "b");
        assert_eq!(named(&[root("a/file", "/x/a/file")], "a/file"), "file");
    }

    #[test]
    fn copies_of_several_folders_lie_below_their_last_names() {
        let two = [root("a/tree", "/x/a/tree"), root("..", "/x/y"), root("f", "/x/f")];
        assert_eq!(named(&two, "a/tree/b/c"), "tree/b/c");
        assert_eq!(named(&two, "../b"), "y/b");
        assert_eq!(named(&two, "f"), "f");
    }
}
