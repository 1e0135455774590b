//! Long names, whose parts come before the short entry, the last part first.
//!
//! Source: Microsoft, "FAT: General Overview of On-Disk Format", version 1.03 (2000), "FAT Long Directory Entries".

use super::entry::Short;
use crate::clusters::Slot;
use crate::name::utf16;

/// The most parts, and the bits of the first byte of a part.
const MAX_NAME_PARTS: usize = 20;
const LAST: u8 = 0x40;
const NUMBER: u8 = 0x1f;

/// Where the 13 units of a part lie.
const UNITS: [usize; 13] = [1, 3, 5, 7, 9, 14, 16, 18, 20, 22, 24, 28, 30];

/// The parts of a long name that were met so far.
#[derive(Debug, Default)]
pub(super) struct LongName {
    /// The slots of the parts in their order.
    parts: Vec<Slot>,
    /// The slots that are in use and are a part of no name.
    strays: Vec<Slot>,
    checksum: u8,
    /// The number of the part that was met last; 1 if all are there.
    number: u8,
    is_deleted: bool,
}

impl LongName {
    /// Takes the next slot with a part. One that does not continue those before begins anew.
    pub fn take(&mut self, slot: Slot) {
        let is_deleted = Short(&slot.bytes).is_deleted();
        let (first, checksum) = (slot.bytes[0], slot.bytes[13]);
        let continues = !self.parts.is_empty()
            && self.is_deleted == is_deleted
            && self.checksum == checksum
            && self.parts.len() < MAX_NAME_PARTS
            && (is_deleted || (first & LAST == 0 && first & NUMBER == self.number.wrapping_sub(1)));
        if !continues {
            self.clear();
            if !is_deleted && first & LAST == 0 {
                return self.strays.push(slot);
            }
        }
        self.parts.push(slot);
        (self.checksum, self.is_deleted) = (checksum, is_deleted);
        self.number = if is_deleted { 1 } else { first & NUMBER };
    }

    /// Forgets the parts: they belong to no name.
    pub fn clear(&mut self) {
        let strays = self.parts.drain(..).filter(|slot| !Short(&slot.bytes).is_deleted());
        self.strays.extend(strays);
    }

    /// Returns the slots that are in use and were a part of no name.
    pub fn into_strays(mut self) -> Vec<Slot> {
        self.clear();
        self.strays
    }

    /// Returns the long name of the entry that follows the parts, and forgets them; none if they are not its own.
    pub fn of(&mut self, entry: Short<'_>) -> Option<Vec<u8>> {
        let is_whole = !self.parts.is_empty() && self.number == 1 && self.is_deleted == entry.is_deleted();
        let name = if is_whole { self.checked(entry) } else { None };
        // Long names lie in no clusters: a slot with one is also something else.
        self.parts.retain(|slot| name.is_none() || Short(&slot.bytes).has_low_cluster());
        self.clear();
        name
    }

    fn checked(&self, entry: Short<'_>) -> Option<Vec<u8>> {
        let raw = entry.raw_name();
        let units = self.units();
        let is_own = match entry.is_deleted() {
            false => checksum(&raw) == self.checksum,
            true => is_likely_first(first_byte(&raw, self.checksum), &units),
        };
        (is_own && !units.is_empty()).then(|| utf16(units))
    }

    fn units(&self) -> Vec<u16> {
        let unit = |slot: &Slot, at| crate::fields::le16(&slot.bytes, at).unwrap_or_default();
        let part = |slot| UNITS.map(|at| unit(slot, at));
        self.parts.iter().rev().flat_map(part).take_while(|unit| *unit != 0).collect()
    }
}

/// Returns the checksum of a short name.
pub(super) fn checksum(raw: &[u8; 11]) -> u8 {
    raw.iter().fold(0, |sum: u8, byte| sum.rotate_right(1).wrapping_add(*byte))
}

/// Returns the first byte with which a short name has this checksum: there is exactly one, as each byte after it is
/// added to rotated bits.
fn first_byte(raw: &[u8; 11], checksum: u8) -> u8 {
    raw.iter().skip(1).rev().fold(checksum, |sum, byte| sum.wrapping_sub(*byte).rotate_left(1))
}

/// Returns whether a short name that begins with this byte may belong to a long one. As the checksum of a deleted name
/// always gives a first byte, that byte has to fit the long name: else a foreign name would be taken for its own.
fn is_likely_first(first: u8, long: &[u16]) -> bool {
    let begins = long.iter().copied().find(|unit| !matches!(u8::try_from(*unit), Ok(b'.' | b' ')));
    match begins.map(u8::try_from) {
        Some(Ok(unit)) if unit.is_ascii_alphanumeric() => first == unit.to_ascii_uppercase(),
        Some(Ok(unit)) if unit.is_ascii() => first == unit || first == b'_',
        _ => {
            first >= 0x80
                || first == 0x05
                || first == b'_'
                || first.is_ascii_uppercase()
                || first.is_ascii_digit()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_of_a_deleted_name_follows_from_the_checksum() {
        let mut raw = *b"EXAMPL~1TXT";
        for first in 0..=255 {
            raw[0] = first;
            let sum = checksum(&raw);
            assert_eq!(first_byte(&[&[0xe5][..], &raw[1..]].concat().try_into().unwrap(), sum), first);
        }
        let long = |name: &str| name.encode_utf16().collect::<Vec<_>>();
        assert!(is_likely_first(b'E', &long("..example")) && !is_likely_first(b'F', &long("example")));
        assert!(is_likely_first(b'_', &long("+x")) && !is_likely_first(b'X', &long("+x")));
    }
}
