//! Generated files: a single one, and trees of many files of one size.

use super::noise::Noise;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A set of files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileSet {
    /// The files, in the order of creation.
    pub files: Vec<PathBuf>,
    /// The total size in bytes.
    pub bytes: u64,
}

impl FileSet {
    /// Adds a file.
    pub fn add(&mut self, path: PathBuf, bytes: u64) {
        self.files.push(path);
        self.bytes += bytes;
    }
}

/// Creates a file of this size, with bytes that depend only on the size, and its folder.
///
/// # Errors
/// If it can't be written; or `Interrupted` once `go_on` returns false.
pub fn file(path: &Path, size: u64, go_on: &dyn Fn() -> bool) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    Noise::new(size ^ 0x00f1_1e5e_ed00).file(path, size, go_on)
}

/// Creates a tree of this many files of one size, in a hundred folders.
///
/// # Errors
/// Like [`file()`].
pub fn tree(folder: &Path, count: usize, size: u64, go_on: &dyn Fn() -> bool) -> io::Result<FileSet> {
    let mut noise = Noise::new(0x7ee5_eed0 ^ count as u64);
    let mut made = FileSet::default();
    for index in 0..count {
        let place = folder.join(format!("{:02}", index % 100));
        fs::create_dir_all(&place)?;
        let path = place.join(format!("{index:06}"));
        noise.file(&path, size, go_on)?;
        made.add(path, size);
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_has_as_many_files_as_asked_for_each_with_bytes_of_its_own() {
        let place = tempfile::tempdir().unwrap();
        let made = tree(place.path(), 250, 64, &|| true).unwrap();
        assert_eq!((made.files.len(), made.bytes), (250, 16_000));
        let mut contents: Vec<_> = made.files.iter().map(|path| fs::read(path).unwrap()).collect();
        contents.sort();
        contents.dedup();
        assert_eq!(contents.len(), 250);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 100);
    }

    #[test]
    fn an_empty_file_is_one() {
        let path = tempfile::tempdir().unwrap().path().join("new/empty");
        file(&path, 0, &|| true).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().len(), 0);
    }
}
