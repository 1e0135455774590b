//! What a walk meets.

use crate::{Content, Error, OperandDirectory};
use std::sync::Arc;

/// One thing that a walk met. Every entry of a tree comes out as exactly one of these.
#[derive(Debug)]
pub enum Found {
    /// To be read.
    File(Entry),
    /// Not to be read, with the reason.
    Skipped {
        /// The path, as bytes.
        path: Box<[u8]>,
        /// Why.
        why: Skip,
    },
    /// Could not be looked at (a missing operand, a directory that can't be listed).
    Failed(Error),
}

/// A file to be read.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The path as it is shown: the operand, then the way down from it. Bytes, not text.
    pub path: Box<[u8]>,
    /// Where the bytes come from.
    pub origin: Origin,
    /// The size in bytes, where the walk had to look at it anyway.
    pub size: Option<u64>,
    /// The device (`st_dev`) of the directory that it was listed in, or of the operand itself; of a block
    /// device, its own number. 0 where it is not known, as for standard input.
    pub device: u64,
    /// The inode number as the listing had it: good for an order, not for telling files apart, as unions and
    /// FUSE list other numbers than files have. 0 where it is not known.
    pub ino: u64,
    /// The directory that was named, if the walk found it below one and follows no links: it is opened from there.
    pub operand: Option<Arc<OperandDirectory>>,
    /// What is read for the entry, if that is not the file at the path.
    pub content: Option<Arc<dyn Content>>,
}

impl Entry {
    /// An entry of which nothing is known but its path.
    pub fn new(path: Box<[u8]>, origin: Origin) -> Entry {
        Entry { path, origin, size: None, device: 0, ino: 0, operand: None, content: None }
    }

    /// Whether its bytes are far away ([`Content::is_remote`]).
    pub fn is_remote(&self) -> bool {
        self.content.as_ref().is_some_and(|content| content.is_remote())
    }
}

/// Where the bytes of an entry come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The regular file at the path, met below an operand. Anything else by now is refused, not read.
    Path,
    /// The regular file or block device at the path, which a list names. Anything that a reader may wait for without end is
    /// refused.
    Listed,
    /// Whatever is at the path, as the user named it: also block devices, and FIFOs and character devices as streams.
    Operand,
    /// Standard input.
    Stdin,
}

/// Why an entry is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Skip {
    /// A symbolic link, and links are not followed.
    Link,
    /// A symbolic link that leads back to a directory that it lies in.
    Loop,
    /// A FIFO.
    Fifo,
    /// A socket.
    Socket,
    /// A character or block device.
    Device,
    /// On another file system, with `--one-file-system`.
    OtherFileSystem,
    /// The filters leave it out.
    Filtered,
    /// A file in the tree, such as `.hashignore`, leaves it out.
    Ignored,
    /// The file that this run writes.
    Output,
    /// Its bytes are read as a part of another entry.
    Part,
    /// A directory without entries, where the walk was asked for those.
    EmptyFolder,
}

impl Skip {
    /// The reason in words that fit behind "skipped: ".
    pub fn reason(self) -> &'static str {
        match self {
            Skip::Link => "symbolic link",
            Skip::Loop => "symbolic link to a directory that it lies in",
            Skip::Fifo => "FIFO",
            Skip::Socket => "socket",
            Skip::Device => "device",
            Skip::OtherFileSystem => "on another file system",
            Skip::Filtered => "left out by a filter",
            Skip::Ignored => "left out by an ignore file",
            Skip::Output => "the output of this run",
            Skip::Part => "read as a part of another file",
            Skip::EmptyFolder => "empty directory",
        }
    }

    /// The reason in one word, for programs.
    pub fn word(self) -> &'static str {
        match self {
            Skip::Link => "symlink",
            Skip::Loop => "symlink-loop",
            Skip::Fifo => "fifo",
            Skip::Socket => "socket",
            Skip::Device => "device",
            Skip::OtherFileSystem => "other-file-system",
            Skip::Filtered => "filtered",
            Skip::Ignored => "ignored",
            Skip::Output => "output",
            Skip::Part => "part",
            Skip::EmptyFolder => "empty-folder",
        }
    }
}
