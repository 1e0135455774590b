//! Files with holes: the parts of which the archive has bytes (GNU tar manual, "Storing Sparse Files").

use super::blocks::{BLOCK, BlockSource, at_most};
use super::header::{Dialect, Header};
use super::number;
use crate::Problem;

/// The offsets and lengths of parts.
pub(super) type Parts = Vec<(u64, u64)>;

/// Something of a member: the outer error ends the archive, the inner one is only of this member.
pub(super) type OfMember<T> = Result<Result<T, Problem>, Problem>;

/// The bytes of memory that a part takes.
const PART: u64 = size_of::<(u64, u64)>() as u64;

/// A file with holes, as far as it was read.
#[derive(Debug)]
pub(super) struct Expansion {
    parts: std::vec::IntoIter<(u64, u64)>,
    /// The part that is met next: its start and end.
    part: (u64, u64),
    position: u64,
    size: u64,
    /// The bytes that no part has.
    pub holes: u64,
}

impl Expansion {
    /// Creates the file of this size whose parts stand in `stored` bytes.
    ///
    /// # Errors
    /// If the parts overlap, are not in order, or are beyond the end of the file or of the bytes.
    pub(super) fn new(parts: Parts, size: u64, stored: u64) -> Result<Expansion, Problem> {
        let damaged = || Problem::damaged("the parts of a sparse file overlap or are outside of it");
        let (mut end, mut total) = (0, 0_u64);
        for &(offset, length) in &parts {
            let next = offset.checked_add(length).filter(|&next| offset >= end && next <= size);
            end = next.ok_or_else(damaged)?;
            total = total.checked_add(length).ok_or_else(damaged)?;
        }
        if total > stored {
            return Err(damaged());
        }
        // Parts that don't overlap and are within the file have no more bytes than it.
        let holes = size.saturating_sub(total);
        Ok(Expansion { parts: parts.into_iter(), part: (0, 0), position: 0, size, holes })
    }

    /// Returns the next bytes: their number if they are zeros that the archive does not have, else how many
    /// come from it.
    fn step(&mut self) -> Span {
        while self.position >= self.part.1 {
            match self.parts.next() {
                Some((offset, length)) => self.part = (offset, offset.saturating_add(length)),
                None => return Span::Zeros(self.size.saturating_sub(self.position)),
            }
        }
        match self.part.0.checked_sub(self.position) {
            Some(zeros) if zeros > 0 => Span::Zeros(zeros),
            _ => Span::Stored(self.part.1.saturating_sub(self.position)),
        }
    }

    /// Reads the next bytes, those of parts from the archive.
    ///
    /// # Errors
    /// If the archive ends before, or can't be read.
    pub(super) fn read(
        &mut self,
        stored: &mut u64,
        blocks: &mut BlockSource,
        buffer: &mut [u8],
    ) -> Result<usize, Problem> {
        let length = match self.step() {
            Span::Zeros(length) => {
                let buffer = at_most(buffer, length);
                buffer.fill(0);
                buffer.len()
            }
            Span::Stored(length) => {
                let length = blocks.read(at_most(buffer, length.min(*stored)))?;
                *stored = stored.saturating_sub(length as u64);
                length
            }
        };
        self.position = self.position.saturating_add(length as u64);
        Ok(length)
    }
}

/// The next bytes of a file with holes: how many, and from where.
enum Span {
    Zeros(u64),
    Stored(u64),
}

