//! The abstract file system: what each format gives the walk.

pub(crate) mod info;
pub(crate) mod node;
pub(crate) mod time;
pub(crate) mod walk;

use crate::{ByteRun, FileSystemInfo, Node, Problem};
use std::fmt::Debug;

/// Whether deleted entries that are still there are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeletedEntries {
    /// They are listed, too.
    Listed,
    /// Only entries in use are listed.
    LeftOut,
}

/// An open file system. All methods may be called from several threads at once.
pub trait FileSystem: Debug + Send + Sync {
    /// Returns the facts about it as a whole.
    fn info(&self) -> &FileSystemInfo;

    /// Returns the doubts about it, to add to them.
    fn doubts(&mut self) -> &mut Vec<Problem>;

    /// Reads the root directory.
    ///
    /// # Errors
    /// If it can't be read.
    fn root(&self) -> Result<Node, Problem>;

    /// Reads the names in a directory, in any order, without `.` and `..`. What can't be read of the directory is among
    /// the problems.
    fn list(&self, directory: &Node, deleted: DeletedEntries) -> DirectoryListing;

    /// Reads what a name stands for: the entry itself first, then its alternate streams.
    ///
    /// # Errors
    /// If its metadata can't be read. What is wrong with its bytes alone is in [`Node::content`].
    fn nodes(&self, name: &Named) -> Result<Vec<Node>, Problem>;

    /// Returns whether entries in use that are files or directories are not among those that were met, because no directory
    /// leads to them.
    fn has_unnamed(&self, _is_met: &dyn Fn(u64) -> bool) -> bool {
        false
    }

    /// Returns deleted entries that no directory names, and entries in use to which no directory leads; those of orphaned
    /// directories come after these. Those that [`FileSystem::list`] returned may be among them.
    fn orphans(&self) -> Box<dyn Iterator<Item = Result<Named, Problem>> + Send + '_> {
        Box::new(std::iter::empty())
    }

    /// Returns the places that no file and no metadata use, in order and not adjacent, as runs whose offset and place are
    /// the same.
    fn free(&self) -> Box<dyn Iterator<Item = Result<ByteRun, Problem>> + Send + '_> {
        Box::new(std::iter::empty())
    }
}

/// A name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The name, as bytes.
    pub name: Vec<u8>,
    /// The entry that it stands for ([`Node::number`]).
    pub number: u64,
    /// More that tells which entry is meant: the number of its generation, where numbers are used again.
    pub generation: u32,
    /// Whether it stands for a directory, if the name tells.
    pub is_directory: Option<bool>,
    /// Whether the name was deleted.
    pub is_deleted: bool,
}

/// The names in a directory.
#[derive(Debug, Default)]
pub struct DirectoryListing {
    /// The names.
    pub names: Vec<Named>,
    /// The reasons why parts of it could not be read.
    pub problems: Vec<Problem>,
}
