//! Attribute lists: in which records the attributes of a file lie that has too many for one.

use super::record::Reference;
use super::table::read_all;
use crate::fields::{le16, le32, le64};
use crate::name::utf16_le;
use crate::{Content, Medium, Problem};

/// The greatest size of a list, which is that of NTFS.
const LARGEST: u64 = 256 << 10;

/// The size of an entry without a name.
const SHORTEST: usize = 0x1a;

/// An attribute, or a part of one, and the record that it is in.
#[derive(Debug)]
pub(super) struct ListEntry {
    /// Its kind.
    pub kind: u32,
    /// Its name as UTF-8.
    pub name: Vec<u8>,
    /// The record.
    pub place: Reference,
    /// Its number in that record.
    pub id: u16,
}

/// Reads the bytes of a list.
///
/// # Errors
/// If it can't be read or is too long.
pub(super) fn read(medium: &dyn Medium, content: &Content) -> Result<Vec<u8>, Problem> {
    if content.size() > LARGEST {
        return Err(Problem::damaged("the list of its attributes is too long"));
    }
    let mut bytes = vec![0; content.size() as usize];
    read_all(medium, content, 0, &mut bytes)?;
    Ok(bytes)
}

/// Reads the entries of a list.
///
/// # Errors
/// If one makes no sense.
pub(super) fn parse(mut bytes: &[u8]) -> Result<Vec<ListEntry>, Problem> {
    let mut entries = Vec::new();
    while !bytes.is_empty() {
        let (entry, length) = parse_entry(bytes)
            .ok_or_else(|| Problem::damaged("an entry in the list of its attributes makes no sense"))?;
        entries.push(entry);
        bytes = bytes.get(length..).unwrap_or_default();
    }
    Ok(entries)
}

fn parse_entry(bytes: &[u8]) -> Option<(ListEntry, usize)> {
    let length = usize::from(le16(bytes, 4)?);
    let bytes = bytes.get(..length).filter(|bytes| bytes.len() >= SHORTEST)?;
    let (name_length, name_at) = (usize::from(*bytes.get(6)?) * 2, usize::from(*bytes.get(7)?));
    let name = if name_length == 0 { &[][..] } else { bytes.get(name_at..name_at + name_length)? };
    let entry = ListEntry {
        kind: le32(bytes, 0)?,
        name: utf16_le(name),
        place: Reference::new(le64(bytes, 0x10)?),
        id: le16(bytes, 0x18)?,
    };
    Some((entry, length))
}
