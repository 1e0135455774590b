//! The xxHash family, with seed 0 or another, by the crate twox-hash, which chooses instructions for XXH3 at run time by itself.
//! Digests are in the canonical form, most significant byte first.

mod long;
mod seeded;

use crate::Digest;
use crate::bank::{Library, StreamState};
use crate::machine::Isa;
pub(crate) use long::{Xxh3Portable, Xxh128Portable};
pub use seeded::with_seed;
use std::hash::Hasher;
use twox_hash::xxhash3_64::{DEFAULT_SECRET_LENGTH, SecretBuffer};

/// The secret of XXH3, which is the same for all streams.
type Secret = &'static [u8; DEFAULT_SECRET_LENGTH];

macro_rules! streams {
    ($($(#[$doc:meta])* $name:ident: $hasher:ty = $new:expr, $finish:expr, $whole:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone)]
        pub(crate) struct $name($hasher);
        impl StreamState for $name {
            fn new() -> Self {
                $name($new)
            }
            fn update(&mut self, bytes: &[u8]) {
                self.0.write(bytes);
            }
            fn finish(&mut self) -> Digest {
                self.peek()
            }
            fn peek(&self) -> Digest {
                Digest::new(&$finish(&self.0).to_be_bytes())
            }
            fn digest_of(self, message: &[u8]) -> Digest {
                Digest::new(&$whole(message).to_be_bytes())
            }
            fn kernel() -> &'static str {
                "twox-hash"
            }
        }
    )*};
}

streams! {
    /// XXH32.
    Xxh32: twox_hash::XxHash32 = twox_hash::XxHash32::with_seed(0), twox_hash::XxHash32::finish_32,
        |message| twox_hash::XxHash32::oneshot(0, message);
    /// XXH64.
    Xxh64: twox_hash::XxHash64 = twox_hash::XxHash64::with_seed(0), Hasher::finish,
        |message| twox_hash::XxHash64::oneshot(0, message);
    /// XXH3 with 64 bits.
    Xxh3: twox_hash::xxhash3_64::RawHasher<Secret> = twox_hash::xxhash3_64::RawHasher::new(SecretBuffer::default()),
        Hasher::finish, twox_hash::XxHash3_64::oneshot;
    /// XXH3 with 128 bits.
    Xxh128: twox_hash::xxhash3_128::RawHasher<Secret> = twox_hash::xxhash3_128::RawHasher::new(SecretBuffer::default()),
        twox_hash::xxhash3_128::RawHasher::finish_128, twox_hash::XxHash3_128::oneshot;
}

impl Library for Xxh3 {
    fn picks() -> Isa {
        picks()
    }
}

impl Library for Xxh128 {
    fn picks() -> Isa {
        picks()
    }
}

/// Returns the instruction set that the crate chooses. Without AVX2 it is SSE2, which all processors of the
/// architecture have.
fn picks() -> Isa {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        return Isa::Avx2;
    }
    if cfg!(target_arch = "aarch64") { Isa::Neon } else { Isa::Portable }
}
