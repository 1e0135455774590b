//! gzip (RFC 1952): members of a header, deflated content, and a trailer.

use super::decode::Step;
use super::packed::Packed;
use super::parted::Parted;
use super::problems::trailing;
use crate::{Limits, Problem};
use flate2::{Decompress, FlushDecompress, Status};
use hashmill_digest::Crc32;

/// The flag of a checksum of the header.
const HEADER_CHECKSUM: u8 = 1 << 1;
/// The flag of an extra field.
const EXTRA: u8 = 1 << 2;
/// The flag of the name of the file.
const NAME: u8 = 1 << 3;
/// The flag of a comment.
const COMMENT: u8 = 1 << 4;
/// The flags without a meaning.
const RESERVED: u8 = 0xE0;

/// A decoder of gzip.
pub(super) struct Gzip {
    packed: Packed,
    inflate: Decompress,
    crc: Crc32,
    stage: Stage,
}

/// The part of a member that comes next.
enum Stage {
    Content,
    Trailer,
    Header,
}

impl Gzip {
    /// Reads the header of the first member.
    pub(super) fn new(mut packed: Packed) -> Result<Gzip, Problem> {
        header(&mut packed)?;
        Ok(Gzip { packed, inflate: Decompress::new(false), crc: Crc32::new(), stage: Stage::Content })
    }

    /// Inflates content. No bytes mean its end.
    fn content(&mut self, buffer: &mut [u8]) -> Result<usize, Problem> {
        loop {
            let input = self.packed.fill()?;
            let (before, written) = (self.inflate.total_in(), self.inflate.total_out());
            let status = self.inflate.decompress(input, buffer, FlushDecompress::None);
            let is_over = input.is_empty();
            let taken = counted(before, self.inflate.total_in());
            let count = counted(written, self.inflate.total_out());
            self.packed.consume(taken);
            self.crc.update(buffer.get(..count).unwrap_or_default());
            match status.map_err(|_| Problem::damaged("the deflated data make no sense"))? {
                Status::StreamEnd => {
                    self.stage = Stage::Trailer;
                    return Ok(count);
                }
                _ if count > 0 => return Ok(count),
                _ if is_over => return Err(Problem::Truncated),
                _ if taken == 0 => return Err(Problem::damaged("the deflated data stand still")),
                _ => {}
            }
        }
    }

    /// Checks the content against the trailer of the member.
    fn trailer(&mut self) -> Result<(), Problem> {
        let crc = u32::from_le_bytes(self.packed.array()?);
        let size = u32::from_le_bytes(self.packed.array()?);
        if crc != self.crc.sum() {
            return Err(Problem::Checksum("the content"));
        }
        // The size is taken modulo 2^32.
        if size != self.inflate.total_out() as u32 {
            return Err(Problem::damaged("the size of the content is another than its trailer says"));
        }
        Ok(())
    }

    /// Goes to the next member. Returns whether there is one: zeros may fill the rest of the last block of a tape.
    fn next(&mut self) -> Result<bool, Problem> {
        let zeros = self.packed.skip_zeros()?;
        match self.packed.peek(2)? {
            [] => return Ok(false),
            [0x1F, 0x8B, ..] if zeros == 0 => header(&mut self.packed)?,
            [0x1F] if zeros == 0 => return Err(Problem::Truncated),
            _ => return Err(trailing()),
        }
        self.inflate.reset(false);
        self.crc = Crc32::new();
        Ok(true)
    }
}

impl Parted for Gzip {
    type Setting = ();
    type Passed = ();
    const FIRST: u64 = 0;

    fn at_part(packed: Packed, (): (), _: &Limits) -> Result<Gzip, Problem> {
        Ok(Gzip { packed, inflate: Decompress::new(false), crc: Crc32::new(), stage: Stage::Header })
    }

    fn setting(&self) {}

    fn boundary(&self) -> Option<u64> {
        matches!(self.stage, Stage::Header).then(|| self.packed.position())
    }

    fn step(&mut self, buffer: &mut [u8]) -> Result<Step, Problem> {
        match self.stage {
            Stage::Content => match self.content(buffer)? {
                0 => {}
                count => return Ok(Step::Content(count)),
            },
            Stage::Trailer => {
                self.trailer()?;
                self.stage = Stage::Header;
            }
            Stage::Header => {
                if !self.next()? {
                    return Ok(Step::End);
                }
                self.stage = Stage::Content;
            }
        }
        Ok(Step::Nothing)
    }

    fn passed(self) {}

    fn pass(&mut self, packed: Packed, (): ()) {
        self.packed = packed;
        self.stage = Stage::Header;
    }
}

/// Returns the difference of two totals, which counts bytes of one buffer.
fn counted(before: u64, after: u64) -> usize {
    usize::try_from(after.saturating_sub(before)).unwrap_or(usize::MAX)
}

/// Reads the header of a member (section 2.3).
fn header(packed: &mut Packed) -> Result<(), Problem> {
    let fixed: [u8; 10] = packed.array()?;
    let [0x1F, 0x8B, method, flags, ..] = fixed else {
        return Err(Problem::damaged("no member of gzip begins there"));
    };
    if method != 8 {
        return Err(Problem::Unsupported(format!("method {method} of gzip").into()));
    }
    if flags & RESERVED != 0 {
        return Err(Problem::Unsupported(format!("flags {flags:#04x} of gzip").into()));
    }
    let mut crc = Crc32::new();
    crc.update(&fixed);
    if flags & EXTRA != 0 {
        extra(packed, &mut crc)?;
    }
    for _ in 0..(flags & (NAME | COMMENT)).count_ones() {
        text(packed, &mut crc)?;
    }
    // The lower half of the CRC-32 of the header.
    if flags & HEADER_CHECKSUM != 0 && packed.array()? != [crc.sum() as u8, (crc.sum() >> 8) as u8] {
        return Err(Problem::Checksum("a header of gzip"));
    }
    Ok(())
}

/// Reads the extra field.
fn extra(packed: &mut Packed, crc: &mut Crc32) -> Result<(), Problem> {
    let size: [u8; 2] = packed.array()?;
    crc.update(&size);
    for _ in 0..u16::from_le_bytes(size) {
        crc.update(&[packed.byte()?]);
    }
    Ok(())
}

/// Reads a text and the zero that ends it.
fn text(packed: &mut Packed, crc: &mut Crc32) -> Result<(), Problem> {
    loop {
        let waiting = packed.fill()?;
        let end = waiting.iter().position(|&byte| byte == 0);
        let count = end.map_or(waiting.len(), |end| end.saturating_add(1));
        if count == 0 {
            return Err(Problem::Truncated);
        }
        crc.update(waiting.get(..count).unwrap_or_default());
        packed.consume(count);
        if end.is_some() {
            return Ok(());
        }
    }
}
