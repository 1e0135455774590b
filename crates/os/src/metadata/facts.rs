//! The metadata of a file that the standard library has on some systems only.

use crate::sys;

/// The number of a volume, and that of a file on it: no two files that exist at the same time share both.
pub type FileId = (u64, u128);

/// The metadata of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Device and inode number; on Windows, volume and file ID.
    pub id: FileId,
    /// The type of the file.
    pub kind: FileKind,
    /// The number of names (hard links).
    pub links: u64,
    /// Bytes.
    pub size: u64,
    /// Bytes on the disk; fewer than the size requires if the file has holes, or is compressed.
    pub allocated: u64,
    /// Last change of the content: seconds and nanoseconds since 1970, UTC.
    pub mtime: (i64, u32),
    /// Last change of the content or the metadata, likewise; zeros if the file system has no such time (FAT).
    pub ctime: (i64, u32),
    /// Last access, likewise.
    pub atime: (i64, u32),
    /// Creation, likewise; zeros on other systems than Windows.
    pub born: (i64, u32),
    /// The number of the device that this file stands for; 0 for other files, and on Windows.
    pub device: u64,
    /// Mode bits. Windows has none: there, they are those of a folder, a file, or a file that is read-only.
    pub mode: u32,
    /// Attributes of Windows; 0 on other systems.
    pub attributes: u32,
    /// Whether reading its content would download it: a placeholder of Windows or macOS for a file that is in a cloud or an
    /// archive.
    pub elsewhere: bool,
    /// The tag of a reparse point of Windows (see [`reparse`](crate::reparse)); 0 for other files.
    pub tag: u32,
}

/// The type of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Folder,
    /// A symbolic link; on Windows also a junction, or another reparse point that stands for another name.
    Link,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A block device.
    Block,
    /// A character device.
    Character,
}

/// How to treat a symbolic link at the end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// The target of the link is used.
    Follow,
    /// The link itself is used; a function that opens files fails (see [`is_link`](crate::error::is_link)).
    Stay,
}

impl Facts {
    /// Returns whether it is a regular file.
    pub fn is_file(&self) -> bool {
        self.kind == FileKind::File
    }

    /// Returns the permissions of owner, group and others if others than the owner have any; on Windows, where mode bits
    /// tell nothing about that, always none.
    pub fn shared_mode(&self) -> Option<u32> {
        (self.mode & sys::OTHERS != 0).then_some(self.mode & 0o777)
    }

    /// Returns whether it is a directory.
    pub fn is_folder(&self) -> bool {
        self.kind == FileKind::Folder
    }
}

/// Returns the metadata of an open file.
///
/// # Errors
/// If the system has none.
pub use crate::sys::facts;

/// Returns the metadata of the file at a path. Windows opens it for that.
///
/// # Errors
/// If there is no such file, or a folder on the way can't be searched.
pub use crate::sys::facts_at;

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::fs::File;
    use std::io;

    #[test]
    fn a_file_is_the_same_by_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        fs::write(&one, "content").unwrap();
        fs::hard_link(&one, &two).unwrap();
        let open = facts(&File::open(&one).unwrap()).unwrap();
        assert_eq!(open.id, facts_at(&two, Links::Stay).unwrap().id);
        assert_ne!(open.id, facts_at(folder.path(), Links::Stay).unwrap().id);
        assert!(open.is_file() && open.size == 7 && open.links == 2);
        let modified = fs::metadata(&one).unwrap().modified().unwrap();
        let since = modified.duration_since(std::time::UNIX_EPOCH).unwrap();
        assert_eq!(open.mtime, (since.as_secs() as i64, since.subsec_nanos()));
        assert!(facts_at(folder.path(), Links::Follow).unwrap().is_folder());
        assert_eq!(
            facts_at(&folder.path().join("none"), Links::Follow).unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
    }

    #[test]
    fn an_open_file_keeps_its_identity_under_another_name() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (folder.path().join("one"), folder.path().join("other"));
        let file = File::options().read(true).write(true).create_new(true).open(&one).unwrap();
        std::io::Write::write_all(&mut &file, b"abc").unwrap();
        let own = facts(&file).unwrap().id;
        assert_eq!(facts_at(&one, Links::Stay).unwrap().id, own);
        std::fs::rename(&one, &other).unwrap();
        // Wine has no volume of a handle whose file got another name: what knows a file again asks before that.
        assert_eq!(facts_at(&other, Links::Stay).unwrap().id, own);
        std::fs::write(&one, "another").unwrap();
        assert_ne!(facts_at(&one, Links::Stay).unwrap().id, own);
    }
}
