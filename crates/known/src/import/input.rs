//! What is to be imported, and what is said of it.

use super::left_out::LeftOutReason;
use crate::Category;
use hashloom_digest::Algorithm;
use hashloom_manifest::format::Malformed;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file to import.
#[derive(Debug, Clone)]
pub struct Input {
    /// Where it lies.
    pub path: PathBuf,
    /// What its digests are.
    pub category: Category,
    /// The set's name; without one, what the file says of itself, or its name.
    pub set: Option<Box<str>>,
    /// For tables: the column that has the digests. Without it, every column that is named after an algorithm.
    pub column: Option<Box<str>>,
    /// The algorithm of digests for which the file names none. Without it, the file's name says the algorithm, or the
    /// likeliest one of this length is taken.
    pub algorithm: Option<&'static Algorithm>,
    /// A copy of it that is read in its place: that of which signatures were verified.
    pub held: Option<Arc<File>>,
}

impl Input {
    /// A file whose digests are all of this category.
    pub fn new(path: &Path, category: Category) -> Self {
        Input { path: path.to_path_buf(), category, set: None, column: None, algorithm: None, held: None }
    }
}

/// What happens to lines that can't be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// They are reported and counted; the rest is imported.
    #[default]
    Lenient,
    /// The first one ends the build.
    Strict,
}

/// What a user should know about an input.
#[derive(Debug)]
#[non_exhaustive]
pub enum Notice {
    /// A line was left out.
    Malformed(Malformed),
    /// The file matches a published checksum.
    Verified {
        /// Where the checksum stands.
        stated_in: PathBuf,
        /// The algorithm.
        algorithm: &'static str,
    },
    /// A database can't be read inside its archive: this many bytes are unpacked beside the output.
    Unpacking(u64),
    /// A member of an archive was left out.
    LeftOut {
        /// Its name.
        member: Box<str>,
        /// Why not.
        why: LeftOutReason,
    },
    /// An archive has several members of one name; only the last can be read.
    Hidden,
    /// Columns of a table look like digests, but were left out.
    Columns(Vec<Box<str>>),
}

/// Receives notices, each with the file that it is about.
pub type Notices<'a> = &'a mut dyn FnMut(&Path, Notice);
