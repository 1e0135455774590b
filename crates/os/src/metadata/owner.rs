//! Owners of files, and the access of others.

use crate::sys;
use std::fmt;

/// The owner of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    /// The user of this process.
    Mine,
    /// The system or its administrators, if that is not the user of this process.
    System,
    /// Another user, with the number; on Windows, the SID.
    Other(Box<str>),
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Owner::Mine => f.write_str("this user"),
            Owner::System => f.write_str(sys::SYSTEM),
            Owner::Other(number) => write!(f, "{} {number}", sys::USER_NUMBER),
        }
    }
}

/// The access to a file that users other than its owner have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// Others may read it.
    pub read: bool,
    /// Others may write it.
    pub write: bool,
    /// Everybody may write it, not only a group.
    pub everybody_writes: bool,
}

/// Returns the owner of an open file.
///
/// # Errors
/// If the system doesn't tell.
pub use crate::sys::owner;

/// Returns the metadata and the owner of the file at a path, both of the same file: who can rename files in the folder
/// must not get that of one with the owner of another.
///
/// # Errors
/// If there is no such file, or the system doesn't tell.
pub use crate::sys::owned_at;

/// Returns the access of others to an open file, by its mode bits. Windows has none, and lists of access rights are not
/// examined: the answer there is that others have no access.
///
/// # Errors
/// If the system doesn't tell.
pub use crate::sys::others_may;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Links;

    #[test]
    fn own_files_are_mine_and_closed_to_others() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(owner(file.as_file()).unwrap(), Owner::Mine);
        let (found, owner) = owned_at(file.path(), Links::Stay).unwrap();
        assert_eq!((found.is_file(), owner), (true, Owner::Mine));
        assert_eq!(
            others_may(file.as_file()).unwrap(),
            Access { read: false, write: false, everybody_writes: false }
        );
        assert!(owned_at(&file.path().with_extension("none"), Links::Stay).is_err());
        assert_eq!(Owner::Mine.to_string(), "this user");
    }
}
