//! Adler-32 (RFC 1950), the checksum of parts of images. `hashmill-digest` computes it, so that it uses the selected
//! instruction set.

use crate::le::u32_at;
use hashmill_digest::{Algorithm, Bank, Slot, StreamPart, find, hash};
use std::sync::LazyLock;

#[allow(clippy::expect_used, reason = "the registry has it")]
static ROW: LazyLock<&'static Algorithm> = LazyLock::new(|| find("adler32").expect("in the registry"));

/// Returns the Adler-32 of bytes.
pub(crate) fn adler32(bytes: &[u8]) -> u32 {
    number(hash(*ROW, bytes).as_bytes())
}

/// Whether the value at `at` is the Adler-32 of the bytes before it.
pub(crate) fn adler_holds(bytes: &[u8], at: usize) -> bool {
    adler32(&bytes[..at]) == u32_at(bytes, at)
}

/// The Adler-32 of bytes that come in parts.
pub(crate) struct Adler32 {
    bank: Box<dyn Bank>,
    slot: Slot,
}

impl Adler32 {
    pub(crate) fn new() -> Adler32 {
        let mut bank = (ROW.alone)();
        let slot = bank.open();
        Adler32 { bank, slot }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.bank.update(&[StreamPart { slot: self.slot, bytes, last: false }]);
    }

    pub(crate) fn finish(mut self) -> u32 {
        self.bank.update(&[StreamPart { slot: self.slot, bytes: &[], last: true }]);
        number(self.bank.close(self.slot).as_bytes())
    }
}

/// Reads the big-endian digest, the byte order of RFC 1950.
fn number(digest: &[u8]) -> u32 {
    digest.iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_the_sum_of_the_whole() {
        // The usual example in descriptions of the checksum.
        assert_eq!(adler32(b"Wikipedia"), 0x11e6_0398);
        let mut parts = Adler32::new();
        b"Wikipedia".chunks(4).for_each(|part| parts.write(part));
        assert_eq!(parts.finish(), 0x11e6_0398);
        assert_eq!((adler32(b""), Adler32::new().finish()), (1, 1));
    }
}
