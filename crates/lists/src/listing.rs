//! Lists that a command relies on, each opened once, by [`Guard`](crate::signatures::guard::Guard) alone: no command
//! reads a list without checking the signatures beside it. A list with verified signatures is copied first, to where
//! nobody else can write. So the bytes that are verified are those that are read, even if the file is replaced or
//! overwritten a moment later.

use crate::history::{self, Trust};
use hashmill_content::output::directory;
use hashmill_content::selection::own::identity_at;
use hashmill_content::stores::Stores;
use hashmill_manifest::format::{Hint, Opened, Unusable, open, open_path, open_verified};
use hashmill_os::{Stream, facts, names, open_to_read, standard};
use hashmill_source::{Identity, Stdin, identity};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use tempfile::{SpooledData, SpooledTempFile};

/// Maximum size in bytes of a copy in memory; longer ones go to an unnamed temporary file.
const IN_MEMORY: usize = 4 << 20;

/// A list of digests, not opened yet.
pub struct Listing {
    bytes: ListBytes,
    /// Whether one of its signatures is good.
    signed: bool,
    /// The folder of the history whose chain this is; the list is then the whole history.
    history: Option<PathBuf>,
}

/// Where the bytes of a list are.
enum ListBytes {
    /// On standard input.
    Stdin,
    /// In a file or a store, not copied.
    Plain(OsString, Stores),
    /// In a copy.
    Held(ListCopy),
}

/// A copy of a list.
pub struct ListCopy {
    copy: SpooledTempFile,
    /// The folder of the list, as it was named: relative paths in the list start there. `None` for a list in a store.
    folder: Option<PathBuf>,
    /// Device and inode of the file; `None` for standard input.
    identity: Option<Identity>,
}

/// Returns the name of a list for messages: `-` becomes "standard input".
pub fn name_of(list: &OsStr) -> Box<[u8]> {
    if list == "-" { b"standard input".as_slice().into() } else { names::path_bytes(list).into() }
}

impl Listing {
    /// Makes a list without signatures beside it; `-` is standard input.
    pub fn unsigned(list: &OsStr, stores: &Stores) -> Listing {
        let plain = || ListBytes::Plain(list.to_os_string(), stores.clone());
        let bytes = if list == "-" { ListBytes::Stdin } else { plain() };
        Listing { bytes, signed: false, history: None }
    }

    /// Makes a list of a copy whose signatures were checked.
    pub(crate) fn held(copy: ListCopy, signed: bool) -> Listing {
        Listing { bytes: ListBytes::Held(copy), signed, history: None }
    }

    /// Marks the list as the chain of the history in this folder, if there is one.
    pub(crate) fn of_history(self, folder: Option<&Path>) -> Listing {
        Listing { history: folder.map(Path::to_path_buf), ..self }
    }

    /// Returns whether it is a file on this machine that was not copied.
    pub(crate) fn is_file(&self) -> bool {
        matches!(&self.bytes, ListBytes::Plain(path, stores) if !stores.is_location(&names::bytes(path)))
    }

    /// Replaces the bytes by a copy.
    pub(crate) fn with(self, copy: ListCopy) -> Listing {
        Listing { bytes: ListBytes::Held(copy), ..self }
    }

    /// Returns whether a signature of it is good.
    pub fn is_signed(&self) -> bool {
        self.signed
    }

    /// Returns device and inode of the file.
    pub fn identity(&self) -> Option<Identity> {
        match &self.bytes {
            ListBytes::Stdin => None,
            ListBytes::Plain(path, _) => identity_at(Path::new(path)),
            ListBytes::Held(held) => held.identity,
        }
    }

    /// Returns the copy that was verified; `None` if the list was not copied.
    ///
    /// # Errors
    /// If the copy can't be read.
    pub fn into_copy(self) -> io::Result<Option<File>> {
        let ListBytes::Held(mut held) = self.bytes else { return Ok(None) };
        held.copy.roll()?;
        held.copy.rewind()?;
        match held.copy.into_inner() {
            SpooledData::OnDisk(file) => Ok(Some(file)),
            SpooledData::InMemory(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Returns the bytes of the list.
    ///
    /// # Errors
    /// If it can't be opened.
    pub fn into_bytes(self) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self.bytes {
            ListBytes::Stdin => Box::new(BufReader::new(Stdin::open()?)),
            ListBytes::Plain(path, stores) => Box::new(file_of(path.as_ref(), &stores)?),
            ListBytes::Held(mut held) => {
                held.copy.rewind()?;
                Box::new(held.copy)
            }
        })
    }

    /// Opens the list for reading its records.
    ///
    /// # Errors
    /// If it can't be read, or is no list.
    pub fn open(mut self, hint: Hint) -> Result<Opened<'static>, Unusable> {
        if let Some(folder) = self.history.take() {
            let trust = if self.signed { Trust::Reached } else { Trust::All };
            return history::open(&folder, self.into_bytes().map_err(Unusable::Open)?, trust);
        }
        match self.bytes {
            ListBytes::Stdin => open(Box::new(BufReader::new(Stdin::open().map_err(Unusable::Io)?)), hint),
            ListBytes::Plain(path, stores) => open_named(Path::new(&path), hint, &stores),
            ListBytes::Held(mut held) => {
                held.copy.rewind().map_err(Unusable::Io)?;
                match &held.folder {
                    Some(folder) => open_verified(Box::new(held.copy), folder, hint),
                    None => open(Box::new(held.copy), hint),
                }
            }
        }
    }
}

