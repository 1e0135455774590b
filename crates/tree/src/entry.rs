//! What lies in a directory.

use hashloom_digest::Digest;

/// One entry below the directory, at any depth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path below the directory, parts divided by `/`, without one at either end.
    pub path: Box<[u8]>,
    /// What it is.
    pub kind: Kind,
}

/// What an entry is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A folder. Those that hold entries need not be given.
    Folder,
    /// A file.
    File {
        /// It may be run, by the rule of the system ([`crate::System::executable`]).
        executable: bool,
        /// The digest of its content, by the algorithm that the system wants.
        digest: Digest,
    },
    /// A symbolic link, and where it leads.
    Link {
        /// The text of the link.
        target: Box<[u8]>,
    },
}
