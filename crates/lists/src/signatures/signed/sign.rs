//! Making of signatures and a time stamp of a file, which are written beside it.

use super::authority;
use super::keys::unusable;
use super::trusted::request;
use super::{beside, staged};
use crate::error::{Error, SignatureError};
use crate::kinds::STAMP;
use hashmill_content::File as Tried;
use hashmill_content::output::{Output, OutputPath, RunFiles, create, create_derived, create_typed_or};
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

/// The outputs of a time stamp, as far as there are any.
#[derive(Default)]
struct StampOutputs {
    request: Option<Output>,
    stamp: Option<StampOutput>,
}

/// The file of the time stamp.
struct StampOutput {
    path: PathBuf,
    output: Output,
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
        // Nothing is signed before every file that will be written has a place.
        let places = self.places(&mut message)?;
        let answers = self.stamp.open(&self.file, &self.files, &mut message)?;
        let SignJob { file, signers, namespace, stamp, .. } = self;
        let mut signed = Vec::new();
        for (mut signer, (path, output)) in signers.into_iter().zip(places) {
            let signature = staged::sign(&mut signer, &mut message, &namespace, &file)?;
            signed.push((path, signer.public(), staged::write(output, &signature)?));
        }
        let mut summary = SignSummary::default();
        for (path, key, output) in signed {
            output.finish()?;
            told(SignEvent::Signed(&path, &key));
            summary.signatures.push((path, key));
        }
        summary.stamp = stamp.stamp(&file, &mut message, answers)?;
        if let Some(Ok(stamped)) = &summary.stamp {
            told(SignEvent::Stamped(stamped));
        }
        Ok(summary)
    }

    /// Opens the output of each signature.
    fn places(&self, message: &mut Message<'_>) -> Result<Vec<(PathBuf, Output)>, Error> {
        let mut places: Vec<(PathBuf, Output)> = Vec::new();
        for (number, signer) in self.signers.iter().enumerate() {
            let typed = self.outputs.get(number);
            let is_taken = |path: &Path| places.iter().any(|(place, _)| place == path);
            let path = match typed {
                Some(typed) => typed.path.clone(),
                None => beside::place(&self.file, &signer.public(), message, &is_taken)?,
            };
            let derived = OutputPath { force: self.force, ..OutputPath::new(&path, &self.files) };
            let output = create_typed_or(typed, &derived, beside::SIGNATURE)?;
            places.push((path, output));
        }
        Ok(places)
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

    /// Opens the outputs. A time stamp of these bytes is not replaced.
    fn open(&self, file: &Path, files: &RunFiles, message: &mut Message<'_>) -> Result<StampOutputs, Error> {
        let mut outputs = StampOutputs::default();
        if let (Some(place), None) = (&self.request, &self.response) {
            outputs.request = Some(create(place, STAMP)?);
        }
        if self.authority.is_some() || self.response.is_some() {
            let path = beside::stamp(file);
            if path.symlink_metadata().is_ok() && !replaces(&path, message) {
                return Err(Error::of_place(beside::name_of(&path), OTHER_STAMP));
            }
            let output = create_derived(&OutputPath::own(&path, files), STAMP)?;
            outputs.stamp = Some(StampOutput { path, output });
        }
        Ok(outputs)
    }

    /// Writes the request, reads or fetches the answer, and keeps it. Returns `None` if there is no answer to verify.
    fn stamp(
        &self,
        file: &Path,
        message: &mut Message<'_>,
        outputs: StampOutputs,
    ) -> Result<Option<Result<Stamped, String>>, Error> {
        if !self.is_asked() {
            return Ok(None);
        }
        let request = self.request(file, message, outputs.request)?;
        let bytes = match (&self.authority, &self.response, &request) {
            (_, Some(path), _) => beside::read(path, MAX_FILE).map_err(Error::at(path, Tried::Read))?,
            (Some(url), None, Some(request)) => match authority::ask(url, request) {
                Ok(bytes) => bytes,
                Err(why) => return Ok(Some(Err(format!("time stamp authority: {url}: {why}")))),
            },
            _ => return Ok(None),
        };
        let Some(stamp) = outputs.stamp else { return Ok(None) };
        self.keep(file, stamp, &bytes, request.as_ref(), message).map(Some)
    }

    fn request(
        &self,
        file: &Path,
        message: &mut Message<'_>,
        output: Option<Output>,
    ) -> Result<Option<Request>, Error> {
        match (&self.request, &self.response) {
            (Some(place), Some(_)) => request(&place.path).map(Some),
            (None, Some(_)) => Ok(None),
            (_, None) => {
                let request = Request::new(message).map_err(unusable(file))?;
                if let Some(output) = output {
                    staged::write(output, request.as_bytes())?.finish()?;
                }
                Ok(Some(request))
            }
        }
    }

    /// Writes an answer beside the file, if it is a stamp of this file.
    fn keep(
        &self,
        file: &Path,
        place: StampOutput,
        bytes: &[u8],
        request: Option<&Request>,
        message: &mut Message<'_>,
    ) -> Result<Result<Stamped, String>, Error> {
        let checked = self.check(bytes, request, message).map_err(Error::at(file, Tried::Read))?;
        let stamp = match checked {
            Ok(stamp) => stamp,
            Err(broken) => return Ok(Err(format!("the time stamp is refused: {broken}"))),
        };
        staged::write(place.output, bytes)?.finish()?;
        Ok(Ok(Stamped { path: place.path, says: stamp.says(), verified: self.roots.is_some() }))
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
        if let Err(broken) = stamp.check_message(message, request)? {
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
    !stamp.is_ok_and(|stamp| matches!(stamp.check_message(message, None), Ok(Ok(()))))
}
