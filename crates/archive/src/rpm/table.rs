//! Headers of packages: tables of tags with their values.

use crate::Problem;
use crate::cpio::source::Source;
use crate::fields::array;
use std::collections::HashMap;
use std::io::Read;

/// The tags that are read.
pub(super) mod tag {
    pub(crate) const SHA1_HEADER: u32 = 269;
    pub(crate) const SHA256_HEADER: u32 = 273;
    pub(crate) const SIGNATURE_MD5: u32 = 1004;
    pub(crate) const OLD_FILE_NAMES: u32 = 1027;
    pub(crate) const FILE_SIZES: u32 = 1028;
    pub(crate) const FILE_MODES: u32 = 1030;
    pub(crate) const FILE_TIMES: u32 = 1034;
    pub(crate) const FILE_DIGESTS: u32 = 1035;
    pub(crate) const LINK_TARGETS: u32 = 1036;
    pub(crate) const FILE_FLAGS: u32 = 1037;
    pub(crate) const FILE_DEVICES: u32 = 1095;
    pub(crate) const FILE_INODES: u32 = 1096;
    pub(crate) const DIRECTORY_INDEXES: u32 = 1116;
    pub(crate) const BASE_NAMES: u32 = 1117;
    pub(crate) const DIRECTORY_NAMES: u32 = 1118;
    pub(crate) const PAYLOAD_FORMAT: u32 = 1124;
    pub(crate) const PAYLOAD_COMPRESSOR: u32 = 1125;
    pub(crate) const LONG_FILE_SIZES: u32 = 5008;
    pub(crate) const FILE_DIGEST_ALGORITHM: u32 = 5011;
    pub(crate) const PAYLOAD_DIGEST: u32 = 5092;
    pub(crate) const PAYLOAD_DIGEST_ALGORITHM: u32 = 5093;
    pub(crate) const PLAIN_PAYLOAD_DIGEST: u32 = 5097;
}

/// The bytes that a header begins with: its magic and version.
const MAGIC: [u8; 4] = [0x8e, 0xad, 0xe8, 1];
/// The bytes before the entries, and those of an entry.
const START: u64 = 16;
const ENTRY: u64 = 16;

/// The most entries and bytes of values, as rpm has them (`HEADER_TAGS_MAX`, `HEADER_DATA_MAX`).
const ENTRIES: u32 = 0xffff;
const VALUES: u32 = 0x0fff_ffff;

/// A header.
#[derive(Debug)]
pub(super) struct TagTable {
    /// The first entry of each tag.
    entries: HashMap<u32, Entry>,
    /// The number of all entries.
    count: u64,
    values: Vec<u8>,
}

/// The types of values.
const INT16: u32 = 3;
const INT32: u32 = 4;
const INT64: u32 = 5;
const STRING: u32 = 6;
const BINARY: u32 = 7;
const STRINGS: u32 = 8;

/// An entry: a tag with its type, and where its values are.
#[derive(Debug, Clone, Copy)]
struct Entry {
    form: u32,
    offset: usize,
    count: usize,
}

impl TagTable {
    /// Reads a header of at most so many bytes.
    pub(super) fn read<R: Read>(source: &mut Source<R>, limit: u64) -> Result<TagTable, Problem> {
        let mut start = [0; START as usize];
        source.exact(&mut start)?;
        if !start.starts_with(&MAGIC) {
            return Err(Problem::damaged("no header is where one must be"));
        }
        let entries = u32::from_be_bytes(array(&start, 8)?);
        let values = u32::from_be_bytes(array(&start, 12)?);
        if entries > ENTRIES || values > VALUES {
            return Err(Problem::damaged(format!("a header of {entries} tags and {values} bytes")));
        }
        let (count, values) = (u64::from(entries), u64::from(values));
        let length = count * ENTRY + values;
        if length > limit {
            return Err(Problem::Memory(length));
        }
        let mut entries = HashMap::new();
        for _ in 0..count {
            let mut entry = [0; ENTRY as usize];
            source.exact(&mut entry)?;
            let field = |at| array(&entry, at).map(u32::from_be_bytes);
            let (form, offset, count) = (field(4)?, field(8)? as usize, field(12)? as usize);
            entries.entry(field(0)?).or_insert(Entry { form, offset, count });
        }
        Ok(TagTable { entries, count, values: source.vec(values)? })
    }

    /// Returns the bytes of the header in the package.
    pub(super) fn length(&self) -> u64 {
        START + self.count * ENTRY + self.values.len() as u64
    }

    /// Returns the numbers of a tag.
    pub(super) fn numbers(&self, tag: u32) -> Option<Numbers<'_>> {
        let entry = self.entries.get(&tag)?;
        let width = match entry.form {
            INT16 => 2,
            INT32 => 4,
            INT64 => 8,
            _ => return None,
        };
        let end = entry.count.checked_mul(width)?.checked_add(entry.offset)?;
        Some(Numbers { bytes: self.values.get(entry.offset..end)?, width })
    }

    /// Returns the bytes of a tag.
    pub(super) fn binary(&self, tag: u32) -> Option<&[u8]> {
        let entry = self.entries.get(&tag).filter(|entry| entry.form == BINARY)?;
        self.values.get(entry.offset..entry.offset.checked_add(entry.count)?)
    }

    /// Returns the string of a tag, or the first one of several.
    pub(super) fn string(&self, tag: u32) -> Option<&[u8]> {
        let entry = self.entries.get(&tag).filter(|entry| matches!(entry.form, STRING | STRINGS))?;
        self.string_at(entry.offset)
    }

    /// Returns the string that begins at an offset.
    pub(super) fn string_at(&self, offset: usize) -> Option<&[u8]> {
        let rest = self.values.get(offset..)?;
        rest.get(..rest.iter().position(|byte| *byte == 0)?)
    }

    /// Returns the strings of a tag with their offsets; fewer than are stated if the header ends before.
    pub(super) fn strings(&self, tag: u32) -> Option<impl Iterator<Item = (usize, &[u8])>> {
        let entry = self.entries.get(&tag).filter(|entry| matches!(entry.form, STRING | STRINGS))?;
        let mut at = entry.offset;
        let next = move || {
            let string = (at, self.string_at(at)?);
            at = at.checked_add(string.1.len() + 1)?;
            Some(string)
        };
        Some(std::iter::from_fn(next).take(entry.count))
    }
}

/// The numbers of a tag.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbers<'a> {
    bytes: &'a [u8],
    width: usize,
}

impl Numbers<'_> {
    /// Returns one of the numbers.
    pub(super) fn get(&self, index: usize) -> Option<u64> {
        let start = index.checked_mul(self.width)?;
        let bytes = self.bytes.get(start..start.checked_add(self.width)?)?;
        Some(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }
}
