//! The reasons why entries are not read.

/// The reason why an entry is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Skip {
    /// A symbolic link, and links are not followed.
    Link,
    /// A symbolic link to a directory that contains it.
    Loop,
    /// A FIFO.
    Fifo,
    /// A socket.
    Socket,
    /// A character or block device.
    Device,
    /// An entry on another file system, with `--one-file-system`.
    OtherFileSystem,
    /// An entry that the filters exclude.
    Filtered,
    /// An entry that a file in the tree, such as `.hashignore`, excludes.
    Ignored,
    /// The output file of this run.
    Output,
    /// An entry that is read as a part of another one.
    Part,
    /// A file whose content a cloud has, and which would be downloaded to be read.
    Cloud,
    /// A directory without entries, if the walk was asked to report those.
    EmptyFolder,
    /// A deleted file in an image, of whose content not all places are known.
    Lost,
    /// A map of a whole volume in an image, in which nearly nothing is set.
    Sparse,
}

impl Skip {
    /// Returns whether an entry that is skipped for this reason can have content of its own.
    pub fn has_bytes(self) -> bool {
        use Skip::{Device, EmptyFolder, Fifo, Link, Loop, Socket};
        !matches!(self, Link | Loop | Fifo | Socket | Device | EmptyFolder)
    }

    /// Returns the reason in words that fit after "skipped: ".
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
            Skip::Cloud => "its content is in a cloud",
            Skip::EmptyFolder => "empty directory",
            Skip::Lost => "deleted, and its content is lost",
            Skip::Sparse => "nearly empty map of its volume",
        }
    }

    /// Returns the reason in one word, for programs.
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
            Skip::Cloud => "cloud",
            Skip::EmptyFolder => "empty-folder",
            Skip::Lost => "deleted",
            Skip::Sparse => "sparse-metadata",
        }
    }
}
