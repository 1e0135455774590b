//! Sets of slots that describe a file: the file itself, its stream, and its name.
//!
//! Source: Microsoft, "exFAT file system specification", sections 6.3, 7.4, 7.6 and 7.7.

use crate::clusters::SLOT;
use crate::fields::{le16, le32, le64};
use crate::name::utf16;
use crate::{Time, Times};

/// The types of slots. Without [`IN_USE`] they are deleted.
pub(super) const IN_USE: u8 = 0x80;
pub(super) const SECONDARY: u8 = 0x40;
pub(super) const FILE: u8 = 0x05;
const STREAM: u8 = 0x40;
const NAME: u8 = 0x41;

/// The attribute of directories.
const DIRECTORY: u16 = 0x10;

/// The most slots after the first.
const MAX_SECONDARY: usize = 18;

/// The slots of a file that were met so far.
#[derive(Debug)]
pub(super) struct Slots {
    /// The position of the first.
    pub position: u64,
    slots: Vec<[u8; SLOT]>,
    wanted: usize,
}

/// The facts about a file.
#[derive(Debug)]
pub(super) struct EntrySet {
    pub name: Vec<u8>,
    pub is_directory: bool,
    /// Whether the checksum is right, or can't be computed as slots of a deleted file are missing.
    pub is_checked: bool,
    /// The first cluster, the size, and the number of bytes that were ever written.
    pub first: u32,
    pub size: u64,
    pub valid: u64,
    /// Whether its clusters follow each other, without a chain.
    pub is_contiguous: bool,
    pub times: Times,
    /// The attributes, by the lowest bits of those of Windows.
    pub attributes: u16,
}

impl Slots {
    /// Begins with the first slot of a set; none if it says that no slots follow, or too many.
    pub fn begin(position: u64, slot: [u8; SLOT]) -> Option<Slots> {
        let wanted = usize::from(slot[1]);
        let is_file = slot[0] & !IN_USE == FILE;
        (is_file && (2..=MAX_SECONDARY).contains(&wanted)).then(|| Slots {
            position,
            slots: vec![slot],
            wanted,
        })
    }

    /// Takes the next slot; returns false if it is no part of the set.
    pub fn take(&mut self, slot: [u8; SLOT]) -> bool {
        let is_part = slot[0] & SECONDARY != 0 && (slot[0] & IN_USE == 0) == self.is_deleted();
        if is_part {
            self.slots.push(slot);
        }
        is_part
    }

    /// Returns whether all slots are there.
    pub fn is_whole(&self) -> bool {
        self.slots.len() > self.wanted
    }

    /// Returns whether the set was deleted.
    pub fn is_deleted(&self) -> bool {
        self.slots.first().is_none_or(|slot| slot[0] & IN_USE == 0)
    }

    /// Returns whether it was deleted and has a part of its name: the rest may have been overwritten.
    pub fn is_useful(&self) -> bool {
        self.is_deleted() && self.slots.len() > 2
    }

    /// Returns what the set says; none if it has no stream, or not the whole name, or nothing of that of a deleted file.
    pub fn parse(&self) -> Option<EntrySet> {
        let [file, stream, names @ ..] = &*self.slots else { return None };
        if stream[0] & !IN_USE != STREAM {
            return None;
        }
        let attributes = le16(file, 4)?;
        Some(EntrySet {
            name: name(names, usize::from(stream[3]), self.is_deleted())?,
            is_directory: attributes & DIRECTORY != 0,
            is_checked: !self.is_whole() || checksum(&self.slots) == le16(file, 2)?,
            first: le32(stream, 20)?,
            size: le64(stream, 24)?,
            valid: le64(stream, 8)?,
            is_contiguous: stream[1] & 2 != 0,
            times: times(file)?,
            attributes,
        })
    }
}

/// Returns a name of that many units; if it may be cut off, of fewer.
fn name(slots: &[[u8; SLOT]], length: usize, may_be_cut: bool) -> Option<Vec<u8>> {
    let parts = slots.iter().take(length.div_ceil(15));
    let units: Vec<u16> = parts
        .take_while(|slot| slot[0] & !IN_USE == NAME)
        .flat_map(|slot| slot[2..].chunks_exact(2))
        .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
        .take(length)
        .collect();
    let is_enough = units.len() == length || may_be_cut;
    (is_enough && !units.is_empty()).then(|| utf16(units))
}

/// Returns the checksum of a set as it was when the set was in use.
fn checksum(slots: &[[u8; SLOT]]) -> u16 {
    let mut sum = 0_u16;
    for (number, slot) in slots.iter().enumerate() {
        for (at, byte) in slot.iter().enumerate() {
            let byte = match (number, at) {
                (0, 2 | 3) => continue,
                (_, 0) => byte | IN_USE,
                _ => *byte,
            };
            sum = sum.rotate_right(1).wrapping_add(u16::from(byte));
        }
    }
    sum
}

fn times(file: &[u8; SLOT]) -> Option<Times> {
    let at = |at: usize, fine: u8, zone: u8| {
        let local = Time::from_dos(le16(file, at + 2)?, le16(file, at)?)?.with_hundredths(fine);
        Some(Time { seconds: local.seconds - offset(zone), ..local })
    };
    Some(Times {
        created: at(8, file[20], file[22]),
        modified: at(12, file[21], file[23]),
        accessed: at(16, 0, file[24]),
        changed: None,
    })
}

/// Returns the seconds that local time is ahead of UTC: 7 bits with a sign, in quarters of an hour, if the highest bit
/// says that they are known.
fn offset(zone: u8) -> i64 {
    let quarters = i64::from(zone & 0x7f);
    match zone & 0x80 {
        0 => 0,
        _ if quarters >= 64 => (quarters - 128) * 900,
        _ => quarters * 900,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_have_a_sign() {
        assert_eq!([0, 4, 0x84, 0xfc, 0xd0, 0xbf].map(offset), [0, 0, 3600, -3600, -43_200, 56_700]);
    }
}
