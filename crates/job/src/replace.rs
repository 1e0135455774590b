//! Rules that decide whether an output may replace an existing file.
//!
//! A baseline is worth more than the run that would replace it, and a photo more than a list of photos. So an output
//! only replaces a file of its own kind, which is recognised by its content; and a manifest only replaces another if
//! its run read every operand and found at least half as many files. [`OutputPath::force`] overrides this.

use crate::history;
use crate::shown::{Shown, count};
use crate::stores::Stores;
use hashmill_manifest::format::{self, Hint};
use hashmill_manifest::{Record, Status};
use std::collections::HashSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Number of lines that are read to recognise a manifest.
const LOOKED_AT: usize = 64;

/// The destination of an output, as it was typed.
#[derive(Debug, Clone)]
pub struct OutputPath {
    /// The name.
    pub path: PathBuf,
    /// Whether an existing file is replaced in any case.
    pub force: bool,
    /// The access to the store, if the name is a location.
    pub stores: Stores,
}

impl From<&Path> for OutputPath {
    fn from(path: &Path) -> OutputPath {
        OutputPath { path: path.to_path_buf(), force: false, stores: Stores::default() }
    }
}

impl From<PathBuf> for OutputPath {
    fn from(path: PathBuf) -> OutputPath {
        OutputPath { path, force: false, stores: Stores::default() }
    }
}

impl OutputPath {
    /// Makes an output path of a name that the program chose; it knows the file that may exist there.
    pub(crate) fn own(path: &Path) -> OutputPath {
        OutputPath { path: path.to_path_buf(), force: true, stores: Stores::default() }
    }
}

/// A kind of files that can be recognised by their content.
#[derive(Debug, Clone, Copy)]
pub enum OutputKind {
    /// Lists of files with digests, in any format that hashmill reads.
    Manifest,
    /// Other files: the noun for one in messages, and the function that recognises one.
    Other(&'static str, fn(&Path) -> bool),
    /// Files of any content.
    Anything,
}

/// A manifest to be replaced, and the reasons against it.
#[derive(Debug)]
pub(crate) struct Baseline {
    old: PathBuf,
    /// All operands that the run should read.
    operands: HashSet<Box<[u8]>>,
    /// The first operand that could not be read.
    unmet: Option<Box<[u8]>>,
}

impl OutputKind {
    /// Returns whether a file is of this kind.
    pub(crate) fn has(self, path: &Path) -> bool {
        match self {
            OutputKind::Manifest => is_manifest(path),
            OutputKind::Other(_, has) => has(path),
            OutputKind::Anything => false,
        }
    }

    fn name(self) -> Option<&'static str> {
        match self {
            OutputKind::Manifest => Some("manifest"),
            OutputKind::Other(name, _) => Some(name),
            OutputKind::Anything => None,
        }
    }

    /// Checks the existing file of this name before anything is written. Returns the manifest that would be replaced,
    /// to compare the new one with.
    ///
    /// # Errors
    /// [`Kept`] if a file with content exists and is not of this kind.
    pub(crate) fn check(self, path: &Path, force: bool) -> io::Result<Option<Baseline>> {
        if matches!(self, OutputKind::Manifest) && history::is_part(path) {
            return Err(Kept::History.into());
        }
        let is_file = path.metadata().is_ok_and(|meta| meta.is_file() && meta.len() > 0);
        if force || !is_file {
            return Ok(None);
        }
        if !self.has(path) {
            return Err(Kept::Other(self.name()).into());
        }
        let is_manifest = matches!(self, OutputKind::Manifest);
        Ok(is_manifest.then(|| Baseline { old: path.to_path_buf(), operands: HashSet::new(), unmet: None }))
    }
}

impl Baseline {
    /// Takes the operands of the run.
    pub(crate) fn expects(&mut self, operands: &[Box<[u8]>]) {
        self.operands.extend(operands.iter().cloned());
    }

    /// Notes a path that could not be read: it may be an operand.
    pub(crate) fn lacks(&mut self, path: &[u8]) {
        if self.unmet.is_none() {
            self.unmet = self.operands.get(path).cloned();
        }
    }

    /// Returns the reason why a manifest with this number of files should not replace the old one.
    pub(crate) fn refusal(&self, files: u64) -> Option<Kept> {
        if let Some(unmet) = &self.unmet {
            return Some(Kept::Unmet(unmet.clone()));
        }
        let enough = files.saturating_mul(2);
        let fewer = files_in(&self.old, enough.saturating_add(1)) > enough;
        fewer.then(|| Kept::Fewer { new: files, old: files_in(&self.old, u64::MAX) })
    }
}

/// The reason why an existing file is kept.
#[derive(Debug)]
pub(crate) enum Kept {
    /// It is not a file of the kind that would be written; the field is the noun for that kind.
    Other(Option<&'static str>),
    /// This operand could not be read.
    Unmet(Box<[u8]>),
    /// The new manifest has fewer than half as many files.
    Fewer { new: u64, old: u64 },
    /// It belongs to a history, which replacing it would break.
    History,
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
            Kept::History => {
                return f.write_str(
                    "it is or would be a part of a history; 'hashmill hash -f ascmhl -o DIR/ascmhl/ DIR' writes the next generation",
                );
            }
            Kept::Fewer { new, old } => {
                write!(f, "it lists {}, and the new one {new}", count(*old, "file", "files"))?;
            }
        }
        f.write_str("; --force replaces it")
    }
}

impl std::error::Error for Kept {}

/// Returns the reason why a file is kept, if the error has one.
pub(crate) fn kept(error: &io::Error) -> Option<&Kept> {
    error.get_ref().and_then(|error| error.downcast_ref())
}

/// Returns whether a file is a manifest: at least half of its first lines can be parsed.
fn is_manifest(path: &Path) -> bool {
    let Ok(opened) = format::open_path(path, Hint::None) else { return false };
    // Lists in formats that hashmill only reads were made by other programs.
    if opened.format.writer.is_none() {
        return false;
    }
    let (mut good, mut bad) = (0, 0);
    for line in opened.reader.take(LOOKED_AT) {
        *if line.is_ok() { &mut good } else { &mut bad } += 1;
    }
    good >= bad
}

/// Counts the files of a manifest, up to a limit. Consecutive lines of one file, each with another digest, count as
/// one.
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

/// Returns whether a record is of a whole file, not of a piece, and has its digests.
pub(crate) fn is_of_file(record: &Record) -> bool {
    record.piece.is_none() && matches!(record.status, Status::Hashed | Status::Stored(_))
}
