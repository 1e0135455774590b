//! The xxHash family with seed 0, by the crate twox-hash, which chooses instructions at run time by itself.
//! Digests are in the canonical form: most significant byte first.

use crate::Digest;
use crate::bank::Stream;
use std::hash::Hasher;

macro_rules! streams {
    ($($(#[$doc:meta])* $name:ident: $hasher:path = $new:expr, $finish:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name($hasher);
        impl Stream for $name {
            fn new() -> Self {
                $name($new)
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

streams! {
    /// XXH32.
    Xxh32: twox_hash::XxHash32 = twox_hash::XxHash32::with_seed(0), twox_hash::XxHash32::finish_32;
    /// XXH64.
    Xxh64: twox_hash::XxHash64 = twox_hash::XxHash64::with_seed(0), Hasher::finish;
    /// XXH3 with 64 bits.
    Xxh3: twox_hash::xxhash3_64::Hasher = twox_hash::xxhash3_64::Hasher::new(), Hasher::finish;
    /// XXH3 with 128 bits.
    Xxh128: twox_hash::xxhash3_128::Hasher = twox_hash::xxhash3_128::Hasher::new(),
        twox_hash::xxhash3_128::Hasher::finish_128;
}
