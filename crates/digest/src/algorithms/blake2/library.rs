//! Single streams of BLAKE2 by the authors' crates, which choose instructions at run time by themselves.

use crate::Digest;
use crate::bank::{Library, StreamState};
use crate::machine::Isa;

/// BLAKE2b with `N` bytes of digest.
#[derive(Clone)]
pub(crate) struct Blake2bLibrary<const N: usize>(pub(super) blake2b_simd::State);

impl<const N: usize> StreamState for Blake2bLibrary<N> {
    fn new() -> Self {
        Blake2bLibrary(blake2b_simd::Params::new().hash_length(N).to_state())
    }
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
    fn finish(&mut self) -> Digest {
        Digest::new(self.0.finalize().as_bytes())
    }
    fn kernel() -> &'static str {
        if Self::picks() == Isa::Avx2 { "avx2 (blake2b_simd)" } else { "portable (blake2b_simd)" }
    }
}

impl<const N: usize> Library for Blake2bLibrary<N> {
    fn picks() -> Isa {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Isa::Avx2;
        }
        Isa::Portable
    }
}

/// BLAKE2s with 256 bits.
#[derive(Clone)]
pub(crate) struct Blake2sLibrary(pub(super) blake2s_simd::State);

impl StreamState for Blake2sLibrary {
    fn new() -> Self {
        Blake2sLibrary(blake2s_simd::State::new())
    }
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
    fn finish(&mut self) -> Digest {
        Digest::new(self.0.finalize().as_bytes())
    }
    fn kernel() -> &'static str {
        if Self::picks() == Isa::Sse41 { "sse4.1 (blake2s_simd)" } else { "portable (blake2s_simd)" }
    }
}

impl Library for Blake2sLibrary {
    fn picks() -> Isa {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("sse4.1") {
            return Isa::Sse41;
        }
        Isa::Portable
    }
}
