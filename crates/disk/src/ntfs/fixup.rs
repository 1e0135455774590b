//! The protection of records against torn writes: the last two bytes of each 512 are the same number, and what belongs
//! there is in an array at the front.

use crate::Problem;
use crate::fields::{array, le16};

/// The bytes that are protected together, whatever the size of sectors is.
const STRIDE: usize = 512;

/// Puts the bytes where they belong.
///
/// # Errors
/// If a part was not written together with the others, or the array makes no sense.
pub(super) fn undo(bytes: &mut [u8]) -> Result<(), Problem> {
    let parts = bytes.len() / STRIDE;
    let start = le16(bytes, 4).map(usize::from).unwrap_or_default();
    let count = le16(bytes, 6).map(usize::from).unwrap_or_default();
    // The array must lie before the first place that it is for.
    if count != parts + 1 || start + count * 2 > STRIDE - 2 {
        return Err(Problem::damaged("the update sequence makes no sense"));
    }
    let number = array::<2>(bytes, start).unwrap_or_default();
    for part in 0..parts {
        let at = part * STRIDE + STRIDE - 2;
        let original = array::<2>(bytes, start + 2 + part * 2).unwrap_or_default();
        match bytes.get_mut(at..at + 2) {
            Some(place) if *place == number => place.copy_from_slice(&original),
            _ => return Err(Problem::damaged(format!("part {part} was torn off while it was written"))),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn protected() -> Vec<u8> {
        let mut bytes = vec![0; 1024];
        bytes[4..8].copy_from_slice(&[48, 0, 3, 0]);
        bytes[48..54].copy_from_slice(&[7, 8, 1, 2, 3, 4]);
        bytes[510..512].copy_from_slice(&[7, 8]);
        bytes[1022..].copy_from_slice(&[7, 8]);
        bytes
    }

    #[test]
    fn bytes_come_back_and_torn_parts_are_told() {
        let mut bytes = protected();
        undo(&mut bytes).unwrap();
        assert_eq!((&bytes[510..512], &bytes[1022..]), (&[1, 2][..], &[3, 4][..]));
        for at in [511, 1022, 48, 6, 5] {
            let mut bytes = protected();
            bytes[at] ^= 2;
            assert!(undo(&mut bytes).is_err(), "{at}");
        }
        assert!(undo(&mut [0; 7]).is_err());
    }
}
