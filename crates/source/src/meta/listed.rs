//! An entry of a directory, as the system lists it.

use super::skip::Skip;
use crate::meta::{Meta, mode};
use std::fs::File;

/// The type of an entry of a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryType {
    File,
    /// A file whose content a cloud has.
    Elsewhere,
    Directory,
    /// A link that is not followed, or does not lead to a directory.
    Link,
    /// A followed link that leads to a directory.
    LinkedDirectory,
    /// A type that is never opened.
    Special(Skip),
    /// Neither the listing nor `stat` reports the type.
    Unknown,
}

/// An entry of a directory, as the system lists it.
pub(crate) struct Listed<'a> {
    pub(crate) directory: &'a File,
    pub(crate) name: &'a [u8],
    /// [`EntryType::Unknown`] if the listing does not tell.
    pub(crate) kind: EntryType,
    /// The inode number, where the file system reports it correctly.
    pub(crate) ino: u64,
}

impl EntryType {
    /// Returns the type that metadata tell.
    pub(crate) fn from_meta(meta: &Meta) -> EntryType {
        match meta.mode & mode::TYPE {
            mode::FILE if meta.is_elsewhere() => EntryType::Elsewhere,
            mode::FILE => EntryType::File,
            mode::FOLDER => EntryType::Directory,
            mode::LINK => EntryType::Link,
            mode::FIFO => EntryType::Special(Skip::Fifo),
            mode::SOCKET => EntryType::Special(Skip::Socket),
            mode::CHARACTER | mode::BLOCK => EntryType::Special(Skip::Device),
            _ => EntryType::Unknown,
        }
    }

    pub(crate) fn is_directory(self) -> bool {
        matches!(self, EntryType::Directory | EntryType::LinkedDirectory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_cloud_has_is_told_from_files() {
        let meta = Meta::at("Cargo.toml".as_ref()).unwrap();
        assert_eq!(EntryType::from_meta(&meta), EntryType::File);
        let placeholder = Meta { mode: meta.mode | mode::ELSEWHERE, ..meta };
        assert!(placeholder.is_elsewhere() && placeholder.is_file());
        assert_eq!(EntryType::from_meta(&placeholder), EntryType::Elsewhere);
    }
}
