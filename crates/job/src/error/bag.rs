//! Errors of making and verifying bags.

use crate::output::WriteError;
use crate::shown::Shown;
use hashmill_bag::{BadDeclaration, BadField};
use std::fmt;
use std::path::PathBuf;

/// An error of making or verifying a bag.
#[derive(Debug)]
#[non_exhaustive]
pub enum BagError {
    /// Manifests of bags can't list similarity digests.
    Likeness,
    /// A checksum was requested, which proves nothing; its name.
    Checksum(&'static str),
    /// The size of the payload was given, but it is always counted.
    GivenOxum,
    /// A field can't be written.
    Field(BadField),
    /// The clock is too far off.
    Clock,
    /// The path is not a folder.
    NotFolder(PathBuf),
    /// The folder is a bag already.
    IsBag(PathBuf),
    /// The path is not a bag, because it is neither a folder nor an archive.
    NoBag(PathBuf),
    /// The folder is not a bag, because it has no `bagit.txt`.
    NoDeclaration(PathBuf),
    /// The archive is not a bag, because it has several entries on top; two of their names.
    SeveralTops(PathBuf, [Box<[u8]>; 2]),
    /// The tag files in an archive need more memory than the run may use.
    LongTags(PathBuf),
    /// The `bagit.txt` is not valid.
    Declaration(PathBuf, BadDeclaration),
    /// Another run is making the bag.
    Busy(PathBuf),
    /// The place where this run builds the bag is taken by something that no run of this user left.
    Foreign(PathBuf),
    /// An interrupted run has begun to make the folder a bag.
    Begun(PathBuf),
    /// Something exists at the path of the new bag.
    Exists(PathBuf),
    /// The path does not end with a name for a folder.
    NotName(PathBuf),
    /// The new bag would lie inside the folder that is copied.
    Inside(PathBuf),
    /// A step failed, and the steps before it can't be undone.
    NotUndone {
        /// The path of the folder.
        folder: PathBuf,
        /// The error of the step that failed.
        failed: WriteError,
        /// The reason why the steps can't be undone.
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
                    "{folder}: {failed}; and the steps before can't be undone: {why} (all files are in it; the same \
                     command goes on from there)"
                );
            }
            BagError::SeveralTops(path, [one, other]) => {
                let (one, other) = (Shown(one), Shown(other));
                let path = Shown::path(path);
                return write!(
                    f,
                    "{path}: has {one} and {other} on top, so it is not a bag, which is one folder"
                );
            }
            BagError::Declaration(path, why) => return write!(f, "{}: {why}", Shown::path(path)),
            BagError::NotFolder(path) => (path, "is not a folder"),
            BagError::IsBag(path) => (path, "is a bag already"),
            BagError::NoBag(path) => (path, "is not a folder or an archive, so it is not a bag"),
            BagError::NoDeclaration(path) => (path, "has no bagit.txt, so it is not a bag"),
            BagError::LongTags(path) => {
                (path, "its tag files need more memory than is allowed (allow more with -m)")
            }
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