/// Reads the parts from a header of kind `S` and the blocks that continue it. Returns them and the size of
/// the file.
///
/// # Errors
/// If the blocks can't be read; the inner one if the parts make no sense, or take more memory than the limit.
pub(super) fn old(header: &Header, blocks: &mut BlockSource, memory: u64) -> OfMember<(Parts, u64)> {
    let (size, continued, fields) = match header.dialect() {
        Dialect::Star => (header.field(452..464), 355, header.field(356..452)),
        _ => (header.field(483..495), 482, header.field(386..482)),
    };
    let mut parts = Vec::new();
    let mut fault = add_parts(&mut parts, fields, memory).err();
    let mut is_continued = header.field(continued..continued + 1) != [0];
    while is_continued {
        let block = blocks.block()?.ok_or(Problem::Truncated)?;
        // Twenty-one parts, and whether there is a further block.
        if let (None, Some(fields)) = (&fault, block.get(..504)) {
            fault = add_parts(&mut parts, fields, memory).err();
        }
        is_continued = block.get(504).is_some_and(|&byte| byte != 0);
    }
    let size = number::field(size).and_then(|size| u64::try_from(size).ok());
    Ok(match (fault, size) {
        (None, Some(size)) => Ok((parts, size)),
        (Some(fault), _) => Err(fault),
        (None, None) => Err(damaged()),
    })
}

/// Adds the parts of a block: an offset and a length each, up to the first that is empty.
fn add_parts(parts: &mut Parts, fields: &[u8], memory: u64) -> Result<(), Problem> {
    let number = |field| number::field(field).and_then(|number| u64::try_from(number).ok());
    for field in fields.chunks_exact(24) {
        let (offset, length) = field.split_at_checked(12).ok_or_else(damaged)?;
        if length.first() == Some(&0) {
            break;
        }
        add(parts, number(offset).ok_or_else(damaged)?, number(length).ok_or_else(damaged)?, memory)?;
    }
    Ok(())
}

/// Reads the parts in format 1.0, which stand before the bytes of the file: their number, then the offset and
/// the length of each, a line each, filled up to a block. `stored` becomes less by these blocks.
///
/// # Errors
/// If they can't be read; the inner one if they make no sense, or take more memory than the limit.
pub(super) fn map(stored: &mut u64, blocks: &mut BlockSource, memory: u64) -> OfMember<Parts> {
    let mut numbers = Lines { blocks, stored, block: Vec::new().into_iter() };
    let mut count = match numbers.next()? {
        Some(count) => count,
        None => return Ok(Err(damaged())),
    };
    let mut parts = Vec::new();
    while count > 0 {
        let (Some(offset), Some(length)) = (numbers.next()?, numbers.next()?) else {
            return Ok(Err(damaged()));
        };
        if let Err(problem) = add(&mut parts, offset, length, memory) {
            return Ok(Err(problem));
        }
        count -= 1;
    }
    Ok(Ok(parts))
}

/// The lines of a map.
struct Lines<'a> {
    blocks: &'a mut BlockSource,
    stored: &'a mut u64,
    block: std::vec::IntoIter<u8>,
}

impl Lines<'_> {
    /// Reads the number in the next line; `None` if there is none.
    fn next(&mut self) -> Result<Option<u64>, Problem> {
        let mut line = Vec::new();
        loop {
            match self.byte()? {
                Some(b'\n') => return Ok(number::decimal(&line)),
                Some(byte) if line.len() < BLOCK => line.push(byte),
                _ => return Ok(None),
            }
        }
    }

    fn byte(&mut self) -> Result<Option<u8>, Problem> {
        if let Some(byte) = self.block.next() {
            return Ok(Some(byte));
        }
        let length = (*self.stored).min(BLOCK as u64);
        self.block = self.blocks.bytes(length)?.into_iter();
        *self.stored -= length;
        Ok(self.block.next())
    }
}

/// Adds a part, unless the list would take more than so much memory.
fn add(parts: &mut Parts, offset: u64, length: u64, memory: u64) -> Result<(), Problem> {
    // A vector has twice the memory while it grows.
    if parts.len() as u64 >= memory / (PART * 3) {
        return Err(Problem::TooMany("parts of a sparse file"));
    }
    parts.push((offset, length));
    Ok(())
}

fn damaged() -> Problem {
    Problem::damaged("the parts of a sparse file")
}