/// Opens a list in a file or in a store for reading its records. A list in a store is copied first.
///
/// # Errors
/// If it can't be read, or is no list.
pub fn open_named(path: &Path, hint: Hint, stores: &Stores) -> Result<Opened<'static>, Unusable> {
    let name = &*names::path_bytes(path);
    if let Some(chain) = history::chain_of(path) {
        return history::open(path, Box::new(File::open(chain).map_err(Unusable::Open)?), Trust::All);
    }
    if !stores.is_location(name) {
        return match open_path(path, hint) {
            Err(Unusable::Packed) => open(Box::new(open_to_read(path).map_err(Unusable::Open)?), hint),
            opened => opened,
        };
    }
    // Files that the list names are not beside the copy.
    let copy = stores.copied(name).map_err(Unusable::Io)?;
    open(Box::new(copy), hint)
}

/// Opens a list; one in a store is copied first.
fn file_of(path: &Path, stores: &Stores) -> io::Result<File> {
    let name = &*names::path_bytes(path);
    if stores.is_location(name) { stores.copied(name) } else { open_to_read(path) }
}

impl ListCopy {
    /// Copies a file or the content of a FIFO.
    ///
    /// # Errors
    /// If it can't be read, or there is no room for the copy.
    pub fn copy(path: &Path, stores: &Stores) -> io::Result<ListCopy> {
        let mut file = file_of(path, stores)?;
        let identity = Some(identity(facts(&file)?.id));
        let mut copy = SpooledTempFile::new(IN_MEMORY);
        io::copy(&mut file, &mut copy)?;
        let folder = (!stores.is_location(&names::path_bytes(path))).then(|| directory(path).to_path_buf());
        Ok(ListCopy { copy, folder, identity })
    }

    /// Returns the copy of a list, which is made now if there is none, and the list without its bytes.
    ///
    /// # Errors
    /// If it can't be read.
    pub(crate) fn take(list: Listing) -> io::Result<(ListCopy, Listing)> {
        let signed = list.signed;
        let held = match list.bytes {
            ListBytes::Held(held) => held,
            // A pipe has no folder.
            ListBytes::Plain(path, stores) => {
                ListCopy { folder: None, ..ListCopy::copy(Path::new(&path), &stores)? }
            }
            ListBytes::Stdin => {
                let mut copy = SpooledTempFile::new(IN_MEMORY);
                io::copy(&mut standard(Stream::Input)?, &mut copy)?;
                ListCopy { copy, folder: None, identity: None }
            }
        };
        Ok((held, Listing { bytes: ListBytes::Stdin, signed, history: None }))
    }

    /// Returns the copied bytes, from the first on.
    ///
    /// # Errors
    /// If seeking fails.
    pub(crate) fn rewound(&mut self) -> io::Result<&mut impl Read> {
        self.copy.rewind()?;
        Ok(&mut self.copy)
    }

    /// Opens the copy for a look at its records; the copy stays.
    ///
    /// # Errors
    /// As [`Listing::open`].
    #[cfg(feature = "sign")]
    pub(crate) fn look(&mut self, hint: Hint, history: Option<&Path>) -> Result<Opened<'_>, Unusable> {
        self.copy.rewind().map_err(Unusable::Io)?;
        match (history, &self.folder) {
            (Some(folder), _) => {
                let chain = history::read_chain(&mut self.copy).map_err(Unusable::Io)?;
                history::open(folder, Box::new(io::Cursor::new(chain)), Trust::Reached)
            }
            (None, Some(folder)) => open_verified(Box::new(&mut self.copy), folder, hint),
            (None, None) => open(Box::new(&mut self.copy), hint),
        }
    }

    /// Returns the copied bytes at the current position.
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
            let mut held = ListCopy::copy(&path, &Stores::default()).unwrap();
            let forged = line.replace("900150", "000000").repeat(length);
            // Overwrite the file, replace it, and delete it.
            fs::write(&path, &forged).unwrap();
            fs::rename(&path, folder.path().join("other")).unwrap();
            fs::write(&path, &forged).unwrap();
            fs::remove_file(&path).unwrap();
            let mut verified = Vec::new();
            held.bytes().rewind().unwrap();
            held.bytes().read_to_end(&mut verified).unwrap();
            assert_eq!(verified, line.repeat(length).as_bytes());
            let records = Listing::held(held, true).open(Hint::None).unwrap().reader;
            let all = records.map(|record| record.unwrap().digests[0].digest.to_string());
            assert!(all.into_iter().all(|digest| digest.starts_with("900150")));
        }
    }
}
