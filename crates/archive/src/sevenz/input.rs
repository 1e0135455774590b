//! The bytes of a header, read one number after the other.

use crate::{Limits, Problem};

/// The rest of a header. Counts in it are bounded by the bytes that are left, and by memory.
#[derive(Debug)]
pub(super) struct Input<'a> {
    header: &'a [u8],
    at: usize,
    memory: u64,
}

impl<'a> Input<'a> {
    /// Begins to read a header.
    pub(super) fn new(header: &'a [u8], limits: &Limits) -> Input<'a> {
        Input { header, at: 0, memory: limits.memory }
    }

    /// Returns the position in the header.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Returns the number of bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.header.len().saturating_sub(self.at)
    }

    /// Returns the next bytes.
    pub(super) fn bytes(&mut self, length: usize) -> Result<&'a [u8], Problem> {
        let end = self.at.checked_add(length);
        let bytes = end.and_then(|end| self.header.get(self.at..end));
        let bytes = bytes.ok_or_else(|| Problem::damaged("the header is too short"))?;
        self.at = self.at.saturating_add(length);
        Ok(bytes)
    }

    /// Returns the next bytes, of a length that the header states.
    pub(super) fn sized(&mut self, length: u64) -> Result<&'a [u8], Problem> {
        self.bytes(usize::try_from(length).unwrap_or(usize::MAX))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Problem> {
        crate::fields::array(self.bytes(N)?, 0)
    }

    /// Returns the next byte.
    pub(super) fn byte(&mut self) -> Result<u8, Problem> {
        self.array().map(|[byte]| byte)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Problem> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, Problem> {
        self.array().map(u64::from_le_bytes)
    }

    /// Returns the next number ("UINT64"): the bits that are set at the top of the first byte count the bytes that
    /// follow, and the bits behind them are the highest of the number.
    pub(super) fn number(&mut self) -> Result<u64, Problem> {
        let first = self.byte()?;
        let count = first.leading_ones() as usize;
        let mut bytes = [0; 8];
        for (to, from) in bytes.iter_mut().zip(self.bytes(count)?) {
            *to = *from;
        }
        let high = if count < 7 { u64::from(first & (0x7f >> count)) << (8 * count) } else { 0 };
        Ok(u64::from_le_bytes(bytes) | high)
    }

    /// Returns the next number as a count of things, each of which takes so many bytes of memory, and one here at
    /// least.
    pub(super) fn count(&mut self, each: usize, of: &'static str) -> Result<usize, Problem> {
        let count = self.number()?;
        self.bound(count, each, of)
    }

    /// Returns a count of things if that many can follow, and have room in memory.
    pub(super) fn bound(&self, count: u64, each: usize, of: &'static str) -> Result<usize, Problem> {
        if count > self.left() as u64 {
            return Err(Problem::damaged(format!("the header is too short for {count} {of}")));
        }
        self.check_memory(count, each)?;
        usize::try_from(count).map_err(|_| Problem::TooMany(of))
    }

    /// Checks that things have room in memory, each of which takes so many bytes.
    pub(super) fn check_memory(&self, count: u64, each: usize) -> Result<(), Problem> {
        let memory = count.saturating_mul(each as u64);
        if memory > self.memory { Err(Problem::Memory(memory)) } else { Ok(()) }
    }

    /// Returns the next bytes, of a length that the header states, to be read apart.
    pub(super) fn part(&mut self, length: u64) -> Result<Input<'a>, Problem> {
        Ok(Input { header: self.sized(length)?, at: 0, memory: self.memory })
    }

    /// Returns all bytes as bits.
    pub(super) fn all_bits(&self) -> Bits<'a> {
        Bits::Each(self.header)
    }

    /// Returns the next bits, the highest of each byte first.
    pub(super) fn bits(&mut self, count: usize) -> Result<Bits<'a>, Problem> {
        self.bytes(count.div_ceil(8)).map(Bits::Each)
    }

    /// Returns the next bits, which may be stated to be all set ("AllAreDefined").
    pub(super) fn bits_or_all(&mut self, count: usize) -> Result<Bits<'a>, Problem> {
        if self.byte()? == 0 { self.bits(count) } else { Ok(Bits::All) }
    }

    /// Returns the next checksums ("Digests"). Not all things need to have one.
    pub(super) fn checksums(&mut self, count: usize) -> Result<Vec<Option<u32>>, Problem> {
        let defined = self.bits_or_all(count)?;
        (0..count).map(|at| defined.is_set(at).then(|| self.u32()).transpose()).collect()
    }

    /// Passes over properties until the one with this number.
    pub(super) fn expect(&mut self, wanted: u64) -> Result<(), Problem> {
        loop {
            match self.number()? {
                found if found == wanted => return Ok(()),
                0 => return Err(Problem::damaged(format!("the header has no property {wanted}"))),
                _ => self.pass_over()?,
            }
        }
    }

    /// Passes over a property that begins with its length.
    pub(super) fn pass_over(&mut self) -> Result<(), Problem> {
        let length = self.number()?;
        self.sized(length).map(|_| ())
    }
}

/// Bits, one for each of a number of things.
#[derive(Debug, Clone, Copy)]
pub(super) enum Bits<'a> {
    /// All are set.
    All,
    /// None is.
    None,
    /// These are.
    Each(&'a [u8]),
}

impl Bits<'_> {
    /// Returns whether the bit at a place is set.
    pub(super) fn is_set(self, at: usize) -> bool {
        match self {
            Bits::All => true,
            Bits::None => false,
            Bits::Each(bytes) => bytes.get(at / 8).is_some_and(|byte| byte << (at % 8) & 0x80 != 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(bytes: &[u8]) -> Result<u64, Problem> {
        Input::new(bytes, &Limits::default()).number()
    }

    #[test]
    fn numbers_take_one_to_nine_bytes() {
        for (bytes, expected) in [
            (&[0x00][..], 0),
            (&[0x7f], 0x7f),
            (&[0x80, 0x80], 0x80),
            (&[0xbf, 0xff], 0x3fff),
            (&[0xc1, 0x02, 0x03], 0x1_0302),
            (&[0xfd, 1, 2, 3, 4, 5, 6], 0x0001_0605_0403_0201),
            (&[0xfe, 1, 2, 3, 4, 5, 6, 7], 0x0007_0605_0403_0201),
            (&[0xff, 1, 2, 3, 4, 5, 6, 7, 8], 0x0807_0605_0403_0201),
        ] {
            assert_eq!(number(bytes).unwrap(), expected, "{bytes:x?}");
            assert_eq!(number(&bytes[..bytes.len() - 1]).unwrap_err().word(), "damaged");
        }
    }

    #[test]
    fn counts_are_bounded_by_the_bytes_that_are_left_and_by_memory() {
        let bytes = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 3, 1, 1, 1];
        let mut input = Input::new(&bytes, &Limits { memory: 30 });
        assert_eq!(input.count(1, "members").unwrap_err().word(), "damaged");
        assert_eq!(input.count(10, "members").unwrap(), 3);
        assert!(matches!(input.bound(3, 11, "members"), Err(Problem::Memory(33))));
    }

    #[test]
    fn the_highest_bit_comes_first() {
        let bits = Bits::Each(&[0b1000_0001, 0b0100_0000]);
        let set: Vec<usize> = (0..20).filter(|at| bits.is_set(*at)).collect();
        assert_eq!(set, [0, 7, 9]);
    }
}
