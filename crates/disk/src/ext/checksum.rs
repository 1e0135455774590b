//! The checksums of metadata: CRC-32C (`metadata_csum`) and CRC-16 (`uninit_bg`).
//!
//! Both are the plain remainder: ext4 inverts neither at the end.

use hashmill_digest::crc32c_after;

/// The polynomial of CRC-16, whose least bit is the highest power.
const ANSI: u16 = 0xa001;

/// Returns the CRC-32C of what came before, whose remainder is `state`, and these bytes; it begins with `!0`.
pub(super) fn crc32c(state: u32, bytes: &[u8]) -> u32 {
    !crc32c_after(!state, bytes)
}

/// Returns the CRC-16 of what came before, whose remainder is `state`, and these bytes; it begins with `0xffff`. Only
/// descriptors of groups have one, so it goes bit by bit.
pub(super) fn crc16(state: u16, bytes: &[u8]) -> u16 {
    let bit = |state: u16, _| if state & 1 == 1 { state >> 1 ^ ANSI } else { state >> 1 };
    bytes.iter().fold(state, |state, byte| (0..8).fold(state ^ u16::from(*byte), bit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        // The check values of CRC-32/ISCSI and CRC-16/MODBUS.
        assert_eq!(!crc32c(!0, b"123456789"), 0xe306_9283);
        assert_eq!(crc16(0xffff, b"123456789"), 0x4b37);
    }

    #[test]
    fn bytes_may_come_in_parts() {
        let bytes: Vec<u8> = (0..100_u8).map(|at| at.wrapping_mul(7)).collect();
        for cut in 0..bytes.len() {
            let (one, other) = bytes.split_at(cut);
            assert_eq!(crc32c(crc32c(!0, one), other), crc32c(!0, &bytes));
            assert_eq!(crc16(crc16(0xffff, one), other), crc16(0xffff, &bytes));
        }
    }
}
