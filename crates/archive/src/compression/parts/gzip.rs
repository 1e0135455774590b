//! The members of gzip that state their length: those of BGZF (SAM specification, section 4.1).

use super::headers::Headers;

/// The bytes of a header before the extra field, with its length (RFC 1952, section 2.3).
const HEADER: u64 = 12;
/// The bytes that a decoder takes.
const DECODER: u64 = 64 << 10;

/// Returns the end of the member that begins here, and the memory for it, if it states its length.
pub(super) fn find_end(headers: &mut Headers, start: u64) -> Option<(u64, u64)> {
    Some((start.checked_add(length(headers, start)?)?, DECODER))
}

/// Returns the length of the member that begins here: the field `BC` of two bytes has it, less one.
fn length(headers: &mut Headers, start: u64) -> Option<u64> {
    let header: [u8; HEADER as usize] = headers.array(start)?;
    let [0x1F, 0x8B, 8, flags, .., first, second] = header else { return None };
    if flags & 4 == 0 {
        return None;
    }
    let mut left = usize::from(u16::from_le_bytes([first, second]));
    let mut at = start.checked_add(HEADER)?;
    while left > 0 {
        let [id, second_id, size @ ..]: [u8; 4] = headers.array(at)?;
        let size = u16::from_le_bytes(size);
        left = left.checked_sub(4 + usize::from(size))?;
        at = at.checked_add(4)?;
        if (id, second_id, size) == (b'B', b'C', 2) {
            return Some(u64::from(u16::from_le_bytes(headers.array(at)?)) + 1);
        }
        at = at.checked_add(u64::from(size))?;
    }
    None
}
