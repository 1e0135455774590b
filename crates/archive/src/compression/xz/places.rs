//! The places of blocks, by the indexes of their streams (section 4).

use super::block::dictionary;
use super::check::CheckType;
use super::index::number;
use super::{Footer, HEADER};
use crate::Problem;
use crate::compression::parted::FilePart;
use crate::compression::parts::Headers;
use std::collections::VecDeque;

/// The most bytes of indexes that are read before the first block is known.
const MAX_INDEXES: u64 = 64 << 10;
/// The most bytes of the header of a block.
const BLOCK_HEADER: usize = 1024;
/// The bytes that a decoder takes beside the dictionary.
const DECODER: u64 = 256 << 10;

/// The blocks of a file, one after the other, as far as its indexes can be believed before it is decoded.
pub(crate) struct BlockPlaces {
    headers: Headers,
    /// The streams that follow.
    streams: VecDeque<StreamPlace>,
    /// The records of this stream that follow.
    records: IndexRecords,
    /// The position of the next block.
    at: u64,
    check: CheckType,
}

/// The place of a stream.
#[derive(Clone, Copy)]
struct StreamPlace {
    start: u64,
    /// The position of its index.
    index: u64,
    check: CheckType,
}

/// The records of an index that follow.
#[derive(Default)]
struct IndexRecords {
    at: u64,
    left: u64,
}

impl BlockPlaces {
    /// Finds the streams, from the last to the first; none if that takes too long. A long index is believed to be
    /// that of the only stream.
    pub(crate) fn new(mut headers: Headers) -> Option<BlockPlaces> {
        let mut streams = VecDeque::new();
        let (mut end, mut left) = (headers.end(), MAX_INDEXES);
        while end > 0 {
            end = without_padding(&mut headers, end)?;
            let footer_at = end.checked_sub(HEADER as u64)?;
            let footer = Footer::parse(&headers.array(footer_at)?).ok()?;
            let check = CheckType::from_code(footer.check).ok()?;
            let index = footer_at.checked_sub(footer.index_length)?;
            let is_only = streams.is_empty() && footer.index_length > MAX_INDEXES;
            let start = if is_only {
                0
            } else {
                left = left.checked_sub(footer.index_length + HEADER as u64)?;
                start_of(&mut headers, index)?
            };
            streams.push_front(StreamPlace { start, index, check });
            end = start;
        }
        let check = streams.front()?.check;
        Some(BlockPlaces { headers, streams, records: IndexRecords::default(), at: 0, check })
    }

    /// Goes to the next stream with blocks.
    fn find_records(&mut self) -> Option<()> {
        while self.records.left == 0 {
            let stream = self.streams.pop_front()?;
            self.records = IndexRecords::begin(&mut self.headers, stream.index)?;
            self.at = stream.start.checked_add(HEADER as u64)?;
            self.check = stream.check;
        }
        Some(())
    }
}

impl Iterator for BlockPlaces {
    type Item = FilePart<CheckType>;

    fn next(&mut self) -> Option<FilePart<CheckType>> {
        self.find_records()?;
        let start = self.at;
        let end = start.checked_add(self.records.next(&mut self.headers)?)?;
        let header = self.headers.look(start, BLOCK_HEADER);
        let memory = u64::from(dictionary(header)?).saturating_add(DECODER);
        self.at = end;
        let part = FilePart { start, end, memory, setting: self.check };
        Some(part).filter(|_| end <= self.headers.end())
    }
}

impl IndexRecords {
    /// Begins to read an index.
    fn begin(headers: &mut Headers, index: u64) -> Option<IndexRecords> {
        let mut records = IndexRecords { at: index.checked_add(1)?, left: 0 };
        records.left = records.number(headers).filter(|_| headers.byte(index) == Some(0))?;
        Some(records)
    }

    /// Returns the bytes that the next block takes, with its padding.
    fn next(&mut self, headers: &mut Headers) -> Option<u64> {
        self.left = self.left.checked_sub(1)?;
        let packed = self.number(headers).filter(|packed| *packed > 0)?;
        self.number(headers)?;
        packed.checked_next_multiple_of(4)
    }

    /// Reads a number.
    fn number(&mut self, headers: &mut Headers) -> Option<u64> {
        let byte = || {
            let byte = headers.byte(self.at).ok_or(Problem::Truncated)?;
            self.at = self.at.saturating_add(1);
            Ok(byte)
        };
        number(byte).ok()
    }
}

/// Returns the start of the stream whose index is here.
fn start_of(headers: &mut Headers, index: u64) -> Option<u64> {
    let mut records = IndexRecords::begin(headers, index)?;
    let mut start = index.checked_sub(HEADER as u64)?;
    while records.left > 0 {
        start = start.checked_sub(records.next(headers)?)?;
    }
    Some(start)
}

/// Returns the end of the stream before padding.
fn without_padding(headers: &mut Headers, end: u64) -> Option<u64> {
    let looked = end.min(BLOCK_HEADER as u64);
    let last = headers.look(end.checked_sub(looked)?, usize::try_from(looked).ok()?);
    let zeros = last.iter().rev().take_while(|byte| **byte == 0).count() as u64;
    // A footer ends with other bytes.
    end.checked_sub(zeros).filter(|_| zeros < looked && zeros.is_multiple_of(4))
}
