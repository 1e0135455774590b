//! Reading of seals, secrets and manifests.

use crate::error::{Error, SealError};
use crate::signatures::guard::Guard;
use hashmill_content::File as Tried;
use hashmill_content::output::{OutputKind, RunFiles, Warning};
use hashmill_content::stores::Stores;
use hashmill_engine::Cancel;
use hashmill_os::{create_own, facts, names, open_to_read};
use hashmill_seal::{Seal, SealOptions, Secret};
use std::ffi::OsString;
use std::fs;
use std::io::{self, Cursor, Read, Write};
use std::path::{Path, PathBuf};

/// The kind of files that are seals of manifests.
pub const SEAL: OutputKind = OutputKind::Other("seal", |path| read_seal(path).is_ok());

/// Limit of bytes of a secret; its file has 65 bytes.
const MAX_SECRET: u64 = 4096;

/// A manifest and its seal.
#[derive(Debug, Clone, Default)]
pub struct SealedManifest {
    /// The manifest.
    pub manifest: PathBuf,
    /// Path of its seal; `None` is the one beside it.
    pub seal: Option<PathBuf>,
    /// Path of the secret that the salts of the seal come from, if it has salts.
    pub secret: Option<PathBuf>,
    /// The receiver of warnings about files.
    pub files: RunFiles,
    /// The access to stores with manifests.
    pub stores: Stores,
    /// Ends the operation soon after it is set, with [`SealError::Interrupted`].
    pub cancel: Cancel,
}

impl SealedManifest {
    /// Makes a manifest with its seal beside it, without salts.
    pub fn new(manifest: &Path) -> SealedManifest {
        SealedManifest { manifest: manifest.to_path_buf(), ..SealedManifest::default() }
    }

    /// Returns the path of the seal.
    pub fn place(&self) -> PathBuf {
        self.seal.clone().unwrap_or_else(|| beside(&self.manifest))
    }

    /// Reads the seal, and the secret if one was named.
    ///
    /// # Errors
    /// If one of them is not usable.
    pub fn read(&self) -> Result<(Seal, Option<Secret>), Error> {
        let secret = self.secret.as_deref().map(|place| read_secret(place, &self.files)).transpose()?;
        Ok((read_seal(&self.place())?, secret))
    }

    /// Returns the options that the manifest was sealed with.
    ///
    /// # Errors
    /// If a secret is missing or does not fit the seal.
    pub fn options<'a>(&self, seal: &Seal, secret: Option<&'a Secret>) -> Result<SealOptions<'a>, Error> {
        seal.options(secret).map_err(about(&self.manifest))
    }

    /// Opens the manifest. Reading fails once the flag is set.
    pub(super) fn open(&self) -> Result<Box<dyn Read>, Error> {
        open_list(&self.manifest, &self.stores).map(|input| Stoppable::boxed(input, &self.cancel))
    }

    /// Makes an error about the manifest, or the one of a cancelled operation.
    pub(super) fn failed(&self) -> impl FnOnce(hashmill_seal::Error) -> Error + use<> {
        let (manifest, cancel) = (self.manifest.clone(), self.cancel.clone());
        move |why| unless_cancelled(&cancel)(about(&manifest)(why))
    }
}

/// Returns the path of the seal beside a manifest: M.seal.
pub fn beside(manifest: &Path) -> PathBuf {
    with_ending(manifest, "seal")
}

/// Appends a dot and an ending to a path.
pub(super) fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".");
    name.push(ending);
    name.into()
}

/// Returns the path as errors hold it.
pub(super) fn name(path: &Path) -> Box<[u8]> {
    names::path_bytes(path).into()
}

/// Makes an error about this file: a difference, or a file that is not usable.
pub(super) fn about(path: &Path) -> impl FnOnce(hashmill_seal::Error) -> Error + use<> {
    let path = name(path);
    |why| match why {
        hashmill_seal::Error::Differs(difference) => SealError::Differs { path, difference }.into(),
        why => SealError::Unusable { path, why: Box::new(why) }.into(),
    }
}

/// Returns the error of a file that is not a seal.
pub(super) fn not_a_seal(path: &Path, why: &hashmill_seal::Error) -> Error {
    Error::of_place(name(path), format!("not usable as a seal: {why}"))
}

