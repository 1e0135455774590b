//! The frames of Zstandard (RFC 8878, section 3.1), found by the headers of their blocks.

use super::headers::{Headers, MOST_BLOCKS};
use crate::compression::zstandard::{FRAME, FrameHeader, HEADER, SKIPPED_FIRST, SKIPPED_LAST};
use crate::fields::u32_at;

/// The bytes that a decoder takes beside the window: blocks that are being decoded, and tables.
const DECODER: u64 = 512 << 10;

/// Returns the end of the frame that begins here, and its window.
pub(super) fn find_end(headers: &mut Headers, start: u64) -> Option<(u64, u64)> {
    let first = headers.look(start, HEADER);
    match u32_at(first, 0).ok()? {
        FRAME => {}
        SKIPPED_FIRST..=SKIPPED_LAST => {
            let size = u32_at(first, 4).ok()?;
            return Some((start.checked_add(8 + u64::from(size))?, 0));
        }
        _ => return None,
    }
    let header = FrameHeader::parse(first).ok()?;
    let mut at = start.checked_add(header.length as u64)?;
    for _ in 0..MOST_BLOCKS {
        let [first, second, third] = headers.array(at)?;
        let block = u32::from_le_bytes([first, second, third, 0]);
        let size = match block >> 1 & 3 {
            1 => 1,
            3 => return None,
            _ => block >> 3,
        };
        at = at.checked_add(3 + u64::from(size))?;
        if block & 1 != 0 {
            let end = at.checked_add(if header.has_checksum { 4 } else { 0 })?;
            return Some((end, header.window.saturating_add(DECODER)));
        }
    }
    None
}
