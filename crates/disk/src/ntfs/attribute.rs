//! Attributes: the parts of a record, with their bytes in it or the runs of these.

use super::runlist;
use crate::fields::{le16, le32, le64};
use crate::name::utf16_le;
use crate::{ByteRuns, Problem};

/// The kinds of attributes that are read.
pub(super) const STANDARD_INFORMATION: u32 = 0x10;
pub(super) const ATTRIBUTE_LIST: u32 = 0x20;
pub(super) const FILE_NAME: u32 = 0x30;
pub(super) const VOLUME_NAME: u32 = 0x60;
pub(super) const VOLUME_INFORMATION: u32 = 0x70;
pub(super) const DATA: u32 = 0x80;
pub(super) const INDEX_ROOT: u32 = 0x90;
pub(super) const INDEX_ALLOCATION: u32 = 0xa0;
pub(super) const BITMAP: u32 = 0xb0;
pub(super) const REPARSE_POINT: u32 = 0xc0;
const END: u32 = 0xffff_ffff;

/// The size of the header up to what depends on where the bytes are.
const SHORTEST: usize = 0x18;

/// An attribute, or a part of one whose runs lie in several records.
#[derive(Debug, Clone)]
pub(super) struct Attribute<'a> {
    /// Its kind.
    pub kind: u32,
    /// The number that it alone has in its record.
    pub id: u16,
    /// Its name as UTF-8; empty for most.
    pub name: Vec<u8>,
    flags: u16,
    /// Its bytes, or where they are.
    pub value: Value<'a>,
}

/// The bytes of an attribute, or where they are.
#[derive(Debug, Clone)]
pub(super) enum Value<'a> {
    /// They are in the record.
    Resident(&'a [u8]),
    /// They are in clusters.
    Extent(Extent<'a>),
}

/// A part of an attribute whose bytes are in clusters.
#[derive(Debug, Clone)]
pub(super) struct Extent<'a> {
    /// The first cluster of the attribute that the runs are for.
    pub first: u64,
    runs: &'a [u8],
    /// The binary logarithm of the number of clusters that are compressed together; 0 if they are not.
    pub unit: u8,
    /// The size in bytes, if this is the first part.
    pub size: u64,
    /// The bytes from here on were never written, if this is the first part.
    pub valid: u64,
}

impl Extent<'_> {
    /// Adds the runs of this part to those of the parts before.
    ///
    /// # Errors
    /// If they make no sense or lie beyond the end.
    pub(super) fn add_to(&self, runs: &mut ByteRuns, cluster: u64, size: u64) -> Result<(), Problem> {
        if self.first.checked_mul(cluster) != Some(runs.length()) {
            return Err(Problem::damaged("the parts of its runs do not follow each other"));
        }
        runlist::decode(self.runs, cluster, size, runs)
    }
}

impl<'a> Attribute<'a> {
    /// Returns the part that this is, if the bytes are in clusters.
    pub(super) fn extent(&self) -> Option<Extent<'a>> {
        if let Value::Extent(extent) = &self.value { Some(extent.clone()) } else { None }
    }

    /// Returns whether it is compressed (LZNT1).
    pub(super) fn is_compressed(&self) -> bool {
        self.flags & 0xff != 0
    }

    /// Returns whether it is encrypted (EFS).
    pub(super) fn is_encrypted(&self) -> bool {
        self.flags & 0x4000 != 0
    }

    /// Returns the bytes, if they are in the record.
    pub(super) fn resident(&self) -> Option<&[u8]> {
        if let Value::Resident(bytes) = &self.value { Some(bytes) } else { None }
    }
}

/// The attributes of a record, up to the first that makes no sense.
#[derive(Debug)]
pub(super) struct Attributes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Attributes<'a> {
    /// Begins with the attribute at an offset of a record.
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Attributes<'a> {
        Attributes { bytes, at }
    }

    /// Returns the next attribute and moves behind it; none if it makes no sense.
    fn read(&mut self) -> Option<Attribute<'a>> {
        let length = le32(self.bytes, self.at.checked_add(4)?)? as usize;
        let end = self.at.checked_add(length).filter(|_| length >= SHORTEST)?;
        let attribute = parse(self.bytes.get(self.at..end)?)?;
        self.at = end;
        Some(attribute)
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = Result<Attribute<'a>, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        match le32(self.bytes, self.at) {
            Some(END) => return None,
            Some(_) => {}
            None if self.at == usize::MAX => return None,
            None => {
                self.at = usize::MAX;
                return Some(Err(Problem::damaged("its attributes have no end")));
            }
        }
        let at = self.at;
        Some(self.read().ok_or_else(|| {
            self.at = usize::MAX;
            Problem::damaged(format!("the attribute at byte {at} of its record makes no sense"))
        }))
    }
}

fn parse(bytes: &[u8]) -> Option<Attribute<'_>> {
    let (name_at, name_length) = (usize::from(le16(bytes, 0x0a)?), usize::from(*bytes.get(9)?) * 2);
    let name = if name_length == 0 { &[][..] } else { bytes.get(name_at..name_at + name_length)? };
    let flags = le16(bytes, 0x0c)?;
    let value = match *bytes.get(8)? {
        0 => {
            let (length, at) = (le32(bytes, 0x10)? as usize, usize::from(le16(bytes, 0x14)?));
            Value::Resident(bytes.get(at..at.checked_add(length)?)?)
        }
        _ => Value::Extent(Extent {
            first: le64(bytes, 0x10)?,
            runs: bytes.get(usize::from(le16(bytes, 0x20)?)..)?,
            unit: *bytes.get(0x22)?,
            size: le64(bytes, 0x30)?,
            valid: le64(bytes, 0x38)?,
        }),
    };
    Some(Attribute { kind: le32(bytes, 0)?, id: le16(bytes, 0x0e)?, name: utf16_le(name), flags, value })
}
