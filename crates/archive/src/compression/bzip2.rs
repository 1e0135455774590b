//! bzip2: streams of blocks that were sorted.

use super::decode::Decode;
use super::packed::Packed;
use super::problems::{trailing, within};
use crate::{Limits, Problem};
use ::bzip2::{Decompress, Status};

/// A decoder of bzip2.
pub(super) struct Bzip2 {
    packed: Packed,
    limits: Limits,
    stream: Option<Decompress>,
}

impl Bzip2 {
    /// Looks at the header of the first stream.
    pub(super) fn new(mut packed: Packed, limits: &Limits) -> Result<Bzip2, Problem> {
        let stream = begin(&mut packed, limits)?;
        Ok(Bzip2 { packed, limits: *limits, stream: Some(stream) })
    }
}

/// Begins a stream; its header is left to the library.
fn begin(packed: &mut Packed, limits: &Limits) -> Result<Decompress, Problem> {
    match packed.peek(4)? {
        [b'B', b'Z', b'h', level @ b'1'..=b'9', ..] => {
            // A block of so many times 100,000 bytes, with four bytes for each.
            within(limits, u64::from(level - b'0') * 400_000)?;
            Ok(Decompress::new(false))
        }
        first if b"BZh".starts_with(first) || first == b"BZh" => Err(Problem::Truncated),
        _ => Err(Problem::damaged("no stream of bzip2 begins there")),
    }
}

impl Decode for Bzip2 {
    fn decode(&mut self, buffer: &mut [u8]) -> Result<usize, Problem> {
        loop {
            let Some(stream) = &mut self.stream else {
                match self.packed.peek(3)? {
                    [] => return Ok(0),
                    [b'B', b'Z', b'h', ..] | [b'B'] | [b'B', b'Z'] => {}
                    _ => return Err(trailing()),
                }
                self.stream = Some(begin(&mut self.packed, &self.limits)?);
                continue;
            };
            let input = self.packed.fill()?;
            let is_over = input.is_empty();
            let (before, written) = (stream.total_in(), stream.total_out());
            let status = stream.decompress(input, buffer);
            let taken = stream.total_in().saturating_sub(before);
            let count = usize::try_from(stream.total_out().saturating_sub(written)).unwrap_or(usize::MAX);
            self.packed.consume(usize::try_from(taken).unwrap_or(usize::MAX));
            match status {
                Ok(Status::StreamEnd) => self.stream = None,
                Ok(Status::MemNeeded) => return Err(Problem::Memory(4 << 20)),
                Ok(_) => {}
                // The library does not tell a wrong checksum of a block from other damage.
                Err(_) => {
                    return Err(Problem::damaged(
                        "a block of bzip2 makes no sense, or its checksum is wrong",
                    ));
                }
            }
            if count > 0 {
                return Ok(count);
            }
            if self.stream.is_some() && taken == 0 {
                let stuck = Problem::damaged("a block of bzip2 does not end");
                return Err(if is_over { Problem::Truncated } else { stuck });
            }
        }
    }
}
