//! xz: streams of blocks, each with its filters and a check, and an index.

mod block;
mod chain;
mod check;
mod index;
mod places;

use super::decode::Step;
use super::packed::Packed;
use super::parted::Parted;
use super::problems::trailing;
use crate::fields::u32_at;
use crate::{Limits, Problem};
use block::Block;
use check::CheckType;
use hashmill_digest::Crc32;
use index::{BlockSizes, Records};
pub(super) use places::BlockPlaces;

/// The bytes that a stream begins with.
const MAGIC: &[u8; 6] = b"\xFD7zXZ\0";

/// The bytes of the header of a stream, and of its footer.
const HEADER: usize = 12;

/// A decoder of xz.
pub(super) struct Xz {
    part: Part,
    limits: Limits,
    /// The check of the blocks of this stream.
    check: CheckType,
    /// The blocks of this stream.
    records: Records,
    /// The sizes of the blocks of a part.
    sizes: Option<Vec<BlockSizes>>,
}

/// The part of the file that comes next.
enum Part {
    Block(Block),
    /// A header of a block, or the index.
    Header(Packed),
    /// The end of the file, or padding and another stream.
    Stream(Packed),
    /// Nothing, as an error came before.
    Lost,
}

impl Xz {
    /// Reads the headers of the first stream and its first block.
    pub(super) fn new(mut packed: Packed, limits: &Limits) -> Result<Xz, Problem> {
        let check = header(&mut packed)?;
        let mut decoder = Xz::at_header(packed, check, limits);
        decoder.advance()?;
        Ok(decoder)
    }

    /// Creates a decoder that stands before the header of a block, or the index.
    fn at_header(packed: Packed, check: CheckType, limits: &Limits) -> Xz {
        let part = Part::Header(packed);
        Xz { part, limits: *limits, check, records: Records::new(), sizes: None }
    }

    /// Goes on where no content is. Returns whether anything follows.
    fn advance(&mut self) -> Result<bool, Problem> {
        self.part = match std::mem::replace(&mut self.part, Part::Lost) {
            Part::Block(block) => {
                let (packed, sizes) = block.end()?;
                self.records.add(sizes);
                if let Some(all) = &mut self.sizes {
                    all.push(sizes);
                }
                Part::Header(packed)
            }
            Part::Header(mut packed) => match packed.byte()? {
                0 => {
                    let length = self.records.check_index(&mut packed)?;
                    footer(&mut packed, length, self.check)?;
                    Part::Stream(packed)
                }
                size => Part::Block(Block::begin(packed, size, self.check, &self.limits)?),
            },
            Part::Stream(mut packed) => {
                if !self.next_stream(&mut packed)? {
                    self.part = Part::Stream(packed);
                    return Ok(false);
                }
                Part::Header(packed)
            }
            Part::Lost => return Err(Problem::damaged("compressed bytes can't be read behind an error")),
        };
        Ok(true)
    }

    /// Passes over padding, and reads the header of the next stream. Returns whether there is one.
    fn next_stream(&mut self, packed: &mut Packed) -> Result<bool, Problem> {
        let zeros = packed.skip_zeros()?;
        let first = packed.peek(MAGIC.len())?;
        let is_magic = first.starts_with(MAGIC);
        if !first.is_empty() && !is_magic {
            return Err(if MAGIC.starts_with(first) { Problem::Truncated } else { trailing() });
        }
        if !zeros.is_multiple_of(4) {
            return Err(Problem::damaged("the padding of xz is no multiple of four bytes"));
        }
        if is_magic {
            self.check = header(packed)?;
            self.records = Records::new();
        }
        Ok(is_magic)
    }
}

impl Parted for Xz {
    /// The check of blocks is stated before the first one.
    type Setting = CheckType;
    /// The index repeats the sizes of all blocks.
    type Passed = Vec<BlockSizes>;
    const FIRST: u64 = HEADER as u64;

    fn at_part(packed: Packed, check: CheckType, limits: &Limits) -> Result<Xz, Problem> {
        Ok(Xz { sizes: Some(Vec::new()), ..Xz::at_header(packed, check, limits) })
    }

    fn setting(&self) -> CheckType {
        self.check
    }

    fn boundary(&self) -> Option<u64> {
        if let Part::Header(packed) = &self.part { Some(packed.position()) } else { None }
    }

    fn step(&mut self, buffer: &mut [u8]) -> Result<Step, Problem> {
        if let Part::Block(block) = &mut self.part {
            let count = block.read(buffer)?;
            if count > 0 {
                return Ok(Step::Content(count));
            }
        }
        Ok(if self.advance()? { Step::Nothing } else { Step::End })
    }

    fn passed(self) -> Vec<BlockSizes> {
        self.sizes.unwrap_or_default()
    }

    fn pass(&mut self, packed: Packed, blocks: Vec<BlockSizes>) {
        self.part = Part::Header(packed);
        blocks.into_iter().for_each(|sizes| self.records.add(sizes));
    }
}

/// Reads the header of a stream (section 2.1.1).
fn header(packed: &mut Packed) -> Result<CheckType, Problem> {
    let header: [u8; HEADER] = packed.array()?;
    if !header.starts_with(MAGIC) {
        return Err(Problem::damaged("no stream of xz begins there"));
    }
    let [.., zero, check, _, _, _, _] = header;
    if u32_at(&header, 8)? != Crc32::sum_of(&[zero, check]) {
        return Err(Problem::Checksum("a header of xz"));
    }
    if zero != 0 || check > 15 {
        return Err(Problem::Unsupported(format!("flags {zero:#04x} {check:#04x} of xz").into()));
    }
    CheckType::from_code(check)
}

/// The footer of a stream (section 2.1.2), which repeats the length of the index and the check.
struct Footer {
    index_length: u64,
    check: u8,
}

impl Footer {
    /// Reads a footer.
    fn parse(footer: &[u8; HEADER]) -> Result<Footer, Problem> {
        let [_, _, _, _, body @ .., b'Y', b'Z'] = footer else {
            return Err(Problem::damaged("a stream of xz does not end as it should"));
        };
        if u32_at(footer, 0)? != Crc32::sum_of(body) {
            return Err(Problem::Checksum("a footer of xz"));
        }
        let [.., 0, check] = *body else { return Err(Footer::foreign()) };
        Ok(Footer { index_length: (u64::from(u32_at(body, 0)?) + 1) * 4, check })
    }

    /// Returns the problem of a footer that is not that of its stream.
    fn foreign() -> Problem {
        Problem::damaged("a footer of xz is of another stream")
    }
}

/// Reads the footer of a stream, and compares it with the index and the header.
fn footer(packed: &mut Packed, length: u64, check: CheckType) -> Result<(), Problem> {
    let footer = Footer::parse(&packed.array()?)?;
    let is_same = footer.check == check.code() && footer.index_length == length;
    if is_same { Ok(()) } else { Err(Footer::foreign()) }
}
