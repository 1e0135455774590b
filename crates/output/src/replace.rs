//! Rules that decide whether an output may replace an existing file.
//!
//! A baseline is worth more than the run that would replace it, and a photo more than a list of photos. So an output
//! only replaces a file of its own kind, which is recognised by its content; and a list only replaces another if its
//! run read every operand and every file that the other lists, and found at least half as many files. [`LocalPath::force`] overrides this.

use crate::run_files::RunFiles;
use hashmill_terminal::{Shown, count};
use std::collections::HashSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The path of a file to be written, as it was typed.
#[derive(Debug, Clone)]
pub struct LocalPath {
    /// The name.
    pub path: PathBuf,
    /// Whether an existing file is replaced in any case.
    pub force: bool,
    /// The files of the run that writes it.
    pub files: RunFiles,
}

impl From<&Path> for LocalPath {
    fn from(path: &Path) -> LocalPath {
        LocalPath::from(path.to_path_buf())
    }
}

impl From<PathBuf> for LocalPath {
    fn from(path: PathBuf) -> LocalPath {
        LocalPath { path, force: false, files: RunFiles::default() }
    }
}

impl LocalPath {
    /// Makes an output path of a run with these files.
    pub fn new(path: &Path, files: &RunFiles) -> LocalPath {
        LocalPath { path: path.to_path_buf(), force: false, files: files.clone() }
    }

    /// Makes an output path of a name that the program chose; it knows the file that may exist there.
    pub fn own(path: &Path, files: &RunFiles) -> LocalPath {
        LocalPath { force: true, ..LocalPath::new(path, files) }
    }
}

/// A kind of files that can be recognised by their content.
#[derive(Debug, Clone, Copy)]
pub enum OutputKind {
    /// Lists of files, of which a better one is not replaced by a worse one.
    List(&'static ListKind),
    /// Other files: the noun for one in messages, and the function that recognises one.
    Other(&'static str, fn(&Path) -> bool),
    /// Files of any content.
    Anything,
}

/// A function that returns the first file of a list that lies at or below one of these paths.
pub type FileBelow = fn(&Path, &HashSet<Box<[u8]>>) -> Option<Box<[u8]>>;

/// The functions that recognise a list of files and compare it with another.
#[derive(Debug)]
pub struct ListKind {
    /// The noun for a list in messages.
    pub name: &'static str,
    /// Returns whether a file is such a list.
    pub has: fn(&Path) -> bool,
    /// Counts the files of a list, up to a limit.
    pub files_in: fn(&Path, u64) -> u64,
    /// Returns the first file of a list that lies at or below one of these paths.
    pub file_below: FileBelow,
    /// Returns the reason why no list may ever have this path, if there is one.
    pub refusal: fn(&Path) -> Option<&'static str>,
}

/// A list to be replaced, and the reasons against it.
#[derive(Debug)]
pub(crate) struct Baseline {
    kind: &'static ListKind,
    old: PathBuf,
    /// All operands that the run should read.
    operands: HashSet<Box<[u8]>>,
    /// The first operand that could not be read.
    unmet: Option<Box<[u8]>>,
    /// The files and folders that could not be read, and of which the run has no earlier records.
    unread: HashSet<Box<[u8]>>,
}

impl OutputKind {
    /// Returns whether a file is of this kind.
    pub fn has(self, path: &Path) -> bool {
        match self {
            OutputKind::List(kind) => (kind.has)(path),
            OutputKind::Other(_, has) => has(path),
            OutputKind::Anything => false,
        }
    }

    fn name(self) -> Option<&'static str> {
        match self {
            OutputKind::List(kind) => Some(kind.name),
            OutputKind::Other(name, _) => Some(name),
            OutputKind::Anything => None,
        }
    }

    /// Checks the existing file of this name before anything is written.
    ///
    /// # Errors
    /// If a file with content exists and is not of this kind, or none of this kind may have that name.
    pub fn check(self, path: &Path, force: bool) -> io::Result<()> {
        self.baseline(path, force).map(drop)
    }

    /// Returns the list that would be replaced, to compare the new one with.
    ///
    /// # Errors
    /// As [`OutputKind::check`].
    pub(crate) fn baseline(self, path: &Path, force: bool) -> io::Result<Option<Baseline>> {
        let list = if let OutputKind::List(kind) = self { Some(kind) } else { None };
        if let Some(why) = list.and_then(|kind| (kind.refusal)(path)) {
            return Err(Kept::Never(why).into());
        }
        let is_file = path.metadata().is_ok_and(|meta| meta.is_file() && meta.len() > 0);
        if force || !is_file {
            return Ok(None);
        }
        if !self.has(path) {
            return Err(Kept::Other(self.name()).into());
        }
        let old = || path.to_path_buf();
        Ok(list.map(|kind| Baseline {
            kind,
            old: old(),
            operands: HashSet::new(),
            unmet: None,
            unread: HashSet::new(),
        }))
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

    /// Notes a file or folder that could not be read.
    pub(crate) fn lacks_records_of(&mut self, path: &[u8]) {
        self.unread.insert(path.into());
    }

    /// Returns the reason why a list with this number of files should not replace the old one.
    pub(crate) fn refusal(&self, files: u64) -> Option<Kept> {
        if let Some(unmet) = &self.unmet {
            return Some(Kept::Unmet(unmet.clone()));
        }
        let lost = || (self.kind.file_below)(&self.old, &self.unread);
        if let Some(lost) = (!self.unread.is_empty()).then(lost).flatten() {
            return Some(Kept::Lost(lost));
        }
        let enough = files.saturating_mul(2);
        let fewer = (self.kind.files_in)(&self.old, enough.saturating_add(1)) > enough;
        fewer.then(|| Kept::Fewer { new: files, old: (self.kind.files_in)(&self.old, u64::MAX) })
    }
}

/// The reason why an existing file is kept.
#[derive(Debug)]
pub(crate) enum Kept {
    /// It is not a file of the kind that would be written; the field is the noun for that kind.
    Other(Option<&'static str>),
    /// This operand could not be read.
    Unmet(Box<[u8]>),
    /// It has a record of this file, which could not be read this time.
    Lost(Box<[u8]>),
    /// The new list has fewer than half as many files.
    Fewer { new: u64, old: u64 },
    /// No list may have that name, for this reason.
    Never(&'static str),
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
            Kept::Lost(file) => {
                write!(f, "it has a record of {}, which could not be read this time", Shown(file))?;
            }
            Kept::Never(why) => return f.write_str(why),
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
