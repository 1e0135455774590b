//! Verification of the signatures and the time stamp of a file.

use super::beside;
use super::guard::forgeable;
use super::judge::{Judged, judge, judge_typed, signers};
use crate::error::Error;
use hashmill_content::File as Tried;
use hashmill_digest::Algorithm;
use hashmill_manifest::format::{Hint, open};
use hashmill_os::{names, open_to_read};
use hashmill_sign::ssh::Moment;
use hashmill_sign::stamp::{MAX_FILE, Request, Roots, Stamp, StampStatement};
use hashmill_sign::{Broken, Message, Trust};
use std::fs::File;
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

/// A file to verify, and the signers to trust.
pub struct VerifyJob {
    /// The file that was signed.
    pub file: PathBuf,
    /// Signatures; if empty, all that lie beside the file.
    pub signatures: Vec<PathBuf>,
    /// The trusted signers.
    pub trust: Trust,
    /// Number of different signers with good signatures that are needed.
    pub needed: usize,
    /// Requirements for the time stamp.
    pub stamp: StampCheck,
}

/// Requirements for a time stamp.
#[derive(Default)]
pub struct StampCheck {
    /// Trusted roots: the certificate must lead to one of them, and a time stamp must exist.
    pub roots: Option<Roots>,
    /// Path of the time stamp; `None` is the one beside the file, if it exists.
    pub stamp: Option<PathBuf>,
    /// The request that it must answer.
    pub request: Option<Request>,
    /// Whether time stamps are ignored.
    pub ignore: bool,
}

/// The results of verifying a file's signatures and time stamp.
#[derive(Debug)]
pub struct VerifySummary {
    /// The result for each signature.
    pub judged: Vec<Judged>,
    /// Number of different signers with good signatures by trusted keys.
    pub found: usize,
    /// Number of signers that are needed.
    pub needed: usize,
    /// The result for the time stamp, if one was verified.
    pub stamp: Option<JudgedStamp>,
}

/// A time stamp and the result of its verification.
#[derive(Debug)]
pub struct JudgedStamp {
    /// Path of the time stamp, or where it should be.
    pub path: PathBuf,
    /// The result.
    pub worth: StampWorth,
}

/// The result of verifying a time stamp.
#[derive(Debug)]
#[non_exhaustive]
pub enum StampWorth {
    /// The file existed at this time, as a trusted authority states.
    Good(StampStatement),
    /// The stamp fits the file, but no trusted authorities were given: anybody can make a stamp of any time.
    Unverified(StampStatement),
    /// The stamp is broken, or belongs to other bytes.
    Broken(Broken),
    /// There is no time stamp.
    Absent,
    /// The time stamp can't be read.
    Unreadable(io::Error),
    /// The stamped file can't be read.
    FileUnreadable(io::Error),
}

impl StampWorth {
    /// Returns the word for this result in output for programs.
    pub fn word(&self) -> &'static str {
        match self {
            StampWorth::Good(_) => "good",
            StampWorth::Unverified(_) => "unchecked",
            StampWorth::Broken(Broken::Unsupported(_)) => "unsupported",
            StampWorth::Broken(_) => "broken",
            StampWorth::Absent => "missing",
            StampWorth::Unreadable(_) | StampWorth::FileUnreadable(_) => "unreadable",
        }
    }
}

impl VerifySummary {
    /// Returns whether enough signatures are good, none is broken or unreadable, and the time stamp, if one was
    /// verified, is good.
    pub fn is_good(&self) -> bool {
        let bad = |judged: &Judged| judged.is_broken() || judged.is_unreadable();
        let stamped = self.stamp.as_ref().is_none_or(|stamp| matches!(stamp.worth, StampWorth::Good(_)));
        self.found >= self.needed && stamped && !self.judged.iter().any(bad)
    }
}

impl VerifyJob {
    /// Makes a job for the signatures beside a file, of which one must be good.
    pub fn new(file: &Path, trust: Trust) -> VerifyJob {
        let (signatures, stamp) = Default::default();
        VerifyJob { file: file.to_path_buf(), signatures, trust, needed: 1, stamp }
    }

    /// Verifies the file. It is opened once: signatures and time stamp are compared with the same bytes, whichever file
    /// has the name later.
    ///
    /// # Errors
    /// If the file can't be read.
    pub fn run(&self) -> Result<VerifySummary, Error> {
        let unreadable = || Error::at(&self.file, Tried::Read);
        let mut file = open_to_read(&self.file).map_err(unreadable())?;
        let mut message = Message::new(&mut file);
        let judged = match self.signatures.as_slice() {
            [] => judge(&mut message, beside::all(&self.file), &self.trust),
            typed => judge_typed(&mut message, typed.to_vec(), &self.trust),
        };
        let mut judged = judged.map_err(unreadable())?;
        let found = signers(&judged, &self.trust);
        let stamp = self.stamp.verify(&self.file, &mut message);
        let is_good = judged.iter().any(Judged::is_good);
        let forgeable = if is_good { forgeable_in(&mut file, &self.file) } else { None };
        judged.iter_mut().for_each(|judged| judged.forgeable = forgeable.filter(|_| judged.is_good()));
        Ok(VerifySummary { judged, found, needed: self.needed, stamp })
    }
}

/// Returns an algorithm of a list that anybody can forge, if files have no other digest; none for anything but a list.
fn forgeable_in(file: &mut File, path: &Path) -> Option<&'static Algorithm> {
    file.rewind().ok()?;
    forgeable(open(Box::new(file), Hint::from_name(&names::path_bytes(path))).ok()?)
}

impl StampCheck {
    fn verify(&self, file: &Path, message: &mut Message<'_>) -> Option<JudgedStamp> {
        let path = self.stamp.clone().unwrap_or_else(|| beside::stamp(file));
        let wanted = self.roots.is_some() || self.request.is_some() || self.stamp.is_some();
        let looked_at = wanted || path.symlink_metadata().is_ok();
        (looked_at && !self.ignore).then(|| JudgedStamp { worth: self.judge(message, &path), path })
    }

    fn judge(&self, message: &mut Message<'_>, path: &Path) -> StampWorth {
        let read = if self.stamp.is_some() { beside::read } else { beside::found };
        let bytes = match read(path, MAX_FILE) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.stamp.is_none() => {
                return StampWorth::Absent;
            }
            Err(error) => return StampWorth::Unreadable(error),
        };
        let stamp = match Stamp::parse(&bytes) {
            Ok(stamp) => stamp,
            Err(broken) => return StampWorth::Broken(broken),
        };
        match stamp.check_message(message, self.request.as_ref()) {
            Err(error) => StampWorth::FileUnreadable(error),
            Ok(Err(broken)) => StampWorth::Broken(broken),
            Ok(Ok(())) => match self.roots.as_ref().map(|roots| stamp.by(roots, Moment::now())) {
                None => StampWorth::Unverified(stamp.says()),
                Some(Ok(seen)) => StampWorth::Good(seen),
                Some(Err(broken)) => StampWorth::Broken(broken),
            },
        }
    }
}
