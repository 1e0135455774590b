//! The rolling hash of spamsum, which ssdeep and mrsh-v2 share.
//!
//! Source: Kornblum, "Identifying almost identical files using context triggered piecewise hashing" (2006),
//! section 3.2. Its value depends on the last seven bytes only.

/// Bytes that the hash remembers.
const WINDOW: u32 = 7;

/// The hash's state. It starts with a window of zero bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Roll {
    /// The last seven bytes, the newest lowest.
    window: u64,
    sum: u32,
    weighted: u32,
    shifted: u32,
}

impl Roll {
    /// Takes one byte and gives the hash of the seven last.
    #[inline(always)]
    pub(crate) fn feed(&mut self, byte: u8) -> u32 {
        let oldest = (self.window >> (8 * (WINDOW - 1))) as u8;
        self.window = self.window << 8 | u64::from(byte);
        let new = u32::from(byte);
        self.weighted = self.weighted.wrapping_add(WINDOW * new).wrapping_sub(self.sum);
        self.sum = self.sum.wrapping_add(new).wrapping_sub(u32::from(oldest));
        self.shifted = self.shifted << 5 ^ new;
        self.value()
    }

    /// The hash of the seven last bytes.
    #[inline(always)]
    pub(crate) fn value(&self) -> u32 {
        self.sum.wrapping_add(self.weighted).wrapping_add(self.shifted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_seven_bytes_count() {
        let (mut long, mut short) = (Roll::default(), Roll::default());
        b"whatever came before, 1234567".iter().for_each(|byte| _ = long.feed(*byte));
        b"1234567".iter().for_each(|byte| _ = short.feed(*byte));
        assert_eq!(long.value(), short.value());
    }

    #[test]
    fn seven_zero_bytes_give_zero() {
        let mut roll = Roll::default();
        b"abc\0\0\0\0\0\0\0".iter().for_each(|byte| _ = roll.feed(*byte));
        assert_eq!(roll.value(), 0);
    }
}
