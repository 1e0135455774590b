//! Lists that a command relies on, each opened once. One that signatures are verified of is copied first, to where
//! nobody else can write: so what is verified is what is read, though the name leads elsewhere a moment later or the
//! file is written over.

use crate::location::is_location;
use crate::output::directory;
use crate::selection::identity;
use crate::stores;
use hashloom_manifest::format::{Hint, Opened, Unusable, open, open_path, open_verified};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use tempfile::SpooledTempFile;

/// Bytes of a copy that are kept in memory; a longer one goes to a temporary file that has no name.
const IN_MEMORY: usize = 4 << 20;

/// A list.
pub enum Listing {
    /// Standard input.
    Stdin,
    /// A file that nobody vouches for.
    Plain(OsString),
    /// One that was copied.
    Held(Held),
}

/// A copy of a list.
pub struct Held {
    copy: SpooledTempFile,
    /// The folder of the list, as it was named: files that it names lie there. None in a store.
    folder: Option<PathBuf>,
    identity: (u64, u64),
}

/// The name of a list as messages have it: `-` is standard input.
pub(crate) fn name_of(list: &OsStr) -> Box<[u8]> {
    let name = list.as_encoded_bytes();
    if name == b"-" { b"standard input".as_slice().into() } else { name.into() }
}

impl Listing {
    /// A list that is not verified; `-` is standard input.
    pub fn plain(list: &OsStr) -> Listing {
        if list == "-" { Listing::Stdin } else { Listing::Plain(list.to_os_string()) }
    }

    /// Device and inode of the file.
    pub fn identity(&self) -> Option<(u64, u64)> {
        match self {
            Listing::Stdin => None,
            Listing::Plain(path) => identity(Path::new(path)),
            Listing::Held(held) => Some(held.identity),
        }
    }

    /// Its records.
    ///
    /// # Errors
    /// If it can't be read, or is no list.
    pub fn open(self, hint: Hint) -> Result<Opened<'static>, Unusable> {
        match self {
            Listing::Stdin => open(Box::new(io::stdin()), hint),
            Listing::Plain(path) => open_named(Path::new(&path), hint),
            Listing::Held(mut held) => {
                held.copy.rewind().map_err(Unusable::Io)?;
                match &held.folder {
                    Some(folder) => open_verified(Box::new(held.copy), folder, hint),
                    None => open(Box::new(held.copy), hint),
                }
            }
        }
    }
}

/// The records of a list in a file, or in a store: then it is copied first.
///
/// # Errors
/// If it can't be read, or is no list.
pub(crate) fn open_named(path: &Path, hint: Hint) -> Result<Opened<'static>, Unusable> {
    let name = path.as_os_str().as_encoded_bytes();
    if !is_location(name) {
        return open_path(path, hint);
    }
    // Files that it names don't lie beside the copy.
    let copy = stores::copied(name).and_then(|copy| copy.reopen()).map_err(Unusable::Io)?;
    open(Box::new(copy), hint)
}

impl Held {
    /// Copies a file, or what comes through a FIFO.
    ///
    /// # Errors
    /// If it can't be read, or there is no room for the copy.
    pub fn copy(path: &Path) -> io::Result<Held> {
        let name = path.as_os_str().as_encoded_bytes();
        let mut file = if is_location(name) { stores::copied(name)?.reopen()? } else { File::open(path)? };
        let meta = file.metadata()?;
        let mut copy = SpooledTempFile::new(IN_MEMORY);
        io::copy(&mut file, &mut copy)?;
        let folder = (!is_location(name)).then(|| directory(path).to_path_buf());
        Ok(Held { copy, folder, identity: (meta.dev(), meta.ino()) })
    }

    /// The bytes that were copied.
    pub fn bytes(&mut self) -> &mut (impl Read + Seek + use<>) {
        &mut self.copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_was_copied_stays_whatever_becomes_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list.md5");
        for length in [1, 200_000] {
            let line = "900150983cd24fb0d6963f7d28e17f72  abc\n";
            fs::write(&path, line.repeat(length)).unwrap();
            let mut held = Held::copy(&path).unwrap();
            let forged = line.replace("900150", "000000").repeat(length);
            // In its place, as a file of the same name, and as none.
            fs::write(&path, &forged).unwrap();
            fs::rename(&path, folder.path().join("other")).unwrap();
            fs::write(&path, &forged).unwrap();
            fs::remove_file(&path).unwrap();
            let mut verified = Vec::new();
            held.bytes().rewind().unwrap();
            held.bytes().read_to_end(&mut verified).unwrap();
            assert_eq!(verified, line.repeat(length).as_bytes());
            let records = Listing::Held(held).open(Hint::None).unwrap().reader;
            let all = records.map(|record| record.unwrap().digests[0].digest.to_string());
            assert!(all.into_iter().all(|digest| digest.starts_with("900150")));
        }
    }
}
