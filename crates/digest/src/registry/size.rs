//! Sizes in command lines and settings.

use std::fmt;

/// The reason why a size is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadSize {
    /// It does not start with a whole number.
    Number,
    /// The text after the number is not a unit.
    Unit,
    /// It does not fit in 64 bits.
    Overflow,
}

/// The units, in lower case, and their bytes.
const UNITS: [(&str, u64); 14] = [
    ("", 1),
    ("b", 1),
    ("k", 1 << 10),
    ("m", 1 << 20),
    ("g", 1 << 30),
    ("t", 1 << 40),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
];

/// Reads a whole number with an optional unit: `K M G T` and `KiB MiB GiB TiB` count by 1024, `KB MB GB TB` by 1000, in
/// upper or lower case.
///
/// ```
/// use hashmill_digest::{BadSize, parse_size};
/// assert_eq!(parse_size("4K"), Ok(4096));
/// assert_eq!(parse_size("4KB"), Ok(4000));
/// assert_eq!(parse_size("4X"), Err(BadSize::Unit));
/// ```
pub fn parse_size(text: &str) -> Result<u64, BadSize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    if number.is_empty() {
        return Err(BadSize::Number);
    }
    let (_, bytes) = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit)).ok_or(BadSize::Unit)?;
    let number: u64 = number.parse().map_err(|_| BadSize::Overflow)?;
    number.checked_mul(*bytes).ok_or(BadSize::Overflow)
}

impl fmt::Display for BadSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BadSize::Number => "a size is a whole number, then a unit or none, like 512, 64K or 10MB",
            BadSize::Unit => "the units of sizes are K M G T (1024) and KB MB GB TB (1000)",
            BadSize::Overflow => "the size does not fit in 64 bits",
        })
    }
}

impl std::error::Error for BadSize {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(hashmill_testing::cases(256) as u32))]

        #[test]
        fn no_text_is_too_odd(text in "[0-9]{0,22}[kKmMgGtTiIbB ]{0,3}|\\PC*") {
            let digits = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
            match parse_size(&text) {
                Ok(bytes) => prop_assert!(u128::from(bytes) >= digits.parse::<u128>().unwrap()),
                Err(why) => prop_assert!(!why.to_string().is_empty()),
            }
        }
    }

    #[test]
    fn sizes_are_understood() {
        for (text, bytes) in [
            ("0", 0),
            ("512", 512),
            ("10K", 10 << 10),
            ("10k", 10 << 10),
            ("10KiB", 10 << 10),
            ("1MB", 1_000_000),
            ("1M", 1 << 20),
            ("3gb", 3_000_000_000),
            ("4G", 4 << 30),
            ("2T", 2 << 40),
            ("2TB", 2_000_000_000_000),
            ("7B", 7),
            ("18446744073709551615", u64::MAX),
            ("16777215T", 16_777_215 << 40),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for (text, why) in [
            ("", BadSize::Number),
            ("K", BadSize::Number),
            ("-1", BadSize::Number),
            (" 1", BadSize::Number),
            ("1 K", BadSize::Unit),
            ("1.5G", BadSize::Unit),
            ("1X", BadSize::Unit),
            ("1KK", BadSize::Unit),
            ("1é", BadSize::Unit),
            ("18446744073709551616", BadSize::Overflow),
            ("16777216T", BadSize::Overflow),
            ("99999999999999999999999K", BadSize::Overflow),
        ] {
            assert_eq!(parse_size(text), Err(why), "{text}");
        }
    }
}
