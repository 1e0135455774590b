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

/// Finds the value; offsets are from the first entry on.
fn find(entries: &[u8]) -> Option<&[u8]> {
    let mut at = 0;
    // Each round moves on, and all end at four zeros.
    while le32(entries, at)? != 0 {
        let name_length = usize::from(*entries.get(at)?);
        let name = entries.get(at + ENTRY..at + ENTRY + name_length)?;
        if *entries.get(at + 1)? == INDEX_SYSTEM && name == b"data" && le32(entries, at + 4)? == 0 {
            let start = usize::from(le16(entries, at + 2)?);
            let length = usize::try_from(le32(entries, at + 8)?).ok()?;
            return entries.get(start..start.checked_add(length)?);
        }
        at += ENTRY + name_length.next_multiple_of(4);
    }
    None
}
