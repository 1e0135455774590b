//! Removal of files from the page cache before a run, as far as the system permits.

use crate::sys;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The method of removing files from the page cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropMethod {
    /// Drops all caches: file data, directories, inodes.
    Drop,
    /// Advises the system to drop the data of these files. Names and inodes stay cached.
    Advise,
}

/// Removes files from the cache. [`PageCache`] is the real implementation; tests have their own.
pub trait CacheDropper {
    /// Removes these files from the cache.
    ///
    /// # Errors
    /// If the system does not permit it.
    fn chill(&mut self, files: &[PathBuf]) -> io::Result<()>;
}

/// The page cache of this machine.
#[derive(Debug, Clone, Copy)]
pub struct PageCache(pub DropMethod);

impl PageCache {
    /// Returns the best method that this process may use.
    pub fn here() -> Self {
        PageCache(sys::DROP.map_or(DropMethod::Advise, |drop| best(Path::new(drop))))
    }
}

/// Returns the method: all caches are dropped if this file is writable.
fn best(drop: &Path) -> DropMethod {
    match OpenOptions::new().write(true).open(drop) {
        Ok(_) => DropMethod::Drop,
        Err(_) => DropMethod::Advise,
    }
}

impl CacheDropper for PageCache {
    fn chill(&mut self, files: &[PathBuf]) -> io::Result<()> {
        // Neither method removes data that is not written yet.
        sys::sync();
        match self.0 {
            DropMethod::Drop => {
                OpenOptions::new().write(true).open(sys::DROP.unwrap_or_default())?.write_all(b"3\n")
            }
            DropMethod::Advise => files.iter().try_for_each(|path| forget(path)),
        }
    }
}

fn forget(path: &Path) -> io::Result<()> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let file = File::open(path).map_err(named)?;
    sys::forget(&file).map_err(named)
}

impl fmt::Display for DropMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DropMethod::Drop => "the page cache is dropped before each run",
            DropMethod::Advise => {
                "the page cache is not dropped (that needs root, and --cold); before each run the system is asked to \
                 forget the data of the files, but not their names: results lie between cold and cached"
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn without_the_permission_files_are_forgotten_one_by_one() {
        let place = tempfile::tempdir().unwrap();
        assert_eq!(best(&place.path().join("absent/drop_caches")), DropMethod::Advise);
        fs::write(place.path().join("drop_caches"), "").unwrap();
        assert_eq!(best(&place.path().join("drop_caches")), DropMethod::Drop);
        let error = PageCache(DropMethod::Advise).chill(&[place.path().join("absent")]).unwrap_err();
        assert!(error.to_string().contains("absent: "), "{error}");
    }
}
