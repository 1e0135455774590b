//! Errors of making and verifying bags.

use hashmill_bag::BadField;
use hashmill_content::output::WriteError;
use hashmill_terminal::Shown;
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
    /// The path is not a bag, because it is neither a folder nor an archive.
    NoBag(PathBuf),
    /// A payload manifest differs from the digest that a tag manifest has of it.
    ManifestChanged(PathBuf),
    /// Something exists at the path of the new bag.
    Exists(PathBuf),
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
            BagError::NotFolder(path) => (path, "is not a folder"),
            BagError::NoBag(path) => {
                (path, "is not a folder, and nothing that is known is inside, so it is not a bag")
            }
            BagError::ManifestChanged(path) => (
                path,
                "is not the manifest that the tag manifest lists, so nothing was written (bag verify shows whether the \
                 payload is as one of them says)",
            ),
            BagError::Exists(path) => (path, "is there already"),
        };
        write!(f, "{}: {what}", Shown::path(path))
    }
}

impl std::error::Error for BagError {}
