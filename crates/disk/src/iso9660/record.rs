//! The record of a directory for a file (ECMA-119 9.1).

use super::moment::moment;
use crate::fields::{array, le16, le32};
use crate::{Medium, Problem, Time};

/// The bytes of a logical sector. No record goes beyond the end of one.
pub(super) const SECTOR: u64 = 2048;

/// A record.
#[derive(Debug, Clone)]
pub(super) struct Record {
    /// The position of the record on the medium, and its bytes.
    pub(super) position: u64,
    pub(super) length: u64,
    /// The blocks of extended attributes before the content.
    attributes: u8,
    /// The block where the extent begins.
    extent: u32,
    /// The bytes of the extent.
    pub(super) size: u32,
    pub(super) modified: Option<Time>,
    flags: u8,
    pub(super) is_interleaved: bool,
    /// The number of the volume of the set that the extent is on.
    pub(super) sequence: u16,
    pub(super) identifier: Vec<u8>,
    /// The area of the system, where Rock Ridge is.
    pub(super) system: Vec<u8>,
    /// Whether numbers have the same value in both orders of bytes.
    pub(super) agrees: bool,
}

impl Record {
    /// Reads the record at a position.
    pub(super) fn read(medium: &dyn Medium, position: u64) -> Result<Record, Problem> {
        let mut bytes = [0; 255];
        let length = medium.size().saturating_sub(position).min(255) as usize;
        let bytes = bytes.get_mut(..length).unwrap_or_default();
        medium.read_at(position, bytes)?;
        Record::parse(position, bytes)
            .ok_or_else(|| Problem::damaged(format!("no record is at byte {position}")))
    }

    /// Returns the record that bytes begin with; none if it makes no sense.
    pub(super) fn parse(position: u64, bytes: &[u8]) -> Option<Record> {
        let length = *bytes.first()?;
        let bytes = bytes.get(..length.into())?;
        let name_length = usize::from(*bytes.get(32)?);
        let identifier = bytes.get(33..33 + name_length).filter(|name| !name.is_empty())?;
        let system = bytes.get(33 + name_length + usize::from(name_length % 2 == 0)..).unwrap_or_default();
        let ((extent, one), (size, other)) = (both(bytes, 2)?, both(bytes, 10)?);
        Some(Record {
            position,
            length: length.into(),
            attributes: *bytes.get(1)?,
            extent,
            size,
            modified: moment(bytes.get(18..25)?),
            flags: *bytes.get(25)?,
            is_interleaved: bytes.get(26..28)? != [0, 0],
            sequence: le16(bytes, 28)?,
            identifier: identifier.to_vec(),
            system: system.to_vec(),
            agrees: one && other,
        })
    }

    /// Reads the record behind this one, which may be in the next sector.
    pub(super) fn following(&self, medium: &dyn Medium) -> Result<Record, Problem> {
        let at = self.position.saturating_add(self.length);
        let mut length = [0];
        medium.read_at(at, &mut length)?;
        let is_behind = length != [0] && !at.is_multiple_of(SECTOR);
        Record::read(medium, if is_behind { at } else { at.next_multiple_of(SECTOR) })
    }

    /// Returns the position of the content.
    pub(super) fn start(&self, block: u32) -> u64 {
        (u64::from(self.extent) + u64::from(self.attributes)) * u64::from(block)
    }

    pub(super) fn is_directory(&self) -> bool {
        self.flags & 2 != 0
    }

    /// Returns whether it is the second fork of another file.
    pub(super) fn is_associated(&self) -> bool {
        self.flags & 4 != 0
    }

    /// Returns whether the file goes on in the next record.
    pub(super) fn has_more(&self) -> bool {
        self.flags & 0x80 != 0
    }

    pub(super) fn is_self(&self) -> bool {
        *self.identifier == [0]
    }

    pub(super) fn is_self_or_parent(&self) -> bool {
        matches!(*self.identifier, [0 | 1])
    }
}

/// Returns a number that is stored in both orders of bytes, and whether they have the same value. The first one counts,
/// as in other programs.
pub(super) fn both(bytes: &[u8], at: usize) -> Option<(u32, bool)> {
    let number = le32(bytes, at)?;
    Some((number, number == u32::from_be_bytes(array(bytes, at.checked_add(4)?)?)))
}
