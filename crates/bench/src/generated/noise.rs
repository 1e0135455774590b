//! A fixed sequence of pseudo-random numbers.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// A fixed sequence of pseudo-random numbers (xorshift64*, Vigna 2016).
#[derive(Debug, Clone)]
pub struct Noise(u64);

impl Noise {
    /// Starts the sequence of this seed.
    pub fn new(seed: u64) -> Self {
        // Zero would stay zero.
        Noise(if seed == 0 { 0x9e37_79b9_7f4a_7c15 } else { seed })
    }

    /// Returns the next number.
    #[allow(
        clippy::should_implement_trait,
        reason = "an endless sequence is asked for a number, never for an end"
    )]
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns a number from 0 up to, but not including, 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a number below `end`, which is at least 1.
    pub fn below(&mut self, end: usize) -> usize {
        (self.unit() * end as f64) as usize
    }

    /// Returns a number with nearly the standard normal distribution (Irwin and Hall's sum of twelve).
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    /// Appends incompressible bytes.
    pub fn fill(&mut self, bytes: &mut Vec<u8>, count: usize) {
        let end = bytes.len() + count;
        while bytes.len() < end {
            let next = self.next().to_le_bytes();
            bytes.extend_from_slice(&next[..(end - bytes.len()).min(8)]);
        }
    }

    /// Writes a file of incompressible bytes.
    ///
    /// # Errors
    /// If it can't be written; or `Interrupted` once `go_on` returns false.
    pub fn file(&mut self, path: &Path, size: u64, go_on: &dyn Fn() -> bool) -> io::Result<()> {
        const BLOCK: u64 = 1 << 20;
        let mut file = File::create(path)?;
        let mut bytes = Vec::with_capacity(BLOCK as usize);
        let mut left = size;
        while left > 0 {
            if !go_on() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            bytes.clear();
            self.fill(&mut bytes, left.min(BLOCK) as usize);
            file.write_all(&bytes)?;
            left -= bytes.len() as u64;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_digest::{find, hash};

    #[test]
    fn the_sequence_is_fixed() {
        // Vigna's sequence from state 1; the digest fixes the bytes of files.
        assert_eq!(Noise::new(1).next(), 0x47e4_ce4b_896c_dd1d);
        let mut bytes = Vec::new();
        Noise::new(7).fill(&mut bytes, 1001);
        assert_eq!(bytes.len(), 1001);
        let digest = hash(find("sha256").unwrap(), &bytes).to_string();
        assert_eq!(digest[..16], *"d2bcfcc7b612c579");
    }

    #[test]
    fn a_file_is_its_bytes_whatever_the_blocks() {
        let place = tempfile::tempdir().unwrap();
        let size = (1 << 20) + 16;
        Noise::new(7).file(&place.path().join("f"), size, &|| true).unwrap();
        let mut bytes = Vec::new();
        Noise::new(7).fill(&mut bytes, size as usize);
        assert!(std::fs::read(place.path().join("f")).unwrap() == bytes);
    }

    #[test]
    fn numbers_are_where_they_should_be() {
        let mut noise = Noise::new(0);
        let mean = (0..10_000).map(|_| noise.normal()).sum::<f64>() / 10_000.0;
        assert!(mean.abs() < 0.05, "{mean}");
        assert!((0..1000).all(|_| noise.below(3) < 3 && noise.unit() < 1.0));
    }
}
