//! Blocks (section 3).

use super::chain::{Chain, Filter};
use super::check::{Check, CheckType};
use super::index::{BlockSizes, number};
use crate::compression::lzma2_dictionary;
use crate::compression::packed::Packed;
use crate::compression::problems::within;
use crate::fields::u32_at;
use crate::{Limits, Problem};
use hashmill_digest::Crc32;

/// The number of the filter that must be the last.
const LZMA2: u64 = 0x21;

/// A block that is being read.
pub(super) struct Block {
    chain: Chain,
    check: Check,
    header: Header,
    /// The positions of the header and of the compressed bytes.
    start: u64,
    data: u64,
    /// The bytes of content so far.
    decoded: u64,
}

/// The header of a block.
struct Header {
    packed_size: Option<u64>,
    size: Option<u64>,
    filters: Vec<Filter>,
    dictionary: u32,
}

impl Block {
    /// Reads the header of a block, behind the byte with its length.
    pub(super) fn begin(
        mut packed: Packed,
        length: u8,
        check: CheckType,
        limits: &Limits,
    ) -> Result<Block, Problem> {
        let start = packed.position().saturating_sub(1);
        let mut bytes = vec![0; (usize::from(length) + 1) * 4];
        let (first, rest) = bytes.split_at_mut(1);
        first.fill(length);
        packed.exactly(rest)?;
        let (body, crc) = bytes.split_at(bytes.len() - 4);
        if u32_at(crc, 0)? != Crc32::sum_of(body) {
            return Err(Problem::Checksum("a header of a block of xz"));
        }
        let header = Header::parse(body.get(1..).unwrap_or_default())?;
        within(limits, u64::from(header.dictionary))?;
        let data = packed.position();
        let chain = Chain::new(packed, header.dictionary, &header.filters);
        Ok(Block { chain, check: Check::new(check), header, start, data, decoded: 0 })
    }

    /// Reads content. No bytes mean the end.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Problem> {
        let count = self.chain.read(buffer)?;
        self.decoded = self.decoded.saturating_add(count as u64);
        self.check.update(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }

    /// Checks the block at its end, and returns its sizes.
    pub(super) fn end(self) -> Result<(Packed, BlockSizes), Problem> {
        let mut packed = self.chain.into_packed();
        let size = packed.position().saturating_sub(self.data);
        let is_other = |stated: Option<u64>, size| stated.is_some_and(|stated| stated != size);
        if is_other(self.header.packed_size, size) || is_other(self.header.size, self.decoded) {
            return Err(Problem::damaged("a block of xz has another size than its header says"));
        }
        for _ in 0..size.wrapping_neg() % 4 {
            if packed.byte()? != 0 {
                return Err(Problem::damaged("the padding of a block of xz is not zero"));
            }
        }
        let check_size = self.check.compare(&mut packed)?;
        let header = self.data.saturating_sub(self.start);
        let all = header.saturating_add(size).saturating_add(check_size);
        Ok((packed, BlockSizes { packed: all, size: self.decoded }))
    }
}

impl Header {
    /// Reads the fields between the length and the checksum (section 3.1).
    fn parse(bytes: &[u8]) -> Result<Header, Problem> {
        let (&flags, mut rest) = bytes.split_first().ok_or(Problem::Truncated)?;
        if flags & 0x3C != 0 {
            return Err(Problem::Unsupported(format!("flags {flags:#04x} of a block of xz").into()));
        }
        let mut stated = |flag: u8| (flags & flag != 0).then(|| field(&mut rest)).transpose();
        let (packed_size, size) = (stated(0x40)?, stated(0x80)?);
        let mut filters = Vec::new();
        let mut dictionary = None;
        for _ in 0..=flags & 3 {
            if dictionary.is_some() {
                return Err(Problem::damaged("LZMA2 is not the last filter of xz"));
            }
            let (id, length) = (field(&mut rest)?, field(&mut rest)?);
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            let (properties, behind) = rest.split_at_checked(length).ok_or_else(no_sense)?;
            rest = behind;
            match id {
                LZMA2 => dictionary = Some(dictionary_size(properties)?),
                _ => filters.push(Filter::parse(id, properties)?),
            }
        }
        if rest.iter().any(|&byte| byte != 0) {
            return Err(Problem::Unsupported("a field in a header of a block of xz".into()));
        }
        let dictionary = dictionary.ok_or_else(|| Problem::damaged("LZMA2 is not the last filter of xz"))?;
        Ok(Header { packed_size, size, filters, dictionary })
    }
}

/// Returns the size of the dictionary of a block whose header begins so; none if the header makes no sense.
pub(super) fn dictionary(header: &[u8]) -> Option<u32> {
    let end = usize::from(*header.first()?) * 4;
    Header::parse(header.get(1..end)?).ok().map(|header| header.dictionary)
}

/// Returns the problem of a header without sense.
pub(super) fn no_sense() -> Problem {
    Problem::damaged("a header of a block of xz makes no sense")
}

/// Takes a number from the front.
fn field(rest: &mut &[u8]) -> Result<u64, Problem> {
    number(|| {
        let (&byte, behind) = rest.split_first().ok_or_else(no_sense)?;
        *rest = behind;
        Ok(byte)
    })
}

/// Returns the size of the dictionary of LZMA2 (section 5.3.1).
fn dictionary_size(properties: &[u8]) -> Result<u32, Problem> {
    let size = if let [code] = *properties { lzma2_dictionary(code) } else { None };
    size.ok_or_else(|| Problem::damaged("the size of the dictionary of LZMA2 makes no sense"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dictionaries_have_the_sizes_of_the_specification() {
        for (code, size) in [(0, 4 << 10), (1, 6 << 10), (2, 8 << 10), (39, 3 << 30), (40, u32::MAX)] {
            assert_eq!(dictionary_size(&[code]).unwrap(), size);
        }
        assert!(dictionary_size(&[41]).is_err() && dictionary_size(&[]).is_err());
    }
}
