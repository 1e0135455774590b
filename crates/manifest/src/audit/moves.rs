//! Folders that moved as a whole, among the files that moved.
//!
//! A folder moved as a whole if all moved files below it share one change of prefix: `2019/a/x` became `old/2019/a/x`,
//! and so did every other. Files that stayed don't count. Memory is bounded by the number of folders that files moved
//! out of, all of which the manifest names.

use std::collections::{BTreeMap, HashMap};

/// Collects moved files, and finds the folders that moved as a whole.
#[derive(Debug, Default)]
pub struct Moves {
    /// The key is the known folder with its trailing slash; the top folder has an empty name.
    folders: BTreeMap<Box<[u8]>, Moved>,
}

/// The files that moved out of a folder.
#[derive(Debug)]
struct Moved {
    files: u64,
    /// The folder that all of them moved into; `None` if they moved to different folders.
    to: Option<Box<[u8]>>,
}

/// Folders that moved as a whole.
#[derive(Debug, Default)]
pub struct MovedFolders(HashMap<Box<[u8]>, MovedFolder>);

/// A folder that moved as a whole.
#[derive(Debug, PartialEq, Eq)]
pub struct MovedFolder {
    /// The new path with its trailing slash; the top folder has an empty name.
    pub to: Box<[u8]>,
    /// The number of moved files.
    pub files: u64,
}

impl Moves {
    /// Adds a moved file.
    pub fn add(&mut self, from: &[u8], to: &[u8]) {
        let ((old, old_name), (new, new_name)) = (parts(from), parts(to));
        self.merge(old, 1, Some(new).filter(|_| old_name == new_name));
    }

    /// Adds a moved file that must be reported by itself, so that no folder above it moved as a whole.
    pub fn add_apart(&mut self, from: &[u8]) {
        self.merge(parts(from).0, 1, None);
    }

    /// Adds files of a folder or of one below it, and the folder's new path that they imply.
    fn merge(&mut self, folder: &[u8], files: u64, to: Option<&[u8]>) {
        match self.folders.get_mut(folder) {
            Some(known) => {
                known.files += files;
                known.to.take_if(|known| Some(&**known) != to);
            }
            None => drop(self.folders.insert(folder.into(), Moved { files, to: to.map(Box::from) })),
        }
    }

    /// Returns the folders from which several files moved, all with one change of prefix. A folder can't move into
    /// itself; then its children are reported.
    pub fn folders(mut self) -> MovedFolders {
        let mut found = HashMap::new();
        // In descending order, a folder comes after everything below it.
        while let Some((from, Moved { files, to })) = self.folders.pop_last() {
            if let Some((above, name)) = above(&from) {
                let to = to.as_deref().and_then(|to| to.strip_suffix(name)).filter(|to| is_folder(to));
                self.merge(above, files, to);
            }
            if let Some(to) = to.filter(|to| files > 1 && !to.starts_with(&from)) {
                found.insert(from, MovedFolder { to, files });
            }
        }
        MovedFolders(found)
    }
}

impl MovedFolders {
    /// Returns the topmost of them that contains this known path, with its own known path.
    pub fn around<'p>(&self, from: &'p [u8]) -> Option<(&'p [u8], &MovedFolder)> {
        let ends = memchr::memchr_iter(b'/', from).map(|slash| &from[..=slash]);
        ends.into_iter().find_map(|folder| Some((folder, self.0.get(folder)?)))
    }
}

/// Splits a path into its folder with the trailing slash, and its name.
fn parts(path: &[u8]) -> (&[u8], &[u8]) {
    path.split_at(memchr::memrchr(b'/', path).map_or(0, |slash| slash + 1))
}

/// Splits a folder into its parent and its own name with the slash; returns `None` for the top folder.
fn above(folder: &[u8]) -> Option<(&[u8], &[u8])> {
    let (_, name) = folder.split_last()?;
    Some(folder.split_at(parts(name).0.len()))
}

