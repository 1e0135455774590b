//! Numbers in headers.

use crate::Problem;

/// Returns the bytes at an offset.
///
/// # Errors
/// If there are fewer.
pub(crate) fn array<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], Problem> {
    let found = at.checked_add(N).and_then(|end| bytes.get(at..end));
    found.and_then(|found| found.try_into().ok()).ok_or(Problem::Truncated)
}

/// Returns the 16-bit number at an offset, its lowest byte first.
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> Result<u16, Problem> {
    array(bytes, at).map(u16::from_le_bytes)
}

/// Returns the 32-bit number at an offset, its lowest byte first.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Result<u32, Problem> {
    array(bytes, at).map(u32::from_le_bytes)
}

/// Returns the 64-bit number at an offset, its lowest byte first.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> Result<u64, Problem> {
    array(bytes, at).map(u64::from_le_bytes)
}
