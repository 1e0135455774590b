//! The clusters of dirty bitmaps, which matter only to know that they are in use.

use super::extensions::BitmapList;
use super::header::{Header, OFFSET};
use crate::bytes::be::{u32_at, u64_at};
use crate::disks::blocks::Source;
use std::io;

/// The limits of QEMU: bitmaps, bytes of their list, entries of a bitmap's table.
const MAX_BITMAPS: u32 = 65535;
const MOST_BYTES: u64 = 64 << 20;
const MOST_TABLE: u32 = 0x800_0000 / 8;

/// The fixed part of an entry of the list.
const ENTRY: u64 = 24;

/// Passes the ranges of bytes that bitmaps use. A table is only read if its range was free, so that this takes no longer
/// than the file is.
pub(super) fn each_range(
    list: BitmapList,
    header: &Header,
    source: &Source<'_>,
    use_range: &mut dyn FnMut(u64, u64) -> bool,
) -> io::Result<()> {
    let wrong = || io::Error::from(io::ErrorKind::InvalidData);
    if list.count > MAX_BITMAPS || list.size > MOST_BYTES {
        return Err(wrong());
    }
    use_range(list.offset, list.size);
    let mut at = 0;
    for _ in 0..list.count {
        let mut entry = [0; ENTRY as usize];
        source.table(0, list.offset.saturating_add(at), &mut entry)?;
        let (table, entries) = (u64_at(&entry, 0), u32_at(&entry, 8));
        if entries > MOST_TABLE || at > list.size {
            return Err(wrong());
        }
        let free = use_range(table, u64::from(entries) * 8);
        for index in (0..u64::from(entries)).take_while(|_| free) {
            match source.entry_be64(0, table.saturating_add(index * 8))? & OFFSET {
                0 => {}
                cluster => {
                    use_range(cluster, header.cluster_size());
                }
            }
        }
        let (name, extra) = (u64::from(u32_at(&entry, 16) & 0xffff), u64::from(u32_at(&entry, 20)));
        at += (ENTRY + name + extra).next_multiple_of(8);
    }
    Ok(())
}
