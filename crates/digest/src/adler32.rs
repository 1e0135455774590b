//! Adler-32 (RFC 1950), by the crate simd-adler32, whose ways are chosen here as the crate itself chooses.

use crate::Digest;
use crate::bank::Stream;
use crate::machine::{Isa, Machine};
use simd_adler32::imp::{self, Adler32Imp};

/// The streaming checksum.
pub(crate) struct Adler32 {
    sums: (u16, u16),
    update: Adler32Imp,
}

impl Stream for Adler32 {
    fn new() -> Self {
        Adler32 { sums: (1, 0), update: way(Machine::detect().limit()).0 }
    }
    fn update(&mut self, bytes: &[u8]) {
        self.sums = (self.update)(self.sums.0, self.sums.1, bytes);
    }
    fn finish(&mut self) -> Digest {
        let (low, high) = self.sums;
        Digest::new([high, low].map(u16::to_be_bytes).as_flattened())
    }
    fn kernel() -> &'static str {
        way(Machine::detect().limit()).1
    }
}

/// The best way up to a limit, and its name.
fn way(limit: Isa) -> (Adler32Imp, &'static str) {
    if limit == Isa::WIDEST {
        return (imp::get_imp(), "simd-adler32");
    }
    let allowed =
        |isa, way: fn() -> Option<Adler32Imp>, name| way().filter(|_| isa <= limit).map(|way| (way, name));
    allowed(Isa::Avx512, imp::avx512::get_imp, "avx512 (simd-adler32)")
        .or_else(|| allowed(Isa::Neon, imp::neon::get_imp, "neon (simd-adler32)"))
        .or_else(|| allowed(Isa::Avx2, imp::avx2::get_imp, "avx2 (simd-adler32)"))
        .or_else(|| allowed(Isa::Sse41, imp::ssse3::get_imp, "sse4.1 (simd-adler32)"))
        .or_else(|| allowed(Isa::Portable, imp::sse2::get_imp, "portable (simd-adler32)"))
        .unwrap_or((imp::scalar::update, "portable (simd-adler32)"))
}
