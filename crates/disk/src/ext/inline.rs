//! Content that lies in the inode itself: in the place of the block map, and in the attribute `system.data`.
//!
//! Source: the kernel's documentation, `filesystems/ext4/inlinedata.rst` and `attributes.rst`.

use super::inode::Inode;
use crate::fields::{le16, le32};

const MAGIC: u32 = 0xea02_0000;
const ENTRY: usize = 16;
const INDEX_SYSTEM: u8 = 7;

/// Returns the bytes after the first 60: the value of `system.data`; empty if there is none.
pub(super) fn value(inode: &Inode) -> &[u8] {
    let tail = inode.tail();
    if le32(tail, 0) != Some(MAGIC) {
        return &[];
    }
    find(tail.get(4..).unwrap_or_default()).unwrap_or_default()
}

/// Finds the value; offsets are from the first entry on. One that lies over the entries is damage, as the kernel has it.
fn find(entries: &[u8]) -> Option<&[u8]> {
    let (mut at, mut place) = (0, None);
    // Each round moves on, and all end at four zeros.
    while le32(entries, at)? != 0 {
        let name_length = usize::from(*entries.get(at)?);
        let name = entries.get(at + ENTRY..at + ENTRY + name_length)?;
        if *entries.get(at + 1)? == INDEX_SYSTEM && name == b"data" && le32(entries, at + 4)? == 0 {
            let start = usize::from(le16(entries, at + 2)?);
            place.get_or_insert((start, usize::try_from(le32(entries, at + 8)?).ok()?));
        }
        at += ENTRY + name_length.next_multiple_of(4);
    }
    let (start, length) = place?;
    if start < at + 4 && length > 0 {
        return None;
    }
    entries.get(start..start.checked_add(length)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an entry for `system.data` of two bytes at a position, the end of the table, and eight bytes.
    fn entries(start: u8) -> Vec<u8> {
        let entry = [4, INDEX_SYSTEM, start, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0];
        [&entry[..], b"data", &[0; 4], b"contents"].concat()
    }

    #[test]
    fn a_value_lies_behind_the_entries() {
        assert_eq!(find(&entries(24)), Some(&b"co"[..]));
        assert_eq!(find(&entries(30)), Some(&b"ts"[..]));
        for damaged in [0, 16, 23, 31, 200] {
            assert_eq!(find(&entries(damaged)), None, "{damaged}");
        }
    }
}
