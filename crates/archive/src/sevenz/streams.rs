//! The blocks of an archive, and the lengths and checksums of what lies in them ("StreamsInfo").

use super::block::{self, CoderBlock};
use super::input::Input;
use crate::Problem;
use std::iter;

/// The numbers of properties.
const END: u64 = 0;
const PACK_INFO: u64 = 6;
const UNPACK_INFO: u64 = 7;
const SUB_STREAMS: u64 = 8;
const SIZE: u64 = 9;
const CRC: u64 = 10;
const FOLDER: u64 = 11;
const UNPACK_SIZE: u64 = 12;
const UNPACK_STREAMS: u64 = 13;

/// The blocks of an archive.
#[derive(Debug, Default)]
pub(super) struct Streams {
    /// The packed streams, one behind the other.
    pub(super) packs: Vec<Pack>,
    pub(super) blocks: Vec<CoderBlock>,
    /// The content of members, in the order of the blocks.
    pub(super) parts: Vec<Part>,
}

/// The place of a packed stream, counted from the end of the header at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pack {
    pub(super) offset: u64,
    pub(super) size: u64,
}

/// The content of a member in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) size: u64,
    pub(super) crc: Option<u32>,
}

impl Streams {
    /// Reads the blocks of an archive, and the end of the property.
    pub(super) fn read(input: &mut Input<'_>) -> Result<Streams, Problem> {
        let mut streams = Streams::default();
        let mut property = input.number()?;
        if property == PACK_INFO {
            streams.read_packs(input)?;
            property = input.number()?;
        }
        if property == UNPACK_INFO {
            streams.read_blocks(input)?;
            property = input.number()?;
        }
        if property == SUB_STREAMS {
            streams.read_parts(input)?;
            property = input.number()?;
        } else {
            streams.parts =
                streams.blocks.iter().map(|block| Part { size: block.size(), crc: block.crc }).collect();
        }
        match property {
            END => Ok(streams),
            other => Err(Problem::damaged(format!("the header has property {other} behind the blocks"))),
        }
    }

    /// Reads the places of packed streams.
    fn read_packs(&mut self, input: &mut Input<'_>) -> Result<(), Problem> {
        let mut offset = input.number()?;
        let count = input.count(size_of::<Pack>(), "packed streams")?;
        input.expect(SIZE)?;
        for _ in 0..count {
            let size = input.number()?;
            self.packs.push(Pack { offset, size });
            offset =
                offset.checked_add(size).ok_or_else(|| Problem::damaged("packed streams are too long"))?;
        }
        loop {
            match input.number()? {
                END => return Ok(()),
                // Nothing writes them, and those of members say more.
                CRC => input.checksums(count).map(|_| ())?,
                _ => input.pass_over()?,
            }
        }
    }

    /// Reads blocks.
    fn read_blocks(&mut self, input: &mut Input<'_>) -> Result<(), Problem> {
        input.expect(FOLDER)?;
        let count = input.count(block::MEMORY, "blocks")?;
        if input.byte()? != 0 {
            return Err(Problem::Unsupported("a 7z archive with blocks that are listed elsewhere".into()));
        }
        let (mut first_pack, mut coders) = (0_usize, 0_u64);
        for _ in 0..count {
            let block = CoderBlock { first_pack, ..CoderBlock::read(input)? };
            first_pack = first_pack.saturating_add(block.packs);
            coders = coders.saturating_add(block.coders.len() as u64);
            input.check_memory(coders, block::CODER_MEMORY)?;
            self.blocks.push(block);
        }
        if first_pack > self.packs.len() {
            return Err(Problem::damaged("there are too few packed streams"));
        }
        input.expect(UNPACK_SIZE)?;
        for coder in self.blocks.iter_mut().flat_map(|block| &mut block.coders) {
            coder.size = input.number()?;
        }
        self.read_block_checksums(input)
    }

    fn read_block_checksums(&mut self, input: &mut Input<'_>) -> Result<(), Problem> {
        loop {
            match input.number()? {
                END => return Ok(()),
                CRC => {
                    let checksums = input.checksums(self.blocks.len())?;
                    for (block, crc) in self.blocks.iter_mut().zip(checksums) {
                        block.crc = crc;
                    }
                }
                _ => input.pass_over()?,
            }
        }
    }

    /// Reads the lengths and checksums of what lies in each block. A block has one member unless another number is
    /// stated.
    fn read_parts(&mut self, input: &mut Input<'_>) -> Result<(), Problem> {
        let mut property = input.number()?;
        if property == UNPACK_STREAMS {
            self.read_counts(input)?;
            property = input.number()?;
        }
        let has_sizes = property == SIZE;
        self.parts = self.sizes(has_sizes.then_some(&mut *input))?;
        if has_sizes {
            property = input.number()?;
        }
        if property == CRC {
            self.read_part_checksums(input)?;
            property = input.number()?;
        }
        while property != END {
            input.pass_over()?;
            property = input.number()?;
        }
        Ok(())
    }

    /// Reads the number of members of each block. Each of them but the last has a length, which takes a byte at
    /// least.
    fn read_counts(&mut self, input: &mut Input<'_>) -> Result<(), Problem> {
        let mut sum = 0_u64;
        for block in &mut self.blocks {
            let count = input.number()?;
            sum = sum.saturating_add(count.saturating_sub(1));
            input.bound(sum, size_of::<Part>(), "members")?;
            block.parts = usize::try_from(count).map_err(|_| Problem::TooMany("members"))?;
        }
        Ok(())
    }

    /// Reads the length of each member but the last of a block, which has the rest of it.
    fn sizes(&self, mut input: Option<&mut Input<'_>>) -> Result<Vec<Part>, Problem> {
        let mut parts = Vec::new();
        for block in &self.blocks {
            let mut left = block.size();
            for _ in 1..block.parts {
                let input = input.as_mut().ok_or_else(|| Problem::damaged("members have no lengths"))?;
                let size = input.number()?;
                left = left
                    .checked_sub(size)
                    .ok_or_else(|| Problem::damaged("members are longer than their block"))?;
                parts.push(Part { size, crc: None });
            }
            let last = Part { size: left, crc: block.crc.filter(|_| block.parts == 1) };
            parts.extend(iter::repeat_n(last, block.parts.min(1)));
        }
        Ok(parts)
    }

    /// Reads the checksums of members that do not have the one of their block.
    fn read_part_checksums(&mut self, input: &mut Input<'_>) -> Result<(), Problem> {
        let mut missing: Vec<&mut Part> = self.parts.iter_mut().filter(|part| part.crc.is_none()).collect();
        let checksums = input.checksums(missing.len())?;
        for (part, crc) in missing.iter_mut().zip(checksums) {
            part.crc = crc;
        }
        Ok(())
    }

    /// Returns the packed streams of a block.
    pub(super) fn packs_of(&self, block: &CoderBlock) -> &[Pack] {
        let end = block.first_pack.saturating_add(block.packs);
        self.packs.get(block.first_pack..end).unwrap_or_default()
    }
}
