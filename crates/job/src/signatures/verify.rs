//! What the signatures and the time stamp of a file show.

use super::beside;
use super::judge::{Judged, judge, judge_typed, signers};
use crate::error::{Error, File as Tried};
use hashloom_sign::ssh::Moment;
use hashloom_sign::stamp::{LONGEST, Request, Roots, Stamp, StampStatement};
use hashloom_sign::{Broken, Message, Trust};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// What is verified, and who counts.
pub struct Job {
    /// The file that was signed.
    pub file: PathBuf,
    /// Signatures; without any, all that lie beside the file.
    pub signatures: Vec<PathBuf>,
    /// Whose signatures count.
    pub trust: Trust,
    /// So many different signers of good ones are needed.
    pub needed: usize,
    /// What is asked of a time stamp.
    pub stamp: StampCheck,
}

/// What is asked of a time stamp.
#[derive(Default)]
pub struct StampCheck {
    /// Its certificate must lead to one of these; then there must be a time stamp.
    pub roots: Option<Roots>,
    /// The time stamp; without it the one beside the file, if it is there.
    pub stamp: Option<PathBuf>,
    /// The request that it must answer.
    pub request: Option<Request>,
    /// No time stamp is looked at.
    pub ignore: bool,
}

/// What a file's signatures and time stamp show.
#[derive(Debug)]
pub struct Summary {
    /// Each signature.
    pub judged: Vec<Judged>,
    /// Different signers of good ones that somebody vouches for.
    pub found: usize,
    /// So many are needed.
    pub needed: usize,
    /// The time stamp, if one was looked at.
    pub stamp: Option<JudgedStamp>,
}

/// A time stamp.
#[derive(Debug)]
pub struct JudgedStamp {
    /// Where it lies, or should.
    pub path: PathBuf,
    /// What it is worth.
    pub worth: StampWorth,
}

/// What a time stamp is worth.
#[derive(Debug)]
#[non_exhaustive]
pub enum StampWorth {
    /// The file existed then, as an authority says that is trusted.
    Good(StampStatement),
    /// It is of the file, but nobody said which authorities to trust: anybody can make a stamp of any time.
    Unverified(StampStatement),
    /// It is broken, or of other bytes.
    Broken(Broken),
    /// There is none.
    Absent,
    /// It can't be read.
    Unreadable(io::Error),
    /// The file that it is of can't be read.
    FileUnreadable(io::Error),
}

impl StampWorth {
    /// Returns the word for programs.
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

impl Summary {
    /// Whether enough signatures are good, none is broken or unreadable, and a time stamp that was looked at is good.
    pub fn is_good(&self) -> bool {
        let bad = |judged: &Judged| judged.is_broken() || judged.is_unreadable();
        let stamped = self.stamp.as_ref().is_none_or(|stamp| matches!(stamp.worth, StampWorth::Good(_)));
        self.found >= self.needed && stamped && !self.judged.iter().any(bad)
    }
}

impl Job {
    /// The signatures beside a file, of which one must be good.
    pub fn new(file: &Path, trust: Trust) -> Job {
        let (signatures, stamp) = Default::default();
        Job { file: file.to_path_buf(), signatures, trust, needed: 1, stamp }
    }

    /// Verifies. The file is opened once: signatures and time stamp are of the same bytes, whatever has its name
    /// later.
    ///
    /// # Errors
    /// If the file can't be read.
    pub fn run(&self) -> Result<Summary, Error> {
        let unreadable = || Error::file(&beside::name_of(&self.file), Tried::Read);
        let mut file = File::open(&self.file).map_err(unreadable())?;
        let mut message = Message::new(&mut file);
        let judged = match self.signatures.as_slice() {
            [] => judge(&mut message, beside::all(&self.file), &self.trust),
            typed => judge_typed(&mut message, typed.to_vec(), &self.trust),
        };
        let judged = judged.map_err(unreadable())?;
        let found = signers(&judged, &self.trust);
        let stamp = self.stamp.verify(&self.file, &mut message);
        Ok(Summary { judged, found, needed: self.needed, stamp })
    }
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
        let bytes = match read(path, LONGEST) {
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
        match stamp.is_of(message, self.request.as_ref()) {
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
