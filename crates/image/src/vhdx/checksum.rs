//! CRC-32C of a structure in which the checksum itself counts as zeros.

use crate::le::u32_at;
use hashmill_digest::{StreamPart, find};

/// Whether the checksum at an offset of the structure holds.
pub(super) fn holds(bytes: &[u8], at: usize) -> bool {
    let mut zeroed = bytes.to_vec();
    let Some(stored) = zeroed.get_mut(at..at + 4) else { return false };
    let wanted = u32_at(stored, 0);
    stored.fill(0);
    crc(&zeroed) == Some(wanted)
}

fn crc(bytes: &[u8]) -> Option<u32> {
    let mut bank = (find("crc32c").ok()?.bank)();
    let slot = bank.open();
    bank.update(&[StreamPart { slot, bytes, last: true }]);
    let digest = bank.close(slot);
    Some(u32::from_be_bytes(digest.as_bytes().try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_rfc_3720() {
        assert_eq!(crc(&[0; 32]), Some(0x8a91_36aa));
        let mut bytes = vec![0; 32];
        bytes[..4].copy_from_slice(&0x8a91_36aa_u32.to_le_bytes());
        assert!(holds(&bytes, 0) && !holds(&bytes, 4) && !holds(&bytes, 30));
    }
}
