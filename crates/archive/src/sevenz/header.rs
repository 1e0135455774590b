//! The header of an archive, which may be compressed as a block of its own.

use super::decode::decode;
use super::entries::{self, FileEntry};
use super::input::Input;
use super::start::{LENGTH, Start};
use super::streams::Streams;
use crate::{Limits, Medium, Problem};
use hashmill_digest::Crc32;
use std::io::Read;
use std::sync::Arc;

/// The numbers of properties.
const END: u64 = 0;
const HEADER: u64 = 1;
const ARCHIVE_PROPERTIES: u64 = 2;
const ADDITIONAL_STREAMS: u64 = 3;
const MAIN_STREAMS: u64 = 4;
const FILES: u64 = 5;
const ENCODED_HEADER: u64 = 23;

/// The most headers that are compressed in each other. Programs write one.
const NESTED: usize = 4;

/// The content of an archive, as its header has it.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// The header itself, which has the names.
    pub(super) header: Vec<u8>,
    /// The position from which those of packed streams are counted.
    pub(super) base: u64,
    pub(super) streams: Streams,
    pub(super) entries: Vec<FileEntry>,
}

/// Reads the header of the archive that begins at a position.
pub(super) fn read(medium: &Arc<dyn Medium>, position: u64, limits: &Limits) -> Result<Contents, Problem> {
    let start = Start::read(&**medium, position)?;
    let base = position.checked_add(LENGTH as u64).ok_or(Problem::Truncated)?;
    if start.size == 0 {
        return Ok(Contents { base, ..Contents::default() });
    }
    let mut header = stored(&**medium, base, &start, limits)?;
    for _ in 0..NESTED {
        let mut input = Input::new(&header, limits);
        match input.number()? {
            HEADER => {
                let (streams, entries) = contents(&mut input)?;
                return Ok(Contents { header, base, streams, entries });
            }
            ENCODED_HEADER => {
                let streams = Streams::read(&mut input)?;
                match decoded(medium, base, &streams, limits)? {
                    Some(decoded) => header = decoded,
                    None => return Ok(Contents { base, ..Contents::default() }),
                }
            }
            other => return Err(Problem::damaged(format!("the header begins with property {other}"))),
        }
    }
    Err(Problem::TooMany("headers in each other"))
}

/// Returns the header as it is stored.
fn stored(medium: &dyn Medium, base: u64, start: &Start, limits: &Limits) -> Result<Vec<u8>, Problem> {
    let position = base.checked_add(start.offset).ok_or(Problem::Truncated)?;
    if position.checked_add(start.size).is_none_or(|end| end > medium.size()) {
        return Err(Problem::Truncated);
    }
    let size = usize::try_from(start.size).ok().filter(|_| start.size <= limits.memory);
    let mut header = vec![0; size.ok_or(Problem::Memory(start.size))?];
    medium.read_at(position, &mut header)?;
    if Crc32::sum_of(&header) != start.crc { Err(Problem::Checksum("the header")) } else { Ok(header) }
}

/// Returns the header in the only block of some streams; none if there is no block.
fn decoded(
    medium: &Arc<dyn Medium>,
    base: u64,
    streams: &Streams,
    limits: &Limits,
) -> Result<Option<Vec<u8>>, Problem> {
    let block = match &*streams.blocks {
        [] => return Ok(None),
        [block] => block,
        _ => return Err(Problem::damaged("the header has many blocks")),
    };
    if let Some(problem) = block.problem(limits) {
        return Err(problem);
    }
    if block.size() > limits.memory {
        return Err(Problem::Memory(block.size()));
    }
    let mut decoded = decode(medium, base, block, streams.packs_of(block), limits)?;
    let mut header = Vec::new();
    let read = (&mut decoded.reader).take(block.size()).read_to_end(&mut header);
    read.map_err(|error| decoded.explain(error))?;
    if header.len() as u64 != block.size() {
        return Err(Problem::damaged("the header is shorter than stated"));
    }
    let is_right = block.crc.is_none_or(|crc| crc == Crc32::sum_of(&header));
    if is_right { Ok(Some(header)) } else { Err(Problem::Checksum("the header")) }
}

/// Reads what a header has: the blocks and the members.
fn contents(input: &mut Input<'_>) -> Result<(Streams, Vec<FileEntry>), Problem> {
    let (mut streams, mut entries) = (Streams::default(), Vec::new());
    loop {
        match input.number()? {
            END => break,
            ARCHIVE_PROPERTIES => {
                while input.number()? != END {
                    input.pass_over()?;
                }
            }
            ADDITIONAL_STREAMS => drop(Streams::read(input)?),
            MAIN_STREAMS => streams = Streams::read(input)?,
            // A list can be long in few bytes, so that many would take long.
            FILES if entries.is_empty() => entries = entries::read(input)?,
            other => return Err(Problem::damaged(format!("the header has property {other} there"))),
        }
    }
    let with_content = entries.iter().filter(|entry| entry.has_content).count();
    if with_content > streams.parts.len() {
        return Err(Problem::damaged("there are more members than content"));
    }
    Ok((streams, entries))
}
