//! Owner, mode and extended attributes of files and symbolic links. Windows has none of these calls: there, they fail as
//! unsupported.

use crate::sys;
use std::fs::File;
use std::io;

/// The owner, the mode and the extended attributes of a file or a symbolic link.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attributes {
    /// The number of the user who owns it.
    pub user: u32,
    /// The number of its group.
    pub group: u32,
    /// Mode bits, with the type.
    pub mode: u32,
    /// Names, without the zeros at their ends, and values of extended attributes, in the order of the names.
    pub extended: Vec<(Vec<u8>, Vec<u8>)>,
}

/// Returns the attributes of an open file.
///
/// # Errors
/// If the system refuses them.
pub fn attributes(file: &File) -> io::Result<Attributes> {
    sys::attributes(file).map(Attributes::new)
}

/// Returns the attributes of an entry of an open folder, which may be a symbolic link: it is not followed.
///
/// # Errors
/// If there is none of this name, or the system refuses them; on Linux also without `/proc`.
pub fn attributes_in(folder: &File, name: &[u8]) -> io::Result<Attributes> {
    sys::attributes_in(folder, name).map(Attributes::new)
}

impl Attributes {
    fn new(((user, group, mode), mut extended): sys::Attributes) -> Attributes {
        extended.sort_unstable();
        Attributes { user, group, mode, extended }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::{Links, open_folder};
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn files_and_links_have_owners_and_modes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "x").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("file", folder.path().join("link")).unwrap();
        let open = open_folder(folder.path(), Links::Stay).unwrap();
        let found = attributes(&File::open(&path).unwrap()).unwrap();
        assert_eq!((found.mode, Some(found.user)), (0o100_640, crate::user_number()));
        assert_eq!(attributes_in(&open, b"file").unwrap(), found);
        assert_eq!(attributes_in(&open, b"link").unwrap().mode & 0o170_000, 0o120_000);
        assert_eq!(attributes_in(&open, b"none").unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
