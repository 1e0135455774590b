//! The frames of LZ4, found by the sizes of their blocks.

use super::headers::{Headers, MOST_BLOCKS};
use crate::compression::lz4::{FRAME, Frame, HEADER};
use crate::fields::u32_at;

/// Returns the end of the frame that begins here, and its memory. A legacy frame has no end that can be found.
pub(super) fn find_end(headers: &mut Headers, start: u64) -> Option<(u64, u64)> {
    let first = headers.look(start, HEADER);
    match u32_at(first, 0).ok()? {
        FRAME => {}
        0x184D_2A50..=0x184D_2A5F => {
            let size = u32_at(first, 4).ok()?;
            return Some((start.checked_add(8 + u64::from(size))?, 0));
        }
        _ => return None,
    }
    let (frame, length) = Frame::parse(first).ok()?;
    let mut at = start.checked_add(length as u64)?;
    for _ in 0..MOST_BLOCKS {
        let head = u32::from_le_bytes(headers.array(at)?);
        at = at.checked_add(4)?;
        if head == 0 {
            let end = at.checked_add(if frame.checksum.is_some() { 4 } else { 0 })?;
            return Some((end, frame.memory()));
        }
        let size = (head & 0x7FFF_FFFF) as usize;
        if size > frame.most_packed() {
            return None;
        }
        at = at.checked_add(size as u64 + if frame.has_block_checksums { 4 } else { 0 })?;
    }
    None
}
