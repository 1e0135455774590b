//! The names of files, in their records and in directories.

use super::record::Reference;
use crate::fields::{le32, le64};
use crate::name::utf16_le;

/// The kind of names that are there for DOS only.
const SHORT: u8 = 2;

/// The kind of names that may have a short one beside them.
const LONG: u8 = 1;

const IS_REPARSE_POINT: u32 = 0x400;
const IS_DIRECTORY: u32 = 0x1000_0000;

/// A name of a file in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileName {
    /// The directory.
    pub parent: Reference,
    /// The name, as UTF-8.
    pub name: Vec<u8>,
    flags: u32,
    tag: u32,
    kind: u8,
}

impl FileName {
    /// Reads a name; none if its bytes end before.
    pub(super) fn parse(bytes: &[u8]) -> Option<FileName> {
        let length = usize::from(*bytes.get(0x40)?) * 2;
        Some(FileName {
            parent: Reference::new(le64(bytes, 0)?),
            name: utf16_le(bytes.get(0x42..0x42 + length)?),
            flags: le32(bytes, 0x38)?,
            tag: le32(bytes, 0x3c)?,
            kind: *bytes.get(0x41)?,
        })
    }

    /// Returns whether it is the short form (8.3) of another name.
    pub(super) fn is_short(&self) -> bool {
        self.kind == SHORT
    }

    /// Returns whether it may have a short form beside it.
    pub(super) fn is_long(&self) -> bool {
        self.kind == LONG
    }

    /// Returns whether it is that of a directory, and not of one that stands for another place.
    pub(super) fn is_directory(&self) -> bool {
        let is_link = self.flags & IS_REPARSE_POINT != 0 && super::reparse::is_surrogate(self.tag);
        self.flags & IS_DIRECTORY != 0 && !is_link
    }
}
