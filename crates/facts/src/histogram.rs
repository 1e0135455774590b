//! How often each byte occurs.

use crate::{Bits, ChiSquare, Entropy};

/// The tables that bytes are counted in by turns: a run of equal bytes would otherwise wait for one counter.
const TABLES: usize = 8;

/// The bytes after which the tables, whose counters have 32 bits, are added up.
const FLUSH: usize = 1 << 30;

/// Counts bytes. Histograms of parts of a stream can be added up in any order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    counts: Box<[u64; 256]>,
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram { counts: Box::new([0; 256]) }
    }
}

impl Histogram {
    /// Counts the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        if bytes.len() < 1024 {
            return bytes.iter().for_each(|byte| self.counts[usize::from(*byte)] += 1);
        }
        for part in bytes.chunks(FLUSH) {
            let mut tables = [[0_u32; 256]; TABLES];
            count(part, &mut tables);
            for (byte, count) in self.counts.iter_mut().enumerate() {
                *count += tables.iter().map(|table| u64::from(table[byte])).sum::<u64>();
            }
        }
    }

    /// Adds the bytes that another histogram counted.
    pub fn add(&mut self, other: &Histogram) {
        for (count, more) in self.counts.iter_mut().zip(&*other.counts) {
            *count += more;
        }
    }

    /// Returns how often a byte occurred.
    pub fn count(&self, byte: u8) -> u64 {
        self.counts[usize::from(byte)]
    }

    /// Returns how evenly the bytes are spread, as `ent` defines it.
    pub fn entropy(&self) -> Entropy {
        let all: u64 = self.counts.iter().sum();
        if all == 0 {
            return Entropy { bits: Bits::default(), chi_square: None };
        }
        let share = |count: &u64| *count as f64 / all as f64;
        let shares = self.counts.iter().filter(|count| **count > 0).map(share);
        let bits: f64 = shares.map(|share| share * -share.log2()).sum();
        // The sum may be a little above 8, or a negative zero.
        let bits = Bits::new(bits.clamp(0.0, 8.0)).unwrap_or_default();
        Entropy { bits, chi_square: Some(self.chi_square(all)) }
    }

    /// Returns the sum of (count - expected)² / expected, which is 256 · Σ count² / all - all, exactly rounded.
    fn chi_square(&self, all: u64) -> ChiSquare {
        let all = u128::from(all);
        let squares: u128 = self.counts.iter().map(|count| u128::from(*count) * u128::from(*count)).sum();
        // In hundredths. The remainder of the division is below 2^64, so nothing overflows.
        let (whole, rest) = (squares / all, squares % all);
        let scaled = 25_600 * whole + (25_600 * rest + all / 2) / all;
        let hundredths = scaled.saturating_sub(100 * all);
        ChiSquare::from_hundredths(u64::try_from(hundredths).unwrap_or(u64::MAX))
    }
}

/// Counts bytes, eight at a time, each in another table.
fn count(bytes: &[u8], tables: &mut [[u32; 256]; TABLES]) {
    let (words, rest) = bytes.as_chunks::<TABLES>();
    for word in words {
        let word = u64::from_le_bytes(*word);
        for (place, table) in tables.iter_mut().enumerate() {
            table[usize::from((word >> (8 * place)) as u8)] += 1;
        }
    }
    rest.iter().for_each(|byte| tables[0][usize::from(*byte)] += 1);
}
