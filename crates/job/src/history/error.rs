//! Errors of histories.

use crate::shown::Shown;
use hashmill_manifest::format::history::{BadChain, CHAIN};
use std::path::{Path, PathBuf};
use std::{error, fmt, io};

/// A history that can't be used or continued.
#[derive(Debug)]
pub struct BadHistory {
    /// The file or folder with the problem.
    pub path: PathBuf,
    /// The problem.
    pub problem: Problem,
}

/// The reason why a history can't be used or continued.
#[derive(Debug)]
pub enum Problem {
    /// The chain is not valid.
    Chain(BadChain),
    /// The file can't be read.
    Io(io::Error),
    /// It is not a regular file.
    NotAFile,
    /// A manifest that the chain names does not exist.
    Missing,
    /// The C4 of a manifest differs from that in the chain.
    Altered,
    /// There are manifests, but no chain.
    NoChain,
    /// The next generation can't have the name that was given; the name that it could have.
    Name(String),
    /// A path is outside the tree of the history.
    Elsewhere(PathBuf),
    /// The chain has changed since the run began.
    Meanwhile,
}

impl BadHistory {
    /// Makes an error about a file.
    pub(crate) fn new(path: &Path, problem: Problem) -> BadHistory {
        BadHistory { path: path.to_path_buf(), problem }
    }

    /// Makes an error about a file that can't be read from the error of the system.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> BadHistory + use<> {
        let path = path.to_path_buf();
        move |source| BadHistory { path, problem: Problem::Io(source) }
    }
}

impl fmt::Display for BadHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", Shown::path(&self.path))?;
        match &self.problem {
            Problem::Chain(why) => why.fmt(f),
            Problem::Io(source) => write!(f, "cannot read: {source}"),
            Problem::NotAFile => f.write_str("is not a regular file"),
            Problem::Missing => write!(f, "is missing, and {CHAIN} names it"),
            Problem::Altered => write!(f, "was altered: its C4 is not the one in {CHAIN}"),
            Problem::NoChain => write!(f, "has manifests, but no {CHAIN}"),
            Problem::Name(name) => {
                write!(f, "the next generation of the history is called {name}; -o may name the folder alone")
            }
            Problem::Elsewhere(root) => write!(f, "is not in {}, which the history is of", Shown::path(root)),
            Problem::Meanwhile => f.write_str("another program has changed it meanwhile; start again"),
        }
    }
}

impl error::Error for BadHistory {}
