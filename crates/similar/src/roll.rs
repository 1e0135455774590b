//! The rolling hash of spamsum, used by ssdeep and mrsh-v2.
//!
//! Source: Kornblum, "Identifying almost identical files using context triggered piecewise hashing" (2006), section
//! 3.2. Its value only depends on the last seven bytes.

/// The number of bytes that determine the hash.
pub(crate) const WINDOW: usize = 7;

/// The state of the hash. It starts with a window of zero bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Roll {
    /// The last seven bytes, the newest in the lowest bits.
    window: u64,
    sum: u32,
    weighted: u32,
    shifted: u32,
}

/// Returns the hash of seven bytes, the newest last, without a state.
#[inline(always)]
pub(crate) fn value(window: &[u8; WINDOW]) -> u32 {
    let (mut sum, mut shifted) = (0, 0);
    for (age, byte) in window.iter().rev().enumerate() {
        // The newest byte counts once in the plain sum and seven times in the weighted one.
        sum += (1 + WINDOW - age) as u32 * u32::from(*byte);
        shifted ^= u32::from(*byte) << (5 * age);
    }
    shifted.wrapping_add(sum)
}

impl Roll {
    /// Returns the state after these bytes, the newest last.
    #[inline]
    pub(crate) fn after(window: &[u8; WINDOW]) -> Roll {
        let mut roll = Roll::default();
        window.iter().for_each(|byte| _ = roll.feed(*byte));
        roll
    }

    /// Feeds one byte; returns the hash of the last seven.
    #[inline(always)]
    pub(crate) fn feed(&mut self, byte: u8) -> u32 {
        let oldest = (self.window >> (8 * (WINDOW - 1))) as u8;
        self.window = self.window << 8 | u64::from(byte);
        let new = u32::from(byte);
        self.weighted = self.weighted.wrapping_add(WINDOW as u32 * new).wrapping_sub(self.sum);
        self.sum = self.sum.wrapping_add(new).wrapping_sub(u32::from(oldest));
        self.shifted = self.shifted << 5 ^ new;
        self.value()
    }

    /// Returns the hash of the last seven bytes.
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
    fn without_a_state_it_is_the_same() {
        let bytes: Vec<u8> = (0..1000_u32).map(|number| ((number * number) >> 3) as u8 | 0x80).collect();
        let mut roll = Roll::default();
        bytes[..WINDOW].iter().for_each(|byte| _ = roll.feed(*byte));
        for (at, byte) in bytes.iter().enumerate().skip(WINDOW) {
            let window = bytes[at + 1 - WINDOW..].first_chunk().unwrap();
            assert_eq!((roll.feed(*byte), Roll::after(window).value()), (value(window), value(window)));
        }
    }

    #[test]
    fn seven_zero_bytes_give_zero() {
        let mut roll = Roll::default();
        b"abc\0\0\0\0\0\0\0".iter().for_each(|byte| _ = roll.feed(*byte));
        assert_eq!(roll.value(), 0);
    }
}
