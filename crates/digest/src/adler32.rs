//! Adler-32 (RFC 1950), by the crate simd-adler32.

use crate::Digest;
use crate::bank::Stream;

/// The streaming checksum.
pub(crate) struct Adler32(simd_adler32::Adler32);

impl Stream for Adler32 {
    fn new() -> Self {
        Adler32(simd_adler32::Adler32::new())
    }
    fn update(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }
    fn finish(&mut self) -> Digest {
        Digest::new(&self.0.finish().to_be_bytes())
    }
    fn kernel() -> &'static str {
        "simd-adler32"
    }
}
