//! Paths of a walk relative to a folder.

use super::named;
use hashmill_content::selection::path_of;
use hashmill_os::names;
use std::borrow::Cow;
use std::env;
use std::io;
use std::path::{Component, Path, PathBuf};

/// A mapping of the paths of a walk to paths relative to a folder.
pub struct Below {
    /// The operands, without slashes at their ends, and their paths relative to the folder. The longest come first.
    operands: Vec<(Vec<u8>, Vec<u8>)>,
    /// The folder and the working folder, for other paths.
    folders: Option<(PathBuf, PathBuf)>,
}

impl Below {
    /// Finds out where operands lie below a folder. Returns the operands that lie elsewhere, too.
    ///
    /// # Errors
    /// If the folder does not exist.
    pub fn new(root: &Path, operands: &[Box<[u8]>]) -> io::Result<(Below, Vec<Box<[u8]>>)> {
        let root = names::canonical(named(root))?;
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        for operand in operands {
            let path = names::canonical(&path_of(operand));
            match path.as_ref().map(|path| path.strip_prefix(&root)) {
                Ok(Ok(below)) => {
                    inside.push((without_slashes(operand), names::path_bytes(below).into_owned()))
                }
                Ok(Err(_)) => outside.push(operand.clone()),
                // The walk reports a missing path.
                Err(_) => {}
            }
        }
        inside.sort_by_key(|(operand, _)| std::cmp::Reverse(operand.len()));
        let working = env::current_dir().and_then(|path| names::canonical(&path))?;
        Ok((Below { operands: inside, folders: Some((root, working)) }, outside))
    }

    /// Treats each operand as the folder itself, because nothing tells where the folder is.
    pub fn each(operands: &[Box<[u8]>]) -> Below {
        let mut operands: Vec<_> = operands.iter().map(|path| (without_slashes(path), Vec::new())).collect();
        operands.sort_by_key(|(operand, _)| std::cmp::Reverse(operand.len()));
        Below { operands, folders: None }
    }

    /// Treats these operands as the folder itself, too.
    pub fn and_each(mut self, operands: &[Box<[u8]>]) -> Below {
        self.operands.extend(Below::each(operands).operands);
        self.operands.sort_by_key(|(operand, _)| std::cmp::Reverse(operand.len()));
        self
    }

    /// Returns a path of the walk relative to the folder; `None` if it lies elsewhere.
    pub fn path<'p>(&self, path: &'p [u8]) -> Option<Cow<'p, [u8]>> {
        let mut operands = self.operands.iter();
        let found = operands.find_map(|(operand, below)| Some((below, rest(path, operand)?)));
        match found {
            Some((below, rest)) if below.is_empty() => Some(Cow::Borrowed(rest)),
            Some((below, rest)) => {
                let between: &[u8] = if rest.is_empty() { b"" } else { b"/" };
                Some(Cow::Owned([below, between, rest].concat()))
            }
            None => self.by_name(path).map(Cow::Owned),
        }
    }

    /// Returns whether a path relative to the folder lies below an operand.
    pub(crate) fn is_walked(&self, below: &[u8]) -> bool {
        self.operands.iter().any(|(_, operand)| operand.is_empty() || rest(below, operand).is_some())
    }

    /// Returns the path relative to the folder by the names in the path alone.
    fn by_name(&self, path: &[u8]) -> Option<Vec<u8>> {
        let (root, working) = self.folders.as_ref()?;
        let mut plain = PathBuf::new();
        for part in working.join(path_of(path)).components() {
            match part {
                Component::ParentDir => drop(plain.pop()),
                Component::CurDir => {}
                part => plain.push(part),
            }
        }
        plain.strip_prefix(root).ok().map(|below| names::path_bytes(below).into_owned())
    }
}

fn without_slashes(path: &[u8]) -> Vec<u8> {
    let end = path.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
    path[..end].to_vec()
}

/// Returns a path relative to an operand; empty for the operand itself.
fn rest<'p>(path: &'p [u8], operand: &[u8]) -> Option<&'p [u8]> {
    let rest = path.strip_prefix(operand)?;
    let slashes = rest.iter().take_while(|byte| **byte == b'/').count();
    (rest.is_empty() || slashes > 0 || operand.is_empty()).then_some(&rest[slashes..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_start_in_the_folder_however_they_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let root = names::canonical(folder.path()).unwrap();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        let typed = |path: &str| names::path_bytes(&root.join(path)).into();
        let operands: Vec<Box<[u8]>> = vec![typed(""), typed("a/"), typed("a/../a/b"), typed("..")];
        let (below, outside) = Below::new(&root, &operands).unwrap();
        assert_eq!(outside, [typed("..")]);
        for (path, wanted) in [("x", "x"), ("a/y", "a/y"), ("a/../a/b/z", "a/b/z"), ("a/../w", "a/../w")] {
            assert_eq!(below.path(&names::path_bytes(&root.join(path))).as_deref(), Some(wanted.as_bytes()));
        }
        let (part, _) = Below::new(&root, &operands[1..2]).unwrap();
        assert!(
            part.is_walked(b"a/x") && part.is_walked(b"a") && !part.is_walked(b"ab") && !part.is_walked(b"x")
        );
        assert_eq!(part.path(b"/elsewhere"), None);
        assert_eq!(part.path(&names::path_bytes(&root.join("c/../d"))).as_deref(), Some(&b"d"[..]));
        assert_eq!(
            Below::each(&operands[..1]).path(&names::path_bytes(&root.join("x"))).as_deref(),
            Some(&b"x"[..])
        );
    }
}
