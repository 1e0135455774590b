//! One block of a directory: the names in it, those in the gaps that deletions left, and its checksum.
//!
//! Source: the kernel's documentation, `filesystems/ext4/directory.rst`.

use super::checksum::crc32c;
use crate::fields::{array, le16, le32};
use crate::{DeletedEntries, Named, Problem};

/// The bytes of an entry before its name.
const HEADER: usize = 8;
/// The last entry of a block, which holds its checksum: its size, and its type.
const TAIL: usize = 12;
const TAIL_TYPE: u8 = 0xde;
const TYPE_DIRECTORY: u8 = 2;
const LAST_TYPE: u8 = 7;
/// The start of the counts of an index in the first block, and in another.
const ROOT_COUNTS: usize = 32;
const NODE_COUNTS: usize = 8;

/// The rules for the blocks of one directory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// Whether entries tell the type.
    pub has_types: bool,
    /// The start of the checksum, if blocks have one.
    pub seed: Option<u32>,
    /// Whether some blocks are an index.
    pub is_indexed: bool,
    /// Whether names are any bytes.
    pub is_encrypted: bool,
    /// Whether a hash follows each name.
    pub has_hashes: bool,
    /// The highest number of an inode.
    pub inodes: u32,
    /// Whether deleted names are wanted, too.
    pub deleted: DeletedEntries,
}

/// A part of a directory that has whole entries.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block<'a> {
    pub bytes: &'a [u8],
    /// Whether it begins with `.` and `..`.
    pub is_first: bool,
}

/// An entry of a block, live or not.
struct Entry<'a> {
    inode: u32,
    /// The size that it states, and that it needs.
    stated: usize,
    needed: usize,
    name: &'a [u8],
    kind: u8,
}

impl Rules {
    /// Reads the names in a block.
    ///
    /// # Errors
    /// If an entry makes no sense: those before it were read.
    pub fn names(&self, block: Block<'_>, names: &mut Vec<Named>) -> Result<(), Problem> {
        let index = self.is_indexed.then(|| index_at(block)).flatten();
        let (mut at, mut dots) = (0, if block.is_first { &[&b"."[..], b".."][..] } else { &[] });
        while at < block.bytes.len() {
            let damaged = || Problem::damaged(format!("a directory's entry at byte {at} of a block"));
            let entry = self.entry(block.bytes, at).filter(|entry| entry.fits(at, block.bytes));
            let entry = entry.ok_or_else(damaged)?;
            let is_dots = dots.split_first().is_some_and(|(first, _)| *first == entry.name);
            match dots.split_first() {
                Some((_, rest)) if is_dots => dots = rest,
                _ if entry.inode != 0 => names.push(self.named(&entry)),
                _ => {}
            }
            let end = at + entry.stated;
            // An index hides behind an entry without a name, or `..`.
            if self.deleted == DeletedEntries::Listed
                && !index.is_some_and(|index| (at..end).contains(&index))
            {
                let start = if entry.inode == 0 { at } else { at + entry.needed };
                self.gap(block.bytes, start, end, names);
            }
            at = end;
        }
        Ok(())
    }

    /// Reads the names that were deleted between two positions.
    fn gap(&self, bytes: &[u8], start: usize, end: usize, names: &mut Vec<Named>) {
        let mut at = start;
        while at + HEADER < end {
            match self.entry(bytes, at).filter(|entry| self.is_likely(entry, at, end, bytes)) {
                // The first entry of a block loses its inode when it is deleted.
                Some(entry) if entry.inode != 0 || at == start => {
                    names.push(Named { is_deleted: true, ..self.named(&entry) });
                    at += entry.needed;
                }
                _ => at += 4,
            }
        }
    }

    fn entry<'a>(&self, bytes: &'a [u8], at: usize) -> Option<Entry<'a>> {
        let bytes = bytes.get(at..)?;
        let name_length = usize::from(*bytes.get(6)?);
        let hash = if self.has_hashes { 8 } else { 0 };
        Some(Entry {
            inode: le32(bytes, 0)?,
            stated: record_size(le16(bytes, 4)?, at + bytes.len()),
            needed: (HEADER + name_length).next_multiple_of(4) + hash,
            name: bytes.get(HEADER..HEADER + name_length)?,
            kind: *bytes.get(7)?,
        })
    }

    /// Returns whether bytes in a gap look like an entry that was there.
    fn is_likely(&self, entry: &Entry<'_>, at: usize, end: usize, bytes: &[u8]) -> bool {
        let is_name = match entry.name {
            b"" | b"." | b".." => false,
            name => self.is_encrypted || !name.iter().any(|byte| matches!(byte, 0 | b'/')),
        };
        let is_kind = if self.has_types { (1..=LAST_TYPE).contains(&entry.kind) } else { entry.kind == 0 };
        is_name && is_kind && entry.inode <= self.inodes && entry.fits(at, bytes) && at + entry.needed <= end
    }

    /// Returns the name of an entry that is in use.
    fn named(&self, entry: &Entry<'_>) -> Named {
        Named {
            name: entry.name.into(),
            number: entry.inode.into(),
            generation: 0,
            is_directory: (self.has_types && entry.kind != 0).then_some(entry.kind == TYPE_DIRECTORY),
            is_deleted: false,
        }
    }

    /// Compares the checksum of a block with its bytes.
    pub fn has_right_checksum(&self, block: Block<'_>) -> bool {
        let Some(seed) = self.seed else { return true };
        let counts = self.is_indexed.then(|| index_at(block)).flatten();
        let sum = match counts {
            Some(at) => index_sum(seed, block.bytes, at),
            None => leaf_sum(seed, block.bytes),
        };
        sum.is_some_and(|(sum, stated)| sum == stated)
    }
}

