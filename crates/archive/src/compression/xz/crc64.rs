//! CRC-64 of ECMA-182, with its bits reflected.

/// The polynomial.
const POLYNOMIAL: u64 = 0xC96C_5795_D787_0F42;

/// Tables for eight bytes at once: the first is that of one byte, each other one that of a further byte of zero.
static TABLES: [[u64; 256]; 8] = tables();

/// Returns the tables.
const fn tables() -> [[u64; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let (mut crc, mut bit) = (byte as u64, 0);
        while bit < 8 {
            crc = (crc >> 1) ^ (POLYNOMIAL * (crc & 1));
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut at = 256;
    while at < 8 * 256 {
        let before = tables[at / 256 - 1][at % 256];
        tables[at / 256][at % 256] = (before >> 8) ^ tables[0][(before & 0xFF) as usize];
        at += 1;
    }
    tables
}

/// A CRC-64, as bytes come.
pub(super) struct Crc64(u64);

impl Crc64 {
    /// Creates the state of no bytes.
    pub(super) fn new() -> Crc64 {
        Crc64(u64::MAX)
    }

    /// Adds bytes.
    pub(super) fn update(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        for word in words {
            let mixed = (self.0 ^ u64::from_le_bytes(*word)).to_le_bytes();
            let parts = mixed.iter().zip(TABLES.iter().rev()).map(|(&byte, table)| table[usize::from(byte)]);
            self.0 = parts.fold(0, |crc, part| crc ^ part);
        }
        for &byte in rest {
            self.0 = (self.0 >> 8) ^ TABLES[0][usize::from(self.0 as u8 ^ byte)];
        }
    }

    /// Returns the checksum of all bytes so far.
    pub(super) fn sum(&self) -> u64 {
        !self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_answer_holds_for_every_split() {
        for at in 0..=9 {
            let mut crc = Crc64::new();
            let (first, second) = b"123456789".split_at(at);
            crc.update(first);
            crc.update(second);
            assert_eq!(crc.sum(), 0x995D_C9BB_DF19_39FA, "{at}");
        }
    }
}
