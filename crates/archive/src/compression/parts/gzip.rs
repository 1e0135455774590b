//! The members of gzip that state their length: those of BGZF (SAM specification, section 4.1).

use super::headers::Headers;
use crate::compression::parted::FilePart;

/// The bytes of a header before the extra field, with its length (RFC 1952, section 2.3).
const HEADER: u64 = 12;
/// The bytes that a decoder takes.
const DECODER: u64 = 64 << 10;

/// The members of a file, one after the other, up to the first without a length.
pub(super) struct Members {
    headers: Headers,
    at: u64,
}

impl Members {
    /// Creates the list of all members.
    pub(super) fn new(headers: Headers) -> Members {
        Members { headers, at: 0 }
    }

    /// Returns the length of the member that begins here: the field `BC` of two bytes has it, less one.
    fn length(&mut self) -> Option<u64> {
        let header: [u8; HEADER as usize] = self.headers.array(self.at)?;
        let [0x1F, 0x8B, 8, flags, .., first, second] = header else { return None };
        if flags & 4 == 0 {
            return None;
        }
        let mut left = usize::from(u16::from_le_bytes([first, second]));
        let mut at = self.at.checked_add(HEADER)?;
        while left > 0 {
            let [id, second_id, size @ ..]: [u8; 4] = self.headers.array(at)?;
            let size = u16::from_le_bytes(size);
            left = left.checked_sub(4 + usize::from(size))?;
            at = at.checked_add(4)?;
            if (id, second_id, size) == (b'B', b'C', 2) {
                return Some(u64::from(u16::from_le_bytes(self.headers.array(at)?)) + 1);
            }
            at = at.checked_add(u64::from(size))?;
        }
        None
    }
}

impl Iterator for Members {
    type Item = FilePart<()>;

    fn next(&mut self) -> Option<FilePart<()>> {
        let start = self.at;
        let end = start.checked_add(self.length()?).filter(|end| *end <= self.headers.end())?;
        self.at = end;
        Some(FilePart { start, end, memory: DECODER, setting: () })
    }
}
