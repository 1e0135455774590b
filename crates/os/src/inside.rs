//! Changes in an open folder: files are made, swapped, linked and removed by their names in it, wherever its path leads by now.
//! Nothing here follows a link. Windows has none of these calls so far: there, they fail as unsupported.

use std::fmt;

/// Creates a file in a folder that only this user can read and write, and opens it for both.
///
/// # Errors
/// If the name exists, even as a link that leads nowhere, or the file can't be created.
pub use crate::sys::create_in;

/// Returns the metadata of a file in a folder; a link is not followed.
///
/// # Errors
/// If it is not there.
pub use crate::sys::facts_in;

/// Swaps the names of two files in a folder: at no moment is either name without a file.
///
/// # Errors
/// If one is not there, or the file system can't do that ([`is_no_swap`](crate::error::is_no_swap)).
pub use crate::sys::exchange_in;

/// Gives a file in a folder a second name, in the same folder or another one.
///
/// # Errors
/// If that name exists, or the file system has no hard links.
pub use crate::sys::link_in;

/// Gives a file in a folder another name; a file of that name is replaced.
///
/// # Errors
/// If the system refuses.
pub use crate::sys::rename_in;

/// Does the same as [`rename_in`], unless anything has the name.
///
/// # Errors
/// [`AlreadyExists`](std::io::ErrorKind::AlreadyExists) if the name is taken, or the system refuses.
pub use crate::sys::rename_new_in;

/// Removes a file from a folder.
///
/// # Errors
/// If it is not there, is a folder, or the system refuses.
pub use crate::sys::remove_in;

/// Makes the names in an open folder survive a power cut. It may have been opened only for lookups.
///
/// # Errors
/// If it can't be opened for reading, or not synced.
pub use crate::sys::sync_in;

/// Makes a symbolic link with this target.
///
/// # Errors
/// If the path exists, or the system refuses.
pub use crate::sys::make_link;

/// A property of a file that a copy of it may lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attribute {
    /// The owner or the group.
    Owner,
    /// Extended attributes, among them lists of access rights.
    Extended,
    /// Some of the permissions.
    Permissions,
    /// The time of the last change, to the nanosecond.
    Times,
}

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Attribute::Owner => "owner",
            Attribute::Extended => "extended attributes",
            Attribute::Permissions => "permissions",
            Attribute::Times => "exact times",
        })
    }
}

/// Gives an open file the owner, the extended attributes, the permissions and the times of another. Returns what the system refused:
/// a file with another owner never gets the bits that let programs run as their owner.
///
/// # Errors
/// If permissions or times can't be set.
pub use crate::sys::copy_attributes;

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::{Links, facts, facts_at, open_folder};
    use std::fs::File;
    use std::fs::{self, Permissions};
    use std::io;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn place() -> (tempfile::TempDir, File) {
        let folder = tempfile::tempdir().unwrap();
        let open = open_folder(folder.path(), Links::Stay).unwrap();
        (folder, open)
    }

    #[test]
    fn names_are_swapped_and_no_link_is_followed() {
        let (folder, open) = place();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("one"), "1").unwrap();
        fs::write(at("two"), "2").unwrap();
        exchange_in(&open, b"one", b"two").unwrap();
        assert_eq!((fs::read(at("one")).unwrap(), fs::read(at("two")).unwrap()), (b"2".into(), b"1".into()));
        symlink("one", at("link")).unwrap();
        exchange_in(&open, b"link", b"two").unwrap();
        assert!(at("two").is_symlink() && fs::read(at("link")).unwrap() == b"1");
        assert!(exchange_in(&open, b"one", b"none").is_err());
        for name in [&b"one"[..], b"two"] {
            assert_eq!(create_in(&open, name).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        }
        link_in(&open, b"one", &open, b"three").unwrap();
        assert_eq!(facts_at(&at("three"), Links::Stay).unwrap().links, 2);
        let taken = rename_new_in(&open, b"three", b"two").unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
        rename_new_in(&open, b"three", b"four").unwrap();
        rename_in(&open, b"four", b"three").unwrap();
        rename_in(&open, b"three", b"four").unwrap();
        remove_in(&open, b"four").unwrap();
        assert!(!at("three").exists() && !at("four").exists());
        sync_in(&open).unwrap();
    }

    #[test]
    fn the_folder_stays_the_one_that_was_opened() {
        let (folder, open) = place();
        let (away, other) = (folder.path().with_extension("away"), tempfile::tempdir().unwrap());
        fs::rename(folder.path(), &away).unwrap();
        symlink(other.path(), folder.path()).unwrap();
        create_in(&open, b"file").unwrap();
        assert!(away.join("file").exists() && !other.path().join("file").exists());
        fs::remove_file(folder.path()).unwrap();
        fs::rename(&away, folder.path()).unwrap();
    }

    #[test]
    fn a_copy_gets_permissions_and_times() {
        let (folder, open) = place();
        let path = folder.path().join("from");
        fs::write(&path, "x").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o440)).unwrap();
        let from = File::open(&path).unwrap();
        let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::new(1_000_000_000, 123_456_789);
        from.set_times(fs::FileTimes::new().set_modified(time).set_accessed(time)).unwrap();
        let to = create_in(&open, b"to").unwrap();
        assert_eq!(copy_attributes(&from, &to).unwrap(), []);
        let (from, to) = (facts(&from).unwrap(), facts(&to).unwrap());
        assert_eq!((from.mode, from.mtime, from.atime), (to.mode, to.mtime, to.atime));
        assert_eq!(to.mtime, (1_000_000_000, 123_456_789));
    }
}
