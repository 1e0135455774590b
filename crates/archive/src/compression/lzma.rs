//! LZMA alone: the `.lzma` files from before xz.

use super::decode::Decode;
use super::packed::Packed;
use super::problems::{trailing, within};
use crate::fields::{u32_at, u64_at};
use crate::{Limits, Problem};
use lzma_rust2::{DICT_SIZE_MAX, DICT_SIZE_MIN, LzmaReader};
use std::io::Read;

/// The properties of LZMA: how many bits of what choose a probability.
pub(super) struct Properties {
    pub(super) literal_context: u32,
    pub(super) literal_position: u32,
    pub(super) position: u32,
}

/// LZMA data on their way from the packed bytes to content.
pub(super) struct Stream(LzmaReader<Packed>);

impl Stream {
    /// Begins LZMA data with a size, or none if a marker ends them.
    pub(super) fn new(
        mut packed: Packed,
        size: Option<u64>,
        properties: &Properties,
        dictionary: u32,
        limits: &Limits,
    ) -> Result<Stream, Problem> {
        let literals = 0x600 << (properties.literal_context + properties.literal_position);
        let dictionary = dictionary.clamp(DICT_SIZE_MIN, DICT_SIZE_MAX);
        within(limits, u64::from(dictionary) + literals)?;
        // The library reads the first five bytes at once, and would lose an error of the source.
        if packed.peek(5)?.len() < 5 {
            return Err(Problem::Truncated);
        }
        let Properties { literal_context, literal_position, position } = *properties;
        let size = size.unwrap_or(u64::MAX);
        LzmaReader::new(packed, size, literal_context, literal_position, position, dictionary, None)
            .map(|mut reader| {
                reader.set_relaxed_end_condition(false);
                reader.set_defer_errors(true);
                Stream(reader)
            })
            .map_err(|_| Problem::damaged("LZMA data don't begin there"))
    }

    /// Reads content. No bytes mean the end.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Problem> {
        let read = self.0.read(buffer);
        read.map_err(|error| self.0.inner_mut().explain(&error, "the LZMA data make no sense"))
    }

    /// Returns the packed bytes behind the end.
    pub(super) fn into_packed(self) -> Packed {
        let (mut packed, unused) = self.0.into_parts();
        packed.put_back(&unused);
        packed
    }
}

/// A decoder of LZMA alone.
pub(super) struct Lzma(Part);

/// The part of the file that comes next.
enum Part {
    Content(Box<Stream>),
    End(Packed),
    /// Nothing, as an error came before.
    Lost,
}

impl Lzma {
    /// Reads the header: the properties, the size of the dictionary, and the size of the content.
    pub(super) fn new(mut packed: Packed, limits: &Limits) -> Result<Lzma, Problem> {
        let header: [u8; 13] = packed.array()?;
        let [byte, ..] = header;
        if byte >= 225 {
            return Err(Problem::damaged("the properties of LZMA make no sense"));
        }
        let properties = Properties {
            literal_context: u32::from(byte % 9),
            literal_position: u32::from(byte / 9 % 5),
            position: u32::from(byte / 45),
        };
        let size = Some(u64_at(&header, 5)?).filter(|&size| size != u64::MAX);
        // No match reaches back farther than the content is long.
        let most = size.and_then(|size| u32::try_from(size).ok()).unwrap_or(u32::MAX);
        let dictionary = u32_at(&header, 1)?.min(most);
        let stream = Stream::new(packed, size, &properties, dictionary, limits)?;
        Ok(Lzma(Part::Content(Box::new(stream))))
    }
}

impl Decode for Lzma {
    fn decode(&mut self, buffer: &mut [u8]) -> Result<usize, Problem> {
        if let Part::Content(stream) = &mut self.0 {
            let count = stream.read(buffer)?;
            if count > 0 {
                return Ok(count);
            }
        }
        self.0 = match std::mem::replace(&mut self.0, Part::Lost) {
            Part::Content(stream) => Part::End(stream.into_packed()),
            other => other,
        };
        let Part::End(packed) = &mut self.0 else { return Err(trailing()) };
        if packed.is_at_end()? { Ok(0) } else { Err(trailing()) }
    }
}
