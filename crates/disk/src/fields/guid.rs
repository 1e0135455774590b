//! Identifiers of 16 bytes, as text.

use crate::fields::{array, le16, le32};

/// Returns the GUID at an offset as text in capitals, its first three numbers with the least byte first, as in GPT and
/// NTFS; none where the bytes end before.
pub(crate) fn guid(bytes: &[u8], at: usize) -> Option<String> {
    let rest: [u8; 8] = array(bytes, at.checked_add(8)?)?;
    let (one, two, three) = (le32(bytes, at)?, le16(bytes, at + 4)?, le16(bytes, at + 6)?);
    let (clock, node) = rest.split_at(2);
    Some(format!("{one:08X}-{two:04X}-{three:04X}-{}-{}", hex(clock), hex(node)))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_three_numbers_are_turned_round() {
        let bytes: Vec<u8> = (0..17).collect();
        assert_eq!(guid(&bytes, 1).as_deref(), Some("04030201-0605-0807-090A-0B0C0D0E0F10"));
        assert_eq!(guid(&bytes, 2), None);
    }
}
