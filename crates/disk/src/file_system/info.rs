//! The facts about a file system as a whole.

use crate::Problem;
use std::fmt;

/// The kind of a file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names of file systems")]
pub enum FileSystemKind {
    Fat12,
    Fat16,
    Fat32,
    ExFat,
    Ntfs,
    Ext2,
    Ext3,
    Ext4,
    Iso9660,
}

impl FileSystemKind {
    /// Returns the name in one word, as in records.
    pub fn word(self) -> &'static str {
        match self {
            FileSystemKind::Fat12 => "fat12",
            FileSystemKind::Fat16 => "fat16",
            FileSystemKind::Fat32 => "fat32",
            FileSystemKind::ExFat => "exfat",
            FileSystemKind::Ntfs => "ntfs",
            FileSystemKind::Ext2 => "ext2",
            FileSystemKind::Ext3 => "ext3",
            FileSystemKind::Ext4 => "ext4",
            FileSystemKind::Iso9660 => "iso9660",
        }
    }
}

impl fmt::Display for FileSystemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The facts about a file system as a whole.
#[derive(Debug, Clone)]
pub struct FileSystemInfo {
    /// Its kind.
    pub kind: FileSystemKind,
    /// The label, as bytes; none if it is empty.
    pub label: Option<Vec<u8>>,
    /// The serial number or UUID, as its own programs write it.
    pub identifier: Option<String>,
    /// The size of a cluster or block in bytes.
    pub block: u32,
    /// The size of the file system in bytes, as it states it. The medium may be smaller.
    pub size: u64,
    /// Facts worth telling about it: it was not unmounted cleanly, its journal was not replayed.
    pub notes: Vec<String>,
    /// The reasons why files may be missing, or other programs may find others.
    pub doubts: Vec<Problem>,
}

impl FileSystemInfo {
    /// Returns the doubts and the notes as text.
    pub fn remarks(&self) -> Vec<String> {
        self.doubts.iter().map(ToString::to_string).chain(self.notes.iter().cloned()).collect()
    }
}
