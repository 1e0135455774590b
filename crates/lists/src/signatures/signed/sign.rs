//! Making of signatures and a time stamp of a file, which are written beside it.

use super::authority;
use super::keys::unusable;
use super::trusted::request;
use super::{beside, staged};
use crate::error::{Error, SignatureError};
use crate::kinds::STAMP;
use hashmill_content::File as Tried;
use hashmill_content::output::{OutputPath, RunFiles, create, create_derived, create_typed_or};
use hashmill_os::open_to_read;
use hashmill_sign::ssh::{FILE, Moment};
use hashmill_sign::stamp::{MAX_FILE, Request, Roots, Stamp, StampStatement};
use hashmill_sign::{Broken, Format, Message, PublicKey, Signer};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// A time stamp of these bytes exists already.
const OTHER_STAMP: &str =
    "a time stamp of these bytes is there already; it may be the older and better one: move it away first";

/// A file to sign, and the keys.
pub struct SignJob {
    /// The file.
    pub file: PathBuf,
    /// Keys that sign it.
    pub signers: Vec<Signer>,
    /// The purpose of signatures of OpenSSH.
    pub namespace: String,
    /// Paths of the signatures, one for each key; if empty, the usual names beside the file.
    pub outputs: Vec<OutputPath>,
    /// Whether existing files are replaced in any case.
    pub force: bool,
    /// The time stamp of the file.
    pub stamp: Stamping,
    /// The unfinished files of the job, and the receiver of warnings about files.
    pub files: RunFiles,
}

/// Settings for a time stamp (RFC 3161): requested over HTTP, or carried to an authority and back in files.
#[derive(Default)]
pub struct Stamping {
    /// The address of an authority.
    pub authority: Option<String>,
    /// Path that the request is written to, or read from if there is a response.
    pub request: Option<OutputPath>,
    /// Path of an authority's answer.
    pub response: Option<PathBuf>,
    /// Trusted roots: the stamp is kept only if its certificate leads to one of them.
    pub roots: Option<Roots>,
}

/// A file that has just been written.
#[derive(Debug)]
#[non_exhaustive]
pub enum SignEvent<'a> {
    /// A signature by this key.
    Signed(&'a Path, &'a PublicKey),
    /// A time stamp.
    Stamped(&'a Stamped),
}

/// A time stamp that was written.
#[derive(Debug)]
pub struct Stamped {
    /// Path of the time stamp.
    pub path: PathBuf,
    /// The statement of the authority.
    pub says: StampStatement,
    /// Whether its certificate was verified.
    pub verified: bool,
}

/// The result of a job.
#[derive(Debug, Default)]
pub struct SignSummary {
    /// Signatures that were written, with their keys.
    pub signatures: Vec<(PathBuf, PublicKey)>,
    /// The time stamp, if an answer was asked for, or the reason why it is missing.
    pub stamp: Option<Result<Stamped, String>>,
}

impl Stamping {
    /// Returns whether a time stamp was requested, or a request for one.
    pub fn is_asked(&self) -> bool {
        self.authority.is_some() || self.request.is_some() || self.response.is_some()
    }
}

impl SignJob {
    /// Makes a job that signs a file with these keys.
    pub fn new(file: &Path, signers: Vec<Signer>) -> SignJob {
        let (outputs, force, stamp, files) = Default::default();
        SignJob { file: file.to_path_buf(), signers, namespace: FILE.into(), outputs, force, stamp, files }
    }

    /// Checks that the settings fit together.
    ///
    /// # Errors
    /// If they do not.
    pub fn check(&self) -> Result<(), SignatureError> {
        let SignJob { signers, outputs, .. } = self;
        let mut ids: Vec<_> =
            signers.iter().map(|signer| (signer.public().id(), signer.format() == Format::Ssh)).collect();
        ids.sort();
        match () {
            () if ids.windows(2).any(|pair| pair[0] == pair[1]) => Err(SignatureError::SameKey),
            () if signers.is_empty() && !self.stamp.is_asked() => Err(SignatureError::Nothing),
            () if !outputs.is_empty() && outputs.len() != signers.len() => Err(SignatureError::Outputs),
            () if self.namespace.is_empty() => Err(SignatureError::Namespace),
            () => Ok(()),
        }
    }

