//! Powers of x modulo a CRC's polynomial: the factors for bytes at a distance before others.
//!
//! Polynomials are reflected, as checksums are: the last bit of a value is that of the highest power.

/// Factors for two words at a distance before those to which they are added.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(dead_code, reason = "only these processors can fold")
)]
pub(crate) struct Keys {
    /// For consecutive blocks of 16 bytes.
    pub(super) next: [u64; 2],
    /// For eight blocks side by side.
    pub(super) after_8: [u64; 2],
    /// For sixteen blocks side by side.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only AVX-512 folds sixteen"))]
    pub(super) after_16: [u64; 2],
}

const BLOCK: u32 = 128;

impl Keys {
    /// Computes the factors of a polynomial.
    pub(super) const fn from_polynomial(polynomial: u64, bits: u32) -> Keys {
        Keys {
            next: pair(polynomial, bits, BLOCK),
            after_8: pair(polynomial, bits, 8 * BLOCK),
            after_16: pair(polynomial, bits, 16 * BLOCK),
        }
    }
}

/// Returns the factors for the first and the second word of a block at this distance in bits. The product of two
/// reflected words of 64 bits has 127 bits: taken as 128, it is the product times x, so the factors have one power
/// less.
const fn pair(polynomial: u64, bits: u32, distance: u32) -> [u64; 2] {
    let unused = 64 - bits;
    [power(polynomial, bits, distance + 63) << unused, power(polynomial, bits, distance - 1) << unused]
}

/// Returns x to this power.
const fn power(polynomial: u64, bits: u32, exponent: u32) -> u64 {
    let mut power = one(bits);
    let mut at = 0;
    while at < exponent {
        power = times_x(power, polynomial);
        at += 1;
    }
    power
}

/// Returns the polynomial 1.
const fn one(bits: u32) -> u64 {
    1 << (bits - 1)
}

const fn times_x(value: u64, polynomial: u64) -> u64 {
    value >> 1 ^ (polynomial & (value & 1).wrapping_neg())
}

const fn times(a: u64, mut b: u64, polynomial: u64, bits: u32) -> u64 {
    let (mut product, mut power) = (0, one(bits));
    while power != 0 {
        if a & power != 0 {
            product ^= b;
        }
        b = times_x(b, polynomial);
        power >>= 1;
    }
    product
}

/// Returns x to the power 8 * 2^i for each i: the factors for shifting past 2^i bytes.
pub(super) const fn shifts(polynomial: u64, bits: u32) -> [u64; 64] {
    let mut shifts = [power(polynomial, bits, 8); 64];
    let mut at = 1;
    while at < 64 {
        shifts[at] = times(shifts[at - 1], shifts[at - 1], polynomial, bits);
        at += 1;
    }
    shifts
}

/// Returns the remainder after zero bytes.
pub(super) fn shifted(remainder: u64, bytes: u64, shifts: &[u64; 64], polynomial: u64, bits: u32) -> u64 {
    let places = (0..64).filter(|place| bytes >> place & 1 == 1);
    places.fold(remainder, |remainder, place| times(remainder, shifts[place], polynomial, bits))
}
