//! Entropy and chi-square as exact decimals, so that every format gives back what it was given.

use std::fmt;

/// How evenly bytes are spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entropy {
    /// The entropy, in bits a byte.
    pub bits: Bits,
    /// The chi-square of evenly spread bytes; `None` of nothing at all.
    pub chi_square: Option<ChiSquare>,
}

/// Bits a byte, from 0 to 8, in millionths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bits(u32);

/// A chi-square with 255 degrees of freedom: in hundredths, and from 10^13 on whole. About 255 of random bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChiSquare(u64);

/// The number from which on a chi-square has no decimals, in hundredths.
const WHOLE: u64 = 1_000_000_000_000_000;
/// The largest chi-square, which a floating-point number still holds: 2^53, in hundredths.
const LARGEST: u64 = 100 << 53;

impl Bits {
    /// Eight bits, the most.
    const MOST: u32 = 8_000_000;

    /// Rounds a number of bits; `None` if it is not from 0 to 8.
    pub fn new(bits: f64) -> Option<Bits> {
        // Comparisons with no number are false.
        (bits >= 0.0 && bits <= f64::from(Bits::MOST) / 1e6).then(|| Bits((bits * 1e6).round() as u32))
    }

    /// Returns the number in millionths.
    pub fn millionths(self) -> u32 {
        self.0
    }

    /// Makes it from a number in millionths; `None` if it is more than 8.
    pub fn from_millionths(millionths: u32) -> Option<Bits> {
        (millionths <= Bits::MOST).then_some(Bits(millionths))
    }

    /// Returns it as a floating-point number, from which [`Bits::new`] makes it again.
    pub fn to_f64(self) -> f64 {
        f64::from(self.0) / 1e6
    }
}

impl ChiSquare {
    /// Rounds a chi-square in hundredths.
    pub fn from_hundredths(hundredths: u64) -> ChiSquare {
        match hundredths {
            0..WHOLE => ChiSquare(hundredths),
            _ => ChiSquare((hundredths.min(LARGEST) + 50) / 100 * 100),
        }
    }

    /// Rounds a chi-square; `None` if it is negative or too large.
    pub fn new(chi_square: f64) -> Option<ChiSquare> {
        let is_possible = chi_square >= 0.0 && chi_square <= (LARGEST / 100) as f64;
        is_possible.then(|| match chi_square < (WHOLE / 100) as f64 {
            true => ChiSquare((chi_square * 100.0).round() as u64),
            false => ChiSquare::from_hundredths(chi_square as u64 * 100),
        })
    }

    /// Returns the number in hundredths.
    pub fn hundredths(self) -> u64 {
        self.0
    }

    /// Returns it as a floating-point number, from which [`ChiSquare::new`] makes it again.
    pub fn to_f64(self) -> f64 {
        match self.0 {
            0..WHOLE => self.0 as f64 / 100.0,
            whole => (whole / 100) as f64,
        }
    }
}

impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

impl fmt::Display for ChiSquare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0..WHOLE => write!(f, "{}.{:02}", self.0 / 100, self.0 % 100),
            // Programs read whole numbers exactly, and may round others.
            whole => write!(f, "{}", whole / 100),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_from_floating_point() {
        for millionths in [0, 1, 999_999, 1_000_000, 7_999_999, 8_000_000] {
            let bits = Bits::from_millionths(millionths).unwrap();
            assert_eq!(Bits::new(bits.to_f64()), Some(bits));
        }
        let large = [WHOLE - 1, WHOLE, WHOLE + 49, WHOLE + 50, LARGEST - 50, LARGEST, u64::MAX];
        for hundredths in [0, 1, 25_525, 12_345_678_901].into_iter().chain(large) {
            let chi_square = ChiSquare::from_hundredths(hundredths);
            assert_eq!(ChiSquare::new(chi_square.to_f64()), Some(chi_square), "{hundredths}");
        }
    }

    #[test]
    fn large_numbers_have_no_decimals() {
        assert_eq!(ChiSquare(WHOLE - 1).to_string(), "9999999999999.99");
        assert_eq!(ChiSquare(671_406_049_704_693_700).to_string(), "6714060497046937");
    }

    #[test]
    fn impossible_numbers_are_refused() {
        for bits in [-0.1, 8.1, f64::NAN, f64::INFINITY] {
            assert_eq!(Bits::new(bits), None);
        }
        for chi_square in [-1.0, 1e17, f64::NAN, f64::INFINITY] {
            assert_eq!(ChiSquare::new(chi_square), None);
        }
        assert_eq!(Bits::from_millionths(8_000_001), None);
    }
}
