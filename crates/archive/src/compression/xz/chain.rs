//! Filters (section 5.3): LZMA2, and what turns its output back into content.

use super::block::no_sense;
use crate::Problem;
use crate::compression::Processor;
use crate::compression::packed::Packed;
use lzma_rust2::Lzma2Reader;
use lzma_rust2::filter::{bcj::BcjReader, delta::DeltaReader};
use std::io::{self, Read};

/// A filter before LZMA2.
pub(super) enum Filter {
    /// Differences of bytes so far apart.
    Delta(usize),
    /// Addresses in the code of a processor, from a position on.
    Addresses(Processor, usize),
}

impl Filter {
    /// Reads the properties of a filter.
    pub(super) fn parse(id: u64, properties: &[u8]) -> Result<Filter, Problem> {
        let (processor, alignment) = match id {
            0x03 => match *properties {
                [distance] => return Ok(Filter::Delta(usize::from(distance) + 1)),
                _ => return Err(no_sense()),
            },
            0x04 => (Processor::X86, 1),
            0x05 => (Processor::PowerPc, 4),
            0x06 => (Processor::Ia64, 16),
            0x07 => (Processor::Arm, 4),
            0x08 => (Processor::ArmThumb, 2),
            0x09 => (Processor::Sparc, 4),
            0x0A => (Processor::Arm64, 4),
            0x0B => (Processor::RiscV, 2),
            _ => return Err(Problem::Unsupported(format!("filter {id:#x} of xz").into())),
        };
        let start = match properties.first_chunk() {
            Some(start) if properties.len() == 4 => u32::from_le_bytes(*start),
            None if properties.is_empty() => 0,
            _ => return Err(no_sense()),
        };
        if start % alignment != 0 {
            return Err(Problem::Unsupported(format!("position {start} of filter {id:#x} of xz").into()));
        }
        Ok(Filter::Addresses(processor, usize::try_from(start).map_err(|_| no_sense())?))
    }
}

/// The filters of a block, each over the one behind it.
pub(super) enum Chain {
    Lzma2(Box<Lzma2Reader<Packed>>),
    Delta(Box<DeltaReader<Chain>>),
    Addresses(Box<BcjReader<Chain>>),
}

impl Chain {
    /// Creates the filters.
    pub(super) fn new(packed: Packed, dictionary: u32, filters: &[Filter]) -> Chain {
        let lzma2 = Chain::Lzma2(Box::new(Lzma2Reader::new(packed, dictionary, None)));
        filters.iter().rev().fold(lzma2, |inner, filter| match *filter {
            Filter::Delta(distance) => Chain::Delta(Box::new(DeltaReader::new(inner, distance))),
            Filter::Addresses(processor, start) => Chain::Addresses(Box::new(processor.reader(inner, start))),
        })
    }

    /// Reads content. No bytes mean the end.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Problem> {
        Read::read(self, buffer)
            .map_err(|error| self.packed().explain(&error, "the LZMA2 data make no sense"))
    }

    /// Returns the packed bytes.
    fn packed(&mut self) -> &mut Packed {
        match self {
            Chain::Lzma2(reader) => reader.inner_mut(),
            Chain::Delta(reader) => reader.inner_mut().packed(),
            Chain::Addresses(reader) => reader.inner_mut().packed(),
        }
    }

    /// Returns the packed bytes behind the end.
    pub(super) fn into_packed(self) -> Packed {
        match self {
            Chain::Lzma2(reader) => reader.into_inner(),
            Chain::Delta(reader) => reader.into_inner().into_packed(),
            Chain::Addresses(reader) => reader.into_inner().into_packed(),
        }
    }
}

impl Read for Chain {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Chain::Lzma2(reader) => reader.read(buffer),
            Chain::Delta(reader) => reader.read(buffer),
            Chain::Addresses(reader) => reader.read(buffer),
        }
    }
}
