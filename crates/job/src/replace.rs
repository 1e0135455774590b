//! Whether an output may take the place of a file that is there.
//!
//! A baseline is worth more than the run that would replace it, and a photo more than a list of photos. So a file gives way
//! only to an output of its own kind, which its content tells; and a manifest only to one from a run that met every operand
//! and found at least half as many files. Whoever wants something else says so: [`OutputPath::force`].

use crate::shown::{Shown, count};
use hashloom_manifest::format::{self, Hint};
use hashloom_manifest::{Record, Status};
use std::collections::HashSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Lines of a file that are looked at to tell whether it is a manifest.
const LOOKED_AT: usize = 64;

/// Where an output goes, as it was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputPath {
    /// The name.
    pub path: PathBuf,
    /// Replaces whatever has that name.
    pub force: bool,
}

impl From<&Path> for OutputPath {
    fn from(path: &Path) -> OutputPath {
        OutputPath { path: path.to_path_buf(), force: false }
    }
}

impl From<PathBuf> for OutputPath {
    fn from(path: PathBuf) -> OutputPath {
        OutputPath { path, force: false }
    }
}

impl OutputPath {
    /// A name that the program chose, of which it knows what is there.
    pub(crate) fn own(path: &Path) -> OutputPath {
        OutputPath { path: path.to_path_buf(), force: true }
    }
}

/// A kind of files, which their content tells.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Lists of files with digests, in any format that is read.
    Manifest,
    /// Other files that can be recognised, with what messages call one of them.
    Other(&'static str, fn(&Path) -> bool),
    /// Files of any content.
    Anything,
}

/// A manifest that is to be replaced, and what speaks against it.
#[derive(Debug)]
pub(crate) struct Baseline {
    old: PathBuf,
    /// All that the run should meet.
    operands: HashSet<Box<[u8]>>,
    /// The first of them that it did not.
    unmet: Option<Box<[u8]>>,
}

impl Kind {
    /// Returns whether a file is one of these.
    pub(crate) fn has(self, path: &Path) -> bool {
        match self {
            Kind::Manifest => is_manifest(path),
            Kind::Other(_, has) => has(path),
            Kind::Anything => false,
        }
    }

    fn name(self) -> Option<&'static str> {
        match self {
            Kind::Manifest => Some("manifest"),
            Kind::Other(name, _) => Some(name),
            Kind::Anything => None,
        }
    }

    /// Looks at the file of this name before anything is written. Returns the manifest that would be replaced, which the
    /// new one is compared with.
    ///
    /// # Errors
    /// [`Kept`] if a file with content is there that is not of this kind.
    pub(crate) fn check(self, path: &Path, force: bool) -> io::Result<Option<Baseline>> {
        let is_file = path.metadata().is_ok_and(|meta| meta.is_file() && meta.len() > 0);
        if force || !is_file {
            return Ok(None);
        }
        if !self.has(path) {
            return Err(Kept::Other(self.name()).into());
        }
        let is_manifest = matches!(self, Kind::Manifest);
        Ok(is_manifest.then(|| Baseline { old: path.to_path_buf(), operands: HashSet::new(), unmet: None }))
    }
}

impl Baseline {
    /// Takes the operands of the run.
    pub(crate) fn expects(&mut self, operands: &[Box<[u8]>]) {
        self.operands.extend(operands.iter().cloned());
    }

    /// Takes note of a path that could not be read: it may be an operand.
    pub(crate) fn lacks(&mut self, path: &[u8]) {
        if self.unmet.is_none() {
            self.unmet = self.operands.get(path).cloned();
        }
    }

    /// Returns why a manifest of so many files should not take its place.
    pub(crate) fn refusal(&self, files: u64) -> Option<Kept> {
        if let Some(unmet) = &self.unmet {
            return Some(Kept::Unmet(unmet.clone()));
        }
        let enough = files.saturating_mul(2);
        let fewer = files_in(&self.old, enough.saturating_add(1)) > enough;
        fewer.then(|| Kept::Fewer { new: files, old: files_in(&self.old, u64::MAX) })
    }
}

/// Why a file is kept as it is.
#[derive(Debug)]
pub(crate) enum Kept {
    /// It is no file of the kind that would be written, which messages call so.
    Other(Option<&'static str>),
    /// This operand was not met.
    Unmet(Box<[u8]>),
    /// The new manifest has fewer than half of its files.
    Fewer { new: u64, old: u64 },
}

impl From<Kept> for io::Error {
    fn from(kept: Kept) -> io::Error {
        io::Error::other(kept)
    }
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kept::Other(Some(kind)) => write!(f, "it is there, and is no {kind}")?,
            Kept::Other(None) => write!(f, "it is there")?,
            Kept::Unmet(operand) => write!(f, "{} could not be read", Shown(operand))?,
            Kept::Fewer { new, old } => {
                write!(f, "it lists {}, and the new one {new}", count(*old, "file", "files"))?;
            }
        }
        f.write_str("; --force replaces it")
    }
}

impl std::error::Error for Kept {}

/// Returns why a file is kept, if that is what the error says.
pub(crate) fn kept(error: &io::Error) -> Option<&Kept> {
    error.get_ref().and_then(|error| error.downcast_ref())
}

/// Whether a file is a manifest: nothing is wrong with more than half of its first lines.
fn is_manifest(path: &Path) -> bool {
    let Ok(opened) = format::open_path(path, Hint::None) else { return false };
    // Lists in formats that hashloom only reads are of other programs.
    if opened.format.writer.is_none() {
        return false;
    }
    let (mut good, mut bad) = (0, 0);
    for line in opened.reader.take(LOOKED_AT) {
        *if line.is_ok() { &mut good } else { &mut bad } += 1;
    }
    good >= bad
}

/// Counts the files of a manifest, up to a bound. Several lines of one file, each with another digest, are one.
fn files_in(path: &Path, most: u64) -> u64 {
    let Ok(opened) = format::open_path(path, Hint::None) else { return 0 };
    let (mut files, mut last) = (0, Box::default());
    for record in opened.reader.filter_map(Result::ok).filter(is_of_file) {
        if files == most {
            break;
        }
        if record.path != last {
            files += 1;
            last = record.path;
        }
    }
    files
}

/// Whether a record is of a file whose digests are known, and not of one of its pieces.
pub(crate) fn is_of_file(record: &Record) -> bool {
    record.piece.is_none() && matches!(record.status, Status::Hashed | Status::Stored(_))
}