    /// Signs the file, which is read once for each hash that is needed.
    ///
    /// # Errors
    /// If the settings do not fit together, the file can't be read, a key does not sign, or a file can't be written.
    pub fn run(self, told: &mut dyn FnMut(SignEvent<'_>)) -> Result<SignSummary, Error> {
        self.check()?;
        self.stamp.check_files()?;
        let mut file = open(&self.file).map_err(Error::at(&self.file, Tried::Read))?;
        let mut message = Message::new(&mut file);
        let mut summary = SignSummary::default();
        let SignJob { file, signers, namespace, outputs, force, stamp, files } = self;
        for (number, mut signer) in signers.into_iter().enumerate() {
            let key = signer.public();
            let typed = outputs.get(number);
            let path = match typed {
                Some(typed) => typed.path.clone(),
                None => beside::place(&file, &key, &mut message)?,
            };
            let signature = staged::sign(&mut signer, &mut message, &namespace, &file)?;
            let derived = OutputPath { force, ..OutputPath::new(&path, &files) };
            staged::write(create_typed_or(typed, &derived, beside::SIGNATURE)?, &signature)?.finish()?;
            told(SignEvent::Signed(&path, &key));
            summary.signatures.push((path, key));
        }
        summary.stamp = stamp.stamp(&file, &mut message, &files)?;
        if let Some(Ok(stamped)) = &summary.stamp {
            told(SignEvent::Stamped(stamped));
        }
        Ok(summary)
    }
}

fn open(path: &Path) -> io::Result<File> {
    let file = open_to_read(path)?;
    let regular = file.metadata()?.is_file();
    if regular { Ok(file) } else { Err(io::Error::other("only regular files can be signed")) }
}

impl Stamping {
    /// Checks that the files of an authority's answer can be used, before anything is signed.
    fn check_files(&self) -> Result<(), Error> {
        let Some(path) = &self.response else { return Ok(()) };
        beside::read(path, MAX_FILE).map_err(Error::at(path, Tried::Read))?;
        self.request.as_ref().map_or(Ok(()), |place| request(&place.path).map(drop))
    }

    /// Writes the request, reads or fetches the answer, and keeps it. Returns `None` if there is no answer to verify.
    fn stamp(
        &self,
        file: &Path,
        message: &mut Message<'_>,
        files: &RunFiles,
    ) -> Result<Option<Result<Stamped, String>>, Error> {
        if !self.is_asked() {
            return Ok(None);
        }
        let request = self.request(file, message)?;
        let bytes = match (&self.authority, &self.response, &request) {
            (_, Some(path), _) => beside::read(path, MAX_FILE).map_err(Error::at(path, Tried::Read))?,
            (Some(url), None, Some(request)) => match authority::ask(url, request) {
                Ok(bytes) => bytes,
                Err(why) => return Ok(Some(Err(format!("time stamp authority: {url}: {why}")))),
            },
            _ => return Ok(None),
        };
        self.keep(file, files, &bytes, request.as_ref(), message).map(Some)
    }

    fn request(&self, file: &Path, message: &mut Message<'_>) -> Result<Option<Request>, Error> {
        match (&self.request, &self.response) {
            (Some(place), Some(_)) => request(&place.path).map(Some),
            (None, Some(_)) => Ok(None),
            (path, None) => {
                let request = Request::new(message).map_err(unusable(file))?;
                if let Some(path) = path {
                    staged::write(create(path, STAMP)?, request.as_bytes())?.finish()?;
                }
                Ok(Some(request))
            }
        }
    }

    /// Writes an answer beside the file, if it is a stamp of this file.
    fn keep(
        &self,
        file: &Path,
        files: &RunFiles,
        bytes: &[u8],
        request: Option<&Request>,
        message: &mut Message<'_>,
    ) -> Result<Result<Stamped, String>, Error> {
        let checked = self.check(bytes, request, message).map_err(Error::at(file, Tried::Read))?;
        let stamp = match checked {
            Ok(stamp) => stamp,
            Err(broken) => return Ok(Err(format!("the time stamp is refused: {broken}"))),
        };
        let path = beside::stamp(file);
        if path.symlink_metadata().is_ok() && !replaces(&path, message) {
            return Err(Error::of_place(beside::name_of(&path), OTHER_STAMP));
        }
        staged::write(create_derived(&OutputPath::own(&path, files), STAMP)?, bytes)?.finish()?;
        Ok(Ok(Stamped { path, says: stamp.says(), verified: self.roots.is_some() }))
    }

    fn check(
        &self,
        bytes: &[u8],
        request: Option<&Request>,
        message: &mut Message<'_>,
    ) -> io::Result<Result<Stamp, Broken>> {
        let stamp = match Stamp::parse(bytes) {
            Ok(stamp) => stamp,
            Err(broken) => return Ok(Err(broken)),
        };
        if let Err(broken) = stamp.is_of(message, request)? {
            return Ok(Err(broken));
        }
        Ok(match self.roots.as_ref().map(|roots| stamp.by(roots, Moment::now())) {
            Some(Err(broken)) => Err(broken),
            _ => Ok(stamp),
        })
    }
}

/// Returns whether a stamp may be replaced: one of other bytes is useless.
fn replaces(path: &Path, message: &mut Message<'_>) -> bool {
    let Ok(bytes) = beside::found(path, MAX_FILE) else { return false };
    let stamp = Stamp::parse(&bytes);
    !stamp.is_ok_and(|stamp| matches!(stamp.is_of(message, None), Ok(Ok(()))))
}
