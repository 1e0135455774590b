//! Numbers as parsed by the C library: as far as possible, ignoring the rest.

/// Parses the number at the start of a text, after blanks and a sign. Numbers out of range are clamped; the default is
/// 0.
pub fn leading(text: &[u8]) -> i64 {
    let text = text.trim_ascii_start();
    let (negative, digits) = match text.first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    let step = |sum: i64, byte: &u8| {
        let digit = i64::from(byte - b'0');
        sum.saturating_mul(10).saturating_add(if negative { -digit } else { digit })
    };
    digits.fold(0, step)
}

/// A size with an optional unit of 1024s.
pub struct Size {
    /// The size in bytes. Numbers out of range wrap, as in hashdeep.
    pub bytes: u64,
    /// Whether the last character is a digit or a unit.
    pub understood: bool,
}

/// Parses a size such as `10`, `4k`, `1G`.
pub fn size(text: &[u8]) -> Size {
    const UNITS: &[u8] = b"bkmgtpe";
    let last = text.last().map_or(b'0', u8::to_ascii_lowercase);
    let unit = UNITS.iter().position(|unit| *unit == last);
    let power = unit.unwrap_or(0) as u32;
    let bytes = (leading(text) as u64).wrapping_mul(1 << (10 * power));
    Size { bytes, understood: unit.is_some() || last.is_ascii_digit() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_where_they_end() {
        for (text, value) in
            [("12x", 12), (" -3", -3), ("+4", 4), ("x", 0), ("99999999999999999999", i64::MAX)]
        {
            assert_eq!(leading(text.as_bytes()), value);
        }
    }

    #[test]
    fn sizes_have_units_of_1024() {
        for (text, bytes) in
            [("7", 7), ("2b", 2), ("2K", 2048), ("1m", 1 << 20), ("1E", 1 << 60), ("", 0), ("3x", 3)]
        {
            assert_eq!(size(text.as_bytes()).bytes, bytes, "{text}");
        }
        assert!(!size(b"3x").understood);
    }
}
