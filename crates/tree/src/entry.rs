//! Entries of a directory.

use hashmill_digest::Digest;

/// An entry below the directory, at any depth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The path below the directory: parts separated by `/`, without leading or trailing `/`.
    pub path: Box<[u8]>,
    /// The kind of the entry.
    pub kind: EntryKind,
}

/// The kind of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    /// A folder. Folders that contain entries may be omitted.
    Folder,
    /// A regular file.
    File {
        /// The file is executable by the system's rule ([`crate::System::executable`]).
        executable: bool,
        /// The digest of the content by the system's algorithm ([`crate::System::files`]).
        digest: Digest,
    },
    /// A symbolic link.
    Link {
        /// The text of the link.
        target: Box<[u8]>,
    },
}
