//! An entry of a directory: short name, attributes, times, first cluster, size.
//!
//! Source: Microsoft, "FAT: General Overview of On-Disk Format", version 1.03 (2000), "FAT Directory Structure"; the flags
//! for lower case are those of Windows NT.

use crate::clusters::SLOT;
use crate::code_page::code_page_437_lower;
use crate::code_page_437;
use crate::fields::{le16, le32};
use crate::{Time, Times};

/// The first byte of an entry that was deleted, of one whose name begins with that byte, and of the end.
const DELETED: u8 = 0xe5;
const STANDS_FOR_DELETED: u8 = 0x05;
const END: u8 = 0;

const LABEL: u8 = 0x08;
const DIRECTORY: u8 = 0x10;
const LONG: u8 = 0x0f;

/// The flags for names that are shown in lower case: up to the dot, and behind it.
const LOWER_BASE: u8 = 0x08;
const LOWER_EXTENSION: u8 = 0x10;

/// An entry of a directory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Short<'a>(pub &'a [u8; SLOT]);

/// The kind of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SlotKind {
    /// No slot from here on is in use.
    End,
    /// A part of a long name.
    Long,
    /// The label of the volume.
    Label,
    /// `.` or `..`.
    Dots,
    /// A file or directory.
    WalkEntry,
}

impl Short<'_> {
    pub fn kind(self) -> SlotKind {
        let attributes = self.attributes();
        match self.0 {
            [END, ..] => SlotKind::End,
            _ if attributes & 0x3f == LONG => SlotKind::Long,
            // One with content is a file or directory that somebody marked as the label.
            _ if attributes & LABEL != 0 && self.size() == 0 && !self.is_directory() => SlotKind::Label,
            [b'.', b' ', ..] | [b'.', b'.', b' ', ..] if self.is_directory() => SlotKind::Dots,
            _ => SlotKind::WalkEntry,
        }
    }

    pub fn is_deleted(self) -> bool {
        self.0.first() == Some(&DELETED)
    }

    pub fn is_directory(self) -> bool {
        self.attributes() & DIRECTORY != 0
    }

    /// Returns the attributes, by the lowest bits of those of Windows.
    pub fn attributes(self) -> u8 {
        self.byte(11)
    }

    fn byte(self, at: usize) -> u8 {
        self.0.get(at).copied().unwrap_or_default()
    }

    fn number(self, at: usize) -> u16 {
        le16(self.0, at).unwrap_or_default()
    }

    /// Returns the eleven bytes of the name as they are.
    pub fn raw_name(self) -> [u8; 11] {
        crate::fields::array(self.0, 0).unwrap_or_default()
    }

    /// Returns the name; that of a deleted entry begins with `_`.
    pub fn name(self) -> Vec<u8> {
        let mut raw = self.raw_name();
        raw[0] = match raw[0] {
            DELETED => b'_',
            STANDS_FOR_DELETED => DELETED,
            first => first,
        };
        self.with_case(&raw)
    }

    fn with_case(self, raw: &[u8; 11]) -> Vec<u8> {
        let (base, extension) = raw.split_at(8);
        let mut name = part(base, self.byte(12) & LOWER_BASE != 0);
        let extension = part(extension, self.byte(12) & LOWER_EXTENSION != 0);
        if !extension.is_empty() {
            name.push(b'.');
            name.extend(extension);
        }
        name
    }

    /// Returns the label of the volume that it is.
    pub fn label(self) -> Option<Vec<u8>> {
        label(self.raw_name())
    }

    /// Returns the first cluster; 0 if it has none.
    pub fn first_cluster(self, is_fat32: bool) -> u32 {
        let high = if is_fat32 { u32::from(self.number(20)) << 16 } else { 0 };
        (high | u32::from(self.number(26))) & 0x0fff_ffff
    }

    /// Returns whether it has the lower half of the number of a cluster, which the slots of long names have not.
    pub fn has_low_cluster(self) -> bool {
        self.number(26) != 0
    }

    /// Returns whether it begins a directory other than the root: with the name of that itself.
    pub fn is_first_of_directory(self) -> bool {
        self.kind() == SlotKind::Dots && self.byte(1) == b' '
    }

    /// Returns whether it looks like an entry that a system wrote.
    pub fn is_likely(self) -> bool {
        let is_text = |(at, byte): (usize, u8)| byte >= b' ' || at == 0 && byte == STANDS_FOR_DELETED;
        self.attributes() & 0xc0 == 0 && (0..).zip(self.raw_name()).all(is_text)
    }

    /// Returns the size of a file in bytes.
    pub fn size(self) -> u64 {
        u64::from(le32(self.0, 28).unwrap_or_default())
    }

    pub fn times(self) -> Times {
        let created = Time::from_dos(self.number(16), self.number(14));
        Times {
            modified: Time::from_dos(self.number(24), self.number(22)),
            accessed: Time::from_dos(self.number(18), 0),
            changed: None,
            created: created.map(|time| time.with_hundredths(self.byte(13))),
        }
    }
}

/// Returns a label without the spaces at its end; none if nothing is left.
pub(super) fn label(mut raw: [u8; 11]) -> Option<Vec<u8>> {
    if raw[0] == STANDS_FOR_DELETED {
        raw[0] = DELETED;
    }
    Some(code_page_437(trimmed(&raw))).filter(|label| !label.is_empty())
}

fn part(raw: &[u8], is_lower: bool) -> Vec<u8> {
    let bytes = trimmed(raw);
    if is_lower { code_page_437_lower(bytes) } else { code_page_437(bytes) }
}

fn trimmed(mut bytes: &[u8]) -> &[u8] {
    while let [rest @ .., b' '] = bytes {
        bytes = rest;
    }
    bytes
}
