//! Inputs of an import, and notices about them.

use super::left_out::LeftOutReason;
use super::taken::Taken;
use crate::Category;
use hashmill_digest::Algorithm;
use hashmill_manifest::format::Malformed;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file to import.
#[derive(Debug, Clone)]
pub struct Input {
    /// The path of the file.
    pub path: PathBuf,
    /// The category of its digests.
    pub category: Category,
    /// The name of the set. Without it, the file's own description or its name is used.
    pub set: Option<Box<str>>,
    /// For tables: the column with the digests. Without it, all columns named after an algorithm.
    pub column: Option<Box<str>>,
    /// The algorithm of digests for which the file names none. Without it, the file's name decides, or the likeliest
    /// algorithm of this length is used.
    pub algorithm: Option<&'static Algorithm>,
    /// A copy of the file to read in its place: the one whose signatures were verified.
    pub held: Option<Arc<File>>,
}

impl Input {
    /// Creates an input whose digests are all of this category.
    pub fn new(path: &Path, category: Category) -> Self {
        Input { path: path.to_path_buf(), category, set: None, column: None, algorithm: None, held: None }
    }
}

/// The handling of lines that are not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// They are reported and counted; the rest is imported.
    #[default]
    Lenient,
    /// The first one ends the build.
    Strict,
}

/// A notice for the user about an input.
#[derive(Debug)]
#[non_exhaustive]
pub enum Notice {
    /// A line was left out.
    Malformed(Malformed),
    /// The file matches a published checksum.
    Verified {
        /// The file with the checksum.
        stated_in: PathBuf,
        /// The algorithm of the checksum.
        algorithm: &'static str,
    },
    /// A database, or an archive, can't be read inside its archive: this many bytes are unpacked beside the output.
    Unpacking(u64),
    /// A member of an archive was left out.
    LeftOut {
        /// The name of the member.
        member: Box<str>,
        /// The reason.
        why: LeftOutReason,
    },
    /// An archive has several members with the same name; only the last can be read.
    Hidden,
    /// Columns of a table, or keys of JSON, look like digests, but were left out.
    Columns(Vec<Box<str>>),
    /// So many records of files have no digest that can be looked up.
    Lost(u64),
    /// The account of what was taken for digests in a table or in JSON.
    Taken(Taken),
}

/// A callback for notices, called with the file of each.
pub type Notices<'a> = &'a mut dyn FnMut(&Path, Notice);
