//! The 32 bytes that an archive begins with ("SignatureHeader").

use crate::fields::{array, u32_at, u64_at};
use crate::{Medium, Problem};
use hashmill_digest::Crc32;
use memchr::memmem;

/// The bytes of the header at the start.
pub(super) const LENGTH: usize = 32;
/// The bytes that it begins with.
const SIGNATURE: [u8; 6] = *b"7z\xbc\xaf\x27\x1c";
/// The bytes at the start of a program in which an archive is searched.
const PROGRAM: u64 = 1 << 20;
/// The bytes of a program that are looked at together.
const PART: usize = 64 << 10;

/// The position of the header of the archive, and its checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Start {
    /// The bytes between the header at the start and this one.
    pub(super) offset: u64,
    pub(super) size: u64,
    pub(super) crc: u32,
}

impl Start {
    /// Reads the header at the start of an archive.
    pub(super) fn read(medium: &dyn Medium, position: u64) -> Result<Start, Problem> {
        let mut bytes = [0; LENGTH];
        medium.read_at(position, &mut bytes)?;
        let [major, minor] = array(&bytes, 6)?;
        if major != 0 {
            return Err(Problem::Unsupported(format!("version {major}.{minor} of 7z").into()));
        }
        if !has_checksum(&bytes) {
            return Err(Problem::Checksum("the header"));
        }
        Ok(Start { offset: u64_at(&bytes, 12)?, size: u64_at(&bytes, 20)?, crc: u32_at(&bytes, 28)? })
    }
}

/// Returns where the archive begins: at the start, or behind a program that unpacks it.
pub(super) fn position(medium: &dyn Medium) -> Option<u64> {
    let mut first = [0; SIGNATURE.len()];
    medium.read_at(0, &mut first).ok()?;
    match first {
        SIGNATURE => Some(0),
        [b'M', b'Z', ..] | [0x7f, b'E', b'L', b'F', ..] => behind_program(medium),
        _ => None,
    }
}

/// Returns where the archive begins behind a program. That itself may have the signature, without a checksum.
fn behind_program(medium: &dyn Medium) -> Option<u64> {
    let mut part = vec![0; PART + LENGTH];
    for at in (0..medium.size().min(PROGRAM)).step_by(PART) {
        let length = medium.size().saturating_sub(at).min(part.len() as u64) as usize;
        let bytes = part.get_mut(..length)?;
        medium.read_at(at, bytes).ok()?;
        let is_start = |at: &usize| bytes.get(*at..at + LENGTH).is_some_and(has_checksum);
        let found = memmem::find_iter(bytes, &SIGNATURE).find(is_start);
        if let Some(found) = found {
            return at.checked_add(found as u64);
        }
    }
    None
}

/// Returns whether the checksum of a header at the start is right.
fn has_checksum(bytes: &[u8]) -> bool {
    let stated = u32_at(bytes, 8).ok();
    stated.is_some() && stated == bytes.get(12..LENGTH).map(Crc32::sum_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the start of an archive without members.
    fn empty() -> Vec<u8> {
        [&SIGNATURE[..], &[0, 4], &Crc32::sum_of(&[0; 20]).to_le_bytes(), &[0; 20]].concat()
    }

    #[test]
    fn an_archive_is_found_behind_a_program() {
        for (first, found) in [(&b"MZ"[..], true), (b"\x7fELF", true), (b"#!", false)] {
            for before in [64, PART - LENGTH - 1, PART - 3, PART, 3 * PART - 1, PROGRAM as usize - 1] {
                let mut bytes = first.to_vec();
                bytes.resize(10, 0);
                // Not this one.
                bytes.extend(SIGNATURE);
                bytes.resize(before, 0);
                bytes.extend(empty());
                assert_eq!(position(&bytes), found.then_some(before as u64), "{first:?}, {before}");
            }
            let mut bytes = first.to_vec();
            bytes.resize(PROGRAM as usize + PART, 0);
            bytes.extend(empty());
            assert_eq!(position(&bytes), None);
        }
    }

    #[test]
    fn a_start_that_is_wrong_is_told() {
        let bytes = empty();
        assert_eq!(Start::read(&bytes, 0).unwrap(), Start { offset: 0, size: 0, crc: 0 });
        for length in 0..LENGTH {
            let short = bytes[..length].to_vec();
            assert_eq!(Start::read(&short, 0).unwrap_err().word(), "truncated");
        }
        for (at, word) in [(6, "unsupported-method"), (8, "checksum-mismatch"), (31, "checksum-mismatch")] {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1;
            assert_eq!(Start::read(&bytes, 0).unwrap_err().word(), word);
        }
    }
}
