//! Numbers in bytes: none where the bytes end before.

pub(crate) mod guid;

/// Returns the two bytes at an offset as a number whose least byte comes first.
pub(crate) fn le16(bytes: &[u8], at: usize) -> Option<u16> {
    array(bytes, at).map(u16::from_le_bytes)
}

/// Returns the four bytes at an offset as a number whose least byte comes first.
pub(crate) fn le32(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(u32::from_le_bytes)
}

/// Returns the eight bytes at an offset as a number whose least byte comes first.
pub(crate) fn le64(bytes: &[u8], at: usize) -> Option<u64> {
    array(bytes, at).map(u64::from_le_bytes)
}

/// Returns this many bytes at an offset.
pub(crate) fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_with_their_bytes() {
        let bytes = [1, 2, 3, 4, 5, 6, 7, 8, 9];
        assert_eq!(le16(&bytes, 7), Some(0x0908));
        assert_eq!(le32(&bytes, 0), Some(0x0403_0201));
        assert_eq!(le64(&bytes, 1), Some(0x0908_0706_0504_0302));
        assert_eq!((le16(&bytes, 8), le32(&bytes, 6), le64(&bytes, 2)), (None, None, None));
        assert_eq!(array::<1>(&bytes, usize::MAX), None);
    }
}
