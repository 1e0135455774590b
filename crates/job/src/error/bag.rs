//! Why no bag can be made, or there is none to verify.

use crate::output::WriteError;
use crate::shown::Shown;
use hashloom_bag::{BadDeclaration, BadField};
use std::fmt;
use std::path::PathBuf;

/// Why no bag can be made, or there is none to verify.
#[derive(Debug)]
#[non_exhaustive]
pub enum BagError {
    /// Manifests of bags have no place for likeness digests.
    Likeness,
    /// A checksum proves nothing: which.
    Checksum(&'static str),
    /// The size of the payload is counted, not given.
    GivenOxum,
    /// A field can't be written.
    Field(BadField),
    /// The clock is too far off.
    Clock,
    /// It is not a folder.
    NotFolder(PathBuf),
    /// It is a bag already.
    IsBag(PathBuf),
    /// It is not a bag, as it is not a folder.
    NoBag(PathBuf),
    /// It is not a bag, as it has no `bagit.txt`.
    NoDeclaration(PathBuf),
    /// Its `bagit.txt` is not one.
    Declaration(PathBuf, BadDeclaration),
    /// Another run is making the bag.
    Busy(PathBuf),
    /// What lies where this run puts the bag together is of somebody else.
    Foreign(PathBuf),
    /// An interrupted run has begun to make the folder a bag.
    Begun(PathBuf),
    /// Something lies where the new bag is to be.
    Exists(PathBuf),
    /// It is not a name for a folder.
    NotName(PathBuf),
    /// The new bag would lie in the folder that is copied.
    Inside(PathBuf),
    /// Something failed, and what was begun can't be undone: the folder and both reasons.
    NotUndone {
        /// The folder.
        folder: PathBuf,
        /// The failure.
        failed: WriteError,
        /// Why it can't be undone.
        why: Box<super::Error>,
    },
}

impl fmt::Display for BagError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, what) = match self {
            BagError::Likeness => return f.write_str("manifests of bags have no place for likeness digests"),
            BagError::Checksum(_) => return f.write_str("a checksum proves nothing; choose a digest"),
            BagError::GivenOxum => return f.write_str("Payload-Oxum is counted, not given"),
            BagError::Field(why) => return why.fmt(f),
            BagError::Clock => return f.write_str("the clock is too far off to date the bag"),
            BagError::NotUndone { folder, failed, why } => {
                let folder = Shown::path(folder);
                return write!(
                    f,
                    "{folder}: {failed}; and what was begun can't be undone: {why} (all files are in it; the same \
                     command goes on from there)"
                );
            }
            BagError::Declaration(path, why) => return write!(f, "{}: {why}", Shown::path(path)),
            BagError::NotFolder(path) => (path, "is not a folder"),
            BagError::IsBag(path) => (path, "is a bag already"),
            BagError::NoBag(path) => (path, "is not a folder, so it is not a bag"),
            BagError::NoDeclaration(path) => (path, "has no bagit.txt, so it is not a bag"),
            BagError::Busy(path) => (path, "another run is making this bag"),
            BagError::Foreign(path) => (path, "is not a folder that a run of this user left; remove it"),
            BagError::Begun(path) => {
                (path, "an interrupted run has begun to make it a bag: go on without -o")
            }
            BagError::Exists(path) => (path, "is there already"),
            BagError::NotName(path) => (path, "is not a name for a folder"),
            BagError::Inside(path) => (path, "lies in the folder that is to be copied"),
        };
        write!(f, "{}: {what}", Shown::path(path))
    }
}

impl std::error::Error for BagError {}
