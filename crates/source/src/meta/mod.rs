//! The metadata of a file.

pub(crate) mod listed;
pub(crate) mod skip;

use hashmill_os::FileId;

/// The identity of a file, as [`WalkOptions::leave_out`](crate::WalkOptions::leave_out) and [`Meta`] have it: device and
/// inode.
pub type Identity = (u64, u64);

/// Returns the identity of a file in 64 bits. A number of Windows's ReFS is that of its directory and one in it.
pub fn identity((volume, number): FileId) -> Identity {
    (volume, (number as u64) ^ ((number >> 64) as u64).rotate_left(32))
}

/// The bits of a mode that tell the type of a file. Linux and macOS have the same; on Windows they are made up.
pub mod mode {
    /// All bits of the type.
    pub const TYPE: u32 = 0o170_000;
    /// A regular file.
    pub const FILE: u32 = 0o100_000;
    /// A directory.
    pub const FOLDER: u32 = 0o040_000;
    /// A symbolic link.
    pub const LINK: u32 = 0o120_000;
    /// A named pipe.
    pub const FIFO: u32 = 0o010_000;
    /// A socket.
    pub const SOCKET: u32 = 0o140_000;
    /// A block device.
    pub const BLOCK: u32 = 0o060_000;
    /// A character device.
    pub const CHARACTER: u32 = 0o020_000;
    /// No bit of a type: whether the content of the file would be downloaded to be read ([`Meta::is_elsewhere`]).
    pub(crate) const ELSEWHERE: u32 = 1 << 20;
}

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
    /// Attributes of Windows; 0 on other systems.
    pub attributes: u32,
    /// Stands for all else that tells the content of an object of a store from others, such as its ETag, or that of an entry
    /// inside of another file. 0 of a file.
    pub stamp: u128,
}

impl Meta {
    /// Returns whether it is a regular file.
    pub fn is_file(&self) -> bool {
        self.mode & mode::TYPE == mode::FILE
    }

    /// Returns whether it is a directory.
    pub fn is_directory(&self) -> bool {
        self.mode & mode::TYPE == mode::FOLDER
    }

    /// Returns whether it is a symbolic link.
    pub fn is_link(&self) -> bool {
        self.mode & mode::TYPE == mode::LINK
    }

    /// Returns whether it is a FIFO.
    pub(crate) fn is_fifo(&self) -> bool {
        self.mode & mode::TYPE == mode::FIFO
    }

    /// Returns whether it is a block device.
    pub fn is_block_device(&self) -> bool {
        self.mode & mode::TYPE == mode::BLOCK
    }

    /// Returns whether a cloud or an archive has the content of the file, and reading would download it.
    pub fn is_elsewhere(&self) -> bool {
        self.mode & mode::ELSEWHERE != 0
    }

    /// Returns whether the file did not change between this metadata and the later one.
    pub fn same_content(&self, later: &Meta) -> bool {
        (self.size, self.mtime, self.ctime) == (later.size, later.mtime, later.ctime)
    }
}