pub(super) fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> Error + use<> {
    Error::at(path, Tried::Read)
}

/// Opens a file for reading.
///
/// # Errors
/// If it can't be opened.
pub(super) fn open(path: &Path) -> Result<Box<dyn Read>, Error> {
    Ok(Box::new(open_to_read(path).map_err(unreadable(path))?))
}

/// Opens a manifest for reading, unless a signature beside it is broken.
///
/// # Errors
/// If it can't be opened, or a signature is broken.
pub(super) fn open_list(path: &Path, stores: &Stores) -> Result<Box<dyn Read + Send>, Error> {
    let (list, _) = Guard { stores: stores.clone(), ..Guard::default() }.pass(path.as_os_str())?;
    list.into_bytes().map_err(unreadable(path))
}

/// A reader that fails once the flag is set.
pub(super) struct Stoppable {
    input: Box<dyn Read>,
    cancel: Cancel,
}

impl Stoppable {
    pub(super) fn boxed(input: Box<dyn Read>, cancel: &Cancel) -> Box<dyn Read> {
        Box::new(Stoppable { input, cancel: cancel.clone() })
    }
}

impl Read for Stoppable {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_set() {
            // Readers would retry after an error of the kind "Interrupted".
            return Err(io::Error::other("cancelled"));
        }
        self.input.read(buffer)
    }
}

/// Returns the error of an operation; if it was cancelled, the error that says so.
pub(super) fn unless_cancelled(cancel: &Cancel) -> impl Fn(Error) -> Error {
    |error| if cancel.is_set() { SealError::Interrupted.into() } else { error }
}

/// Returns the first bytes of a file, and a reader of all its bytes; the file is opened only once.
///
/// # Errors
/// If it can't be read.
pub(super) fn peek(path: &Path, bytes: usize, stores: &Stores) -> Result<(Vec<u8>, Box<dyn Read>), Error> {
    let mut input = open_list(path, stores)?;
    let mut first = Vec::new();
    input.by_ref().take(bytes as u64).read_to_end(&mut first).map_err(unreadable(path))?;
    Ok((first.clone(), Box::new(Cursor::new(first).chain(input))))
}

/// Returns whether a file begins with these bytes, and a reader of all its bytes, as [`peek`].
pub(super) fn begins(path: &Path, start: &[u8], stores: &Stores) -> Result<(bool, Box<dyn Read>), Error> {
    let (first, whole) = peek(path, start.len(), stores)?;
    Ok((first == start, whole))
}

/// Reads a seal.
///
/// # Errors
/// If the file can't be read or is not a seal.
pub fn read_seal(place: &Path) -> Result<Seal, Error> {
    let seal = Seal::read(&mut open(place)?);
    seal.map_err(|why| not_a_seal(place, &why))
}

/// Reads a secret.
///
/// # Errors
/// If the file can't be read or is not a secret.
pub fn read_secret(place: &Path, files: &RunFiles) -> Result<Secret, Error> {
    let mut text = Vec::new();
    let file = open_to_read(place).map_err(unreadable(place))?;
    // Whoever can read a secret can find out what a redacted record said.
    if let Some(mode) = facts(&file).map_err(unreadable(place))?.shared_mode() {
        files.warn(&Warning::OpenSecret { path: place, mode });
    }
    file.take(MAX_SECRET).read_to_end(&mut text).map_err(unreadable(place))?;
    Secret::from_text(&text).map_err(about(place))
}

/// Reads the secret in this file. If there is no such file, creates a new secret that only its owner can read.
pub(super) fn own_secret(place: &Path, files: &RunFiles) -> Result<Secret, Error> {
    let mut file = match create_own(place) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return read_secret(place, files),
        made => made.map_err(Error::at(place, Tried::Write))?,
    };
    let written = Secret::random().map_err(SealError::Random).map_err(Error::from).and_then(|secret| {
        let written = file.write_all(secret.to_text().as_bytes()).and_then(|()| file.sync_all());
        let written = written.and_then(|()| hashmill_os::settle(&file));
        written.map(|()| secret).map_err(Error::at(place, Tried::Write))
    });
    // An incomplete secret is useless, and would keep the next run from making one.
    written.inspect_err(|_| {
        if let Err(why) = fs::remove_file(place) {
            files.warn(&Warning::Left { path: place, why: &why });
        }
    })
}
