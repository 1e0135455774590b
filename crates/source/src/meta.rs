//! The metadata of a file.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

pub(crate) type Id = (u64, u64);

/// The metadata that show whether a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meta {
    /// Device number.
    pub dev: u64,
    /// Inode number.
    pub ino: u64,
    /// Bytes.
    pub size: u64,
    /// Last change of the content: seconds and nanoseconds since 1970, UTC.
    pub mtime: (i64, u32),
    /// Last change of the inode, likewise.
    pub ctime: (i64, u32),
    /// Allocated blocks of 512 bytes; fewer than the size requires means that there are holes.
    pub blocks: u64,
    /// Mode bits, with the file's type.
    pub mode: u32,
    /// Stands for all else that tells the content of an object of a store from others, such as its ETag. 0 of a file.
    pub stamp: u128,
}

impl Meta {
    /// Returns whether it is a regular file.
    pub fn is_file(&self) -> bool {
        self.mode & libc::S_IFMT == libc::S_IFREG
    }

    /// Returns whether it is a directory.
    pub fn is_directory(&self) -> bool {
        self.mode & libc::S_IFMT == libc::S_IFDIR
    }

    /// Returns whether it is a symbolic link.
    pub fn is_link(&self) -> bool {
        self.mode & libc::S_IFMT == libc::S_IFLNK
    }

    /// Returns whether it is a block device.
    pub fn is_block_device(&self) -> bool {
        self.mode & libc::S_IFMT == libc::S_IFBLK
    }

    /// Converts metadata of the standard library.
    pub fn from_metadata(meta: &Metadata) -> Meta {
        // The kernel keeps nanoseconds below one second.
        let nanoseconds = |number: i64| u32::try_from(number).unwrap_or(0);
        Meta {
            dev: meta.dev(),
            ino: meta.ino(),
            size: meta.size(),
            mtime: (meta.mtime(), nanoseconds(meta.mtime_nsec())),
            ctime: (meta.ctime(), nanoseconds(meta.ctime_nsec())),
            blocks: meta.blocks(),
            mode: meta.mode(),
            stamp: 0,
        }
    }

    /// Returns whether the file did not change between this metadata and the later one.
    pub fn same_content(&self, later: &Meta) -> bool {
        (self.size, self.mtime, self.ctime) == (later.size, later.mtime, later.ctime)
    }
}
