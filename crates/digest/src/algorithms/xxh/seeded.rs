//! Digests of the family with a seed, which only programs that ask for one compute.

use crate::bank::{Bank, StreamState, serial_by};
use crate::{Algorithm, Digest};
use std::hash::Hasher;
use twox_hash::{XxHash3_64, XxHash3_128, XxHash32, XxHash64};

macro_rules! seeded {
    ($($(#[$doc:meta])* $name:ident: $hasher:ty, $finish:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone)]
        struct $name($hasher);
        impl StreamState for $name {
            fn new() -> Self {
                $name(<$hasher>::with_seed(0))
            }
            fn update(&mut self, bytes: &[u8]) {
                self.0.write(bytes);
            }
            fn finish(&mut self) -> Digest {
                Digest::new(&$finish(&self.0).to_be_bytes())
            }
            fn kernel() -> &'static str {
                "twox-hash"
            }
        }
    )*};
}

seeded! {
    /// XXH32.
    Seeded32: XxHash32, XxHash32::finish_32;
    /// XXH64.
    Seeded64: XxHash64, Hasher::finish;
    /// XXH3 with 64 bits.
    Seeded3: XxHash3_64, Hasher::finish;
    /// XXH3 with 128 bits.
    Seeded128: XxHash3_128, XxHash3_128::finish_128;
}

/// Makes a bank of an algorithm of the xxHash family with this seed, of which XXH32 takes 32 bits; `None` if there is none.
pub fn with_seed(algorithm: &Algorithm, seed: u64) -> Option<Box<dyn Bank>> {
    Some(match algorithm.name {
        "xxh32" => {
            let seed = u32::try_from(seed).ok()?;
            serial_by(move || Seeded32(XxHash32::with_seed(seed)))
        }
        "xxh64" => serial_by(move || Seeded64(XxHash64::with_seed(seed))),
        "xxh3" => serial_by(move || Seeded3(XxHash3_64::with_seed(seed))),
        "xxh128" => serial_by(move || Seeded128(XxHash3_128::with_seed(seed))),
        _ => return None,
    })
}
