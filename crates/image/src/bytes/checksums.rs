//! Checksums of structures that hold them.

use super::le::u32_at;
use hashmill_digest::{Adler32, crc32c};

/// Returns whether the value at `at` is the Adler-32 of the bytes before it.
pub(crate) fn adler_holds(bytes: &[u8], at: usize) -> bool {
    Adler32::sum_of(&bytes[..at]) == u32_at(bytes, at)
}

/// Appends the Adler-32 of the bytes from `from` on.
pub(crate) fn add_adler(bytes: &mut Vec<u8>, from: usize) {
    let sum = Adler32::sum_of(&bytes[from..]);
    bytes.extend_from_slice(&sum.to_le_bytes());
}

/// Returns whether the value at `at` is the CRC-32C of all bytes, in which it counts as zeros.
pub(crate) fn crc32c_holds(bytes: &[u8], at: usize) -> bool {
    let mut zeroed = bytes.to_vec();
    let Some(stored) = zeroed.get_mut(at..at + 4) else { return false };
    let wanted = u32_at(stored, 0);
    stored.fill(0);
    crc32c(&zeroed) == wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crc_counts_itself_as_zeros() {
        // The example of RFC 3720.
        let mut bytes = vec![0; 32];
        bytes[..4].copy_from_slice(&0x8a91_36aa_u32.to_le_bytes());
        assert!(crc32c_holds(&bytes, 0) && !crc32c_holds(&bytes, 4) && !crc32c_holds(&bytes, 30));
    }

    #[test]
    fn an_adler_is_of_the_bytes_before_it() {
        assert!(adler_holds(b"Wikipedia\x98\x03\xe6\x11 and more", 9));
        assert!(!adler_holds(b"wikipedia\x98\x03\xe6\x11 and more", 9));
    }
}