impl Entry<'_> {
    fn fits(&self, at: usize, bytes: &[u8]) -> bool {
        // An entry without an inode may be too short for a name.
        let needed = if self.inode == 0 { HEADER } else { self.needed };
        self.stated >= needed && self.stated.is_multiple_of(4) && at + self.stated <= bytes.len()
    }
}

/// Returns the size of an entry. In blocks of 64 KiB, it does not fit into 16 bits.
fn record_size(stated: u16, block: usize) -> usize {
    match stated {
        0 | 0xffff if block >= 1 << 16 => block,
        stated => stated.into(),
    }
}

/// Returns where the counts of an index begin, if the block is a part of one: in the first block behind `..`, in others
/// behind an entry that takes all of it.
fn index_at(block: Block<'_>) -> Option<usize> {
    let bytes = block.bytes;
    let at = if block.is_first { ROOT_COUNTS } else { NODE_COUNTS };
    let is_empty = le32(bytes, 0)? == 0 && record_size(le16(bytes, 4)?, bytes.len()) == bytes.len();
    let most = usize::from(le16(bytes, at)?);
    let room = bytes.len().checked_sub(at)? / 8;
    // The counts take the place of one entry, the checksum that of another.
    (block.is_first || (is_empty && most <= room && most + 1 >= room)).then_some(at)
}

/// Returns the checksum of a part of an index, as it is and as it is stated.
fn index_sum(seed: u32, bytes: &[u8], at: usize) -> Option<(u32, u32)> {
    let (most, count) = (usize::from(le16(bytes, at)?), usize::from(le16(bytes, at + 2)?));
    let (covered, tail) = (bytes.get(..at + count * 8)?, at + most * 8);
    let sum = crc32c(crc32c(seed, covered), bytes.get(tail..tail + 4)?);
    Some((crc32c(sum, &[0; 4]), le32(bytes, tail + 4)?))
}

/// Returns the checksum of a block of names, as it is and as it is stated; none if the block does not end with one.
fn leaf_sum(seed: u32, bytes: &[u8]) -> Option<(u32, u32)> {
    let end = bytes.len().checked_sub(TAIL)?;
    let is_tail = le32(bytes, end)? == 0 && usize::from(le16(bytes, end + 4)?) == TAIL;
    let [length, kind] = array(bytes, end + 6)?;
    (is_tail && length == 0 && kind == TAIL_TYPE)
        .then_some((crc32c(seed, &bytes[..end]), le32(bytes, end + 8)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Rules = Rules {
        has_types: true,
        seed: None,
        is_indexed: false,
        is_encrypted: false,
        has_hashes: false,
        inodes: 100,
        deleted: DeletedEntries::Listed,
    };

    /// Returns an entry of a stated size, in bytes that it needs.
    fn entry(inode: u32, stated: u16, name: &[u8]) -> Vec<u8> {
        let [low, high] = stated.to_le_bytes();
        let mut bytes = [&inode.to_le_bytes()[..], &[low, high, name.len() as u8, 1], name].concat();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    /// Returns the names with their inodes, and whether they were deleted.
    fn names(rules: Rules, bytes: &[u8]) -> (Vec<(String, u64, bool)>, bool) {
        let mut names = Vec::new();
        let is_whole = rules.names(Block { bytes, is_first: false }, &mut names).is_ok();
        let told = |named: Named| (String::from_utf8(named.name).unwrap(), named.number, named.is_deleted);
        (names.into_iter().map(told).collect(), is_whole)
    }

    #[test]
    fn deleted_names_lie_behind_those_in_use() {
        let mut bytes = [entry(5, 36, b"one"), entry(6, 24, b"two"), entry(7, 12, b"six")].concat();
        bytes.extend(entry(0, 28, b"gone"));
        bytes.extend(entry(101, 16, b"beyond"));
        let used = |name: &str, number| (name.to_owned(), number, false);
        let gone = |name: &str, number| (name.to_owned(), number, true);
        let expected = vec![used("one", 5), gone("two", 6), gone("six", 7), gone("gone", 0)];
        assert_eq!(names(RULES, &bytes), (expected, true));
        let live = Rules { deleted: DeletedEntries::LeftOut, ..RULES };
        assert_eq!(names(live, &bytes), (vec![used("one", 5)], true));
    }

    #[test]
    fn an_entry_without_sense_ends_a_block() {
        for stated in [0, 4, 8, 10, 13, 16, 40, 0xffff] {
            let bytes = [entry(5, 12, b"one"), entry(6, stated, b"seven"), vec![0; 8]].concat();
            let (names, is_whole) = names(Rules { deleted: DeletedEntries::LeftOut, ..RULES }, &bytes);
            assert_eq!((names.len(), is_whole), (if stated == 16 { 2 } else { 1 }, false), "{stated}");
        }
    }

    #[test]
    fn a_checksum_covers_all_before_it() {
        let mut bytes = [entry(5, 52, b"one"), vec![0; 40]].concat();
        let sum = crc32c(9, &bytes);
        bytes.extend([0, 0, 0, 0, 12, 0, 0, TAIL_TYPE]);
        bytes.extend(sum.to_le_bytes());
        let rules = Rules { seed: Some(9), ..RULES };
        assert!(rules.has_right_checksum(Block { bytes: &bytes, is_first: false }));
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(!rules.has_right_checksum(Block { bytes: &changed, is_first: false }), "{at}");
        }
    }
}
