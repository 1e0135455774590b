//! Records of the MFT: the header, and the attributes behind it.

use super::attribute::{Attribute, Attributes};
use super::fixup;
use crate::Problem;
use crate::fields::{le16, le32, le64};

/// The signatures of records: one as it was written, and one that a check found torn.
const WRITTEN: &[u8] = b"FILE";
const TORN: &[u8] = b"BAAD";

/// A reference to a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Reference {
    /// The number of the record.
    pub number: u64,
    /// How often it had been used when the reference was made.
    pub sequence: u16,
}

impl Reference {
    /// Splits the eight bytes of a reference.
    pub(super) fn new(stored: u64) -> Reference {
        Reference { number: stored & 0xffff_ffff_ffff, sequence: (stored >> 48) as u16 }
    }
}

/// A record whose parts belong together.
#[derive(Debug)]
pub(super) struct Record {
    /// Its number.
    pub number: u64,
    bytes: Vec<u8>,
}

impl Record {
    /// Checks the bytes of a record.
    ///
    /// # Errors
    /// If it is none, or is torn.
    pub(super) fn parse(number: u64, mut bytes: Vec<u8>) -> Result<Record, Problem> {
        if !bytes.starts_with(WRITTEN) {
            let what = if bytes.starts_with(TORN) { "is marked as torn" } else { "was never written" };
            return Err(Problem::damaged(format!("record {number} of the MFT {what}")));
        }
        fixup::undo(&mut bytes).map_err(|problem| match problem {
            Problem::Damaged(what) => Problem::damaged(format!("record {number} of the MFT: {what}")),
            other => other,
        })?;
        Ok(Record { number, bytes })
    }

    /// Returns whether bytes look like a record, torn or not.
    pub(super) fn is_one(bytes: &[u8]) -> bool {
        bytes.starts_with(WRITTEN) || bytes.starts_with(TORN)
    }

    /// Returns how often it was used.
    pub(super) fn sequence(&self) -> u16 {
        le16(&self.bytes, 0x10).unwrap_or_default()
    }

    /// Returns the reference that names of this file have; a record that is not in use has counted on since.
    pub(super) fn reference(&self) -> Reference {
        let sequence = match self.sequence() {
            sequence if self.is_in_use() => sequence,
            // Numbers go on from the greatest with 1.
            1 => u16::MAX,
            sequence => sequence.saturating_sub(1),
        };
        Reference { number: self.number, sequence }
    }

    /// Returns whether it is in use.
    pub(super) fn is_in_use(&self) -> bool {
        self.flags() & 1 != 0
    }

    /// Returns whether it is that of a directory.
    pub(super) fn is_directory(&self) -> bool {
        self.flags() & 2 != 0
    }

    fn flags(&self) -> u16 {
        le16(&self.bytes, 0x16).unwrap_or_default()
    }

    /// Returns the record that this one continues; none if it is the first of its file.
    pub(super) fn base(&self) -> Option<Reference> {
        le64(&self.bytes, 0x20).filter(|stored| *stored != 0).map(Reference::new)
    }

    /// Returns the attributes, up to the first that makes no sense.
    pub(super) fn attributes(&self) -> Attributes<'_> {
        let used = le32(&self.bytes, 0x18).and_then(|used| self.bytes.get(..used as usize));
        let start = le16(&self.bytes, 0x14).map_or(0, usize::from);
        Attributes::new(used.unwrap_or(&self.bytes), start)
    }

    /// Returns the first attribute of a kind.
    pub(super) fn attribute(&self, kind: u32) -> Option<Attribute<'_>> {
        self.attributes().map_while(Result::ok).find(|attribute| attribute.kind == kind)
    }
}