/// Returns whether the path is empty or ends with a slash.
fn is_folder(path: &[u8]) -> bool {
    path.last().is_none_or(|last| *last == b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Renders moves: one line per folder with its count, or one line per file.
    fn lines(moves: &[(&str, &str)]) -> Vec<String> {
        let mut all = Moves::default();
        moves.iter().for_each(|(from, to)| all.add(from.as_bytes(), to.as_bytes()));
        let folders = all.folders();
        let mut lines: Vec<String> = Vec::new();
        for (from, to) in moves {
            let line = match folders.around(from.as_bytes()) {
                Some((from, MovedFolder { to, files })) => {
                    format!("{} {} {files}", String::from_utf8_lossy(from), String::from_utf8_lossy(to))
                }
                None => format!("{from} {to}"),
            };
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        lines
    }

    #[test]
    fn a_folder_that_moved_is_one_line() {
        assert_eq!(lines(&[("2019/a", "old/2019/a"), ("2019/b/c", "old/2019/b/c")]), ["2019/ old/2019/ 2"]);
        assert_eq!(lines(&[("a/b/x", "a/c/x"), ("a/b/y", "a/c/y")]), ["a/b/ a/c/ 2"]);
        assert_eq!(lines(&[("a/b/x", "z/b/x"), ("a/c/y", "z/c/y")]), ["a/ z/ 2"]);
        assert_eq!(lines(&[("/m/a/x", "b/x"), ("/m/a/y", "b/y")]), ["/m/a/ b/ 2"]);
        assert_eq!(lines(&[("a/x", "x"), ("a/y", "y")]), ["a/  2"]);
    }

    #[test]
    fn a_folder_with_files_that_went_different_ways_is_none() {
        assert_eq!(lines(&[("a/x", "b/x"), ("a/y", "c/y")]), ["a/x b/x", "a/y c/y"]);
        assert_eq!(lines(&[("a/x", "b/x"), ("a/y", "b/z")]), ["a/x b/x", "a/y b/z"]);
        // One file below went elsewhere; the folder beside it moved as a whole.
        let apart = [("a/b/x", "z/b/x"), ("a/b/y", "z/b/y"), ("a/c/w", "z/c/w"), ("a/q", "q")];
        assert_eq!(lines(&apart), ["a/b/ z/b/ 2", "a/c/w z/c/w", "a/q q"]);
    }

    #[test]
    fn no_folder_moves_into_itself() {
        assert_eq!(lines(&[("x", "a/x"), ("y", "a/y")]), ["x a/x", "y a/y"]);
        let two = [("p/1/x", "p/old/1/x"), ("p/1/y", "p/old/1/y"), ("p/2/z", "p/old/2/z")];
        assert_eq!(lines(&two), ["p/1/ p/old/1/ 2", "p/2/z p/old/2/z"]);
    }

    #[test]
    fn names_are_compared_as_a_whole() {
        assert_eq!(lines(&[("a/19/x", "b2019/x"), ("a/19/y", "b2019/y")]), ["a/19/ b2019/ 2"]);
        let renamed = [("a/19/x", "b/2019/x"), ("a/19/y", "b/2019/y"), ("a/w", "b/w"), ("a/v", "b/v")];
        assert_eq!(lines(&renamed), ["a/19/ b/2019/ 2", "a/w b/w", "a/v b/v"]);
    }

    #[test]
    fn a_file_told_apart_keeps_its_folder_open() {
        let mut all = Moves::default();
        all.add(b"a/x", b"b/x");
        all.add(b"a/y", b"b/y");
        all.add_apart(b"a/z");
        assert!(all.folders().around(b"a/x").is_none());
    }

    /// Applies the definition directly, by trying every folder and every file.
    fn by_definition(moves: &[(String, String)], from: &str) -> Option<(String, String, u64)> {
        let folders = from.match_indices('/').map(|(slash, _)| &from[..=slash]);
        folders.into_iter().find_map(|folder| {
            let inside: Vec<_> = moves.iter().filter(|(from, _)| from.starts_with(folder)).collect();
            let rest = &inside[0].0[folder.len()..];
            let to = inside[0].1.strip_suffix(rest).filter(|to| to.is_empty() || to.ends_with('/'))?;
            let same = inside.iter().all(|(from, new)| *new == format!("{to}{}", &from[folder.len()..]));
            let whole = same && inside.len() > 1 && !to.starts_with(folder);
            whole.then(|| (folder.to_string(), to.to_string(), inside.len() as u64))
        })
    }

    #[test]
    fn random_moves_are_folded_as_the_definition_says() {
        let mut seed = 7_u64;
        let mut draw = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for _ in 0..hashmill_testing::cases(3000) {
            let mut moves: BTreeMap<String, String> = BTreeMap::new();
            for _ in 0..1 + draw(7) {
                let depth = draw(4);
                let folder: String = (0..depth).map(|_| ["a/", "b/", "aa/"][draw(3) as usize]).collect();
                let from = format!("{folder}{}", draw(9));
                let to = match draw(4) {
                    0 => from.replacen("a/", "c/", 1),
                    1 => format!("z/{from}"),
                    2 => from.replacen("a/", "", 1),
                    _ => format!("{from}x"),
                };
                moves.insert(from, to);
            }
            let moves: Vec<_> = moves.into_iter().collect();
            let mut all = Moves::default();
            moves.iter().for_each(|(from, to)| all.add(from.as_bytes(), to.as_bytes()));
            let folders = all.folders();
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            for (from, _) in &moves {
                let found = folders.around(from.as_bytes());
                let found = found.map(|(from, folder)| (text(from), text(&folder.to), folder.files));
                assert_eq!(found, by_definition(&moves, from), "{from} of {moves:?}");
            }
        }
    }
}
