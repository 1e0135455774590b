//! One message that comes in parts, for formats that check themselves: by a digest, or by a checksum that is a number.
//! Everything that hashes files uses a [`Bank`].

use crate::algorithms::adler32::Adler32 as Adler32State;
use crate::algorithms::crc::{Crc, Xz, Zip};
use crate::algorithms::xxh::Xxh32 as Xxh32State;
use crate::bank::{Bank, Slot, StreamPart, StreamState};
use crate::find;
use crate::{Algorithm, Digest};

/// A hasher of one message that comes in parts.
pub struct MessageHasher {
    bank: Box<dyn Bank>,
    slot: Slot,
}

impl MessageHasher {
    /// Creates a hasher of no bytes.
    pub fn new(algorithm: &Algorithm) -> MessageHasher {
        let mut bank = (algorithm.alone)();
        let slot = bank.open();
        MessageHasher { bank, slot }
    }

    /// Creates a hasher that computes SHA-256.
    #[allow(clippy::missing_panics_doc, reason = "the registry has it")]
    pub fn sha256() -> MessageHasher {
        MessageHasher::new(find("sha256").expect("an algorithm of the registry"))
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.bank.update(&[StreamPart { slot: self.slot, bytes, last: false }]);
    }

    /// Returns the digest of all bytes.
    pub fn finish(mut self) -> Digest {
        self.bank.update(&[StreamPart { slot: self.slot, bytes: &[], last: true }]);
        self.bank.close(self.slot)
    }
}

macro_rules! checksums {
    ($($(#[$doc:meta])* $name:ident: $number:ty = $state:ty;)*) => {$(
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name($state);

        impl $name {
            /// Creates the checksum of no bytes.
            #[allow(clippy::new_without_default, reason = "a checksum has no default")]
            pub fn new() -> $name {
                $name(StreamState::new())
            }

            /// Computes the checksum of a message.
            pub fn sum_of(message: &[u8]) -> $number {
                let mut checksum = $name::new();
                checksum.update(message);
                checksum.sum()
            }

            /// Adds bytes.
            pub fn update(&mut self, bytes: &[u8]) {
                self.0.update(bytes);
            }

            /// Returns the checksum of all bytes so far.
            pub fn sum(&self) -> $number {
                // Digests have the most significant byte first.
                self.0.peek().as_bytes().iter().fold(0, |sum, byte| sum << 8 | <$number>::from(*byte))
            }
        }
    )*};
}

checksums! {
    /// Adler-32 (RFC 1950).
    Adler32: u32 = Adler32State;
    /// CRC-32 as in zip, gzip and Ethernet.
    Crc32: u32 = Crc<Zip>;
    /// CRC-64 as in xz.
    Crc64: u64 = Crc<Xz>;
    /// XXH32 with the seed 0.
    Xxh32: u32 = Xxh32State;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a checksum of a text, whole and split at each place.
    macro_rules! holds {
        ($name:ident, $text:literal, $sum:literal) => {
            for at in 0..=$text.len() {
                let mut checksum = $name::new();
                checksum.update(&$text[..at]);
                let _ = checksum.sum();
                checksum.update(&$text[at..]);
                assert_eq!((checksum.sum(), $name::sum_of($text)), ($sum, $sum), "{at}");
            }
        };
    }

    #[test]
    fn known_answers_hold_for_every_split() {
        // The usual example in descriptions of Adler-32.
        holds!(Adler32, b"Wikipedia", 0x11e6_0398);
        holds!(Crc32, b"123456789", 0xcbf4_3926);
        holds!(Crc64, b"123456789", 0x995d_c9bb_df19_39fa);
        holds!(Xxh32, b"Nobody inspects the spammish repetition", 0xe229_3b2f);
        holds!(Xxh32, b"abc", 0x32d1_53ff);
        assert_eq!([Adler32::sum_of(b""), Crc32::sum_of(b""), Xxh32::sum_of(b"")], [1, 0, 0x02cc_5d05]);
    }

    #[test]
    fn a_digest_of_parts_is_that_of_the_whole() {
        let mut hasher = MessageHasher::sha256();
        [&b"a"[..], b"", b"bc"].iter().for_each(|part| hasher.update(part));
        assert_eq!(hasher.finish(), crate::hash(find("sha256").unwrap(), b"abc"));
    }
}
