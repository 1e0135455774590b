//! Decompresses the bytes of one object after the other.

use super::{PackFault, PackReader};
use flate2::{Decompress, FlushDecompress, Status};
use hashmill_digest::Crc32;
use std::ops::Range;

/// The bytes that are read and decompressed at a time.
const PART: usize = 64 << 10;

/// A decompressor and its buffers, which are used again for each object.
pub(super) struct Inflater {
    zlib: Decompress,
    input: Vec<u8>,
    output: Vec<u8>,
}

impl Inflater {
    pub fn new() -> Inflater {
        Inflater { zlib: Decompress::new(true), input: vec![0; PART], output: vec![0; PART] }
    }

    /// Decompresses an object of this size, which takes this part of the pack and has a head of so many bytes. Returns
    /// the checksum of the part.
    pub fn run(
        &mut self,
        reader: &dyn PackReader,
        part: Range<u64>,
        mut head: usize,
        size: u64,
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<u32, PackFault> {
        self.zlib.reset(true);
        let (mut crc, mut at, mut ended) = (Crc32::new(), part.start, false);
        while at < part.end {
            let length = PART.min(usize::try_from(part.end - at).unwrap_or(PART));
            reader.read(&mut self.input[..length], at).map_err(PackFault::Unreadable)?;
            crc.update(&self.input[..length]);
            at += length as u64;
            let skipped = head.min(length);
            head -= skipped;
            ended = self.feed(skipped..length, ended, size, take)?;
        }
        match self.zlib.total_out() {
            total if ended && total == size => Ok(crc.sum()),
            _ => Err(PackFault::Damaged("is shorter than its head says")),
        }
    }

    /// Decompresses a part of the input, and returns whether the end was reached.
    fn feed(
        &mut self,
        mut input: Range<usize>,
        mut ended: bool,
        size: u64,
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, PackFault> {
        loop {
            if ended {
                let rest = PackFault::Damaged("has bytes after its end");
                return if input.is_empty() { Ok(true) } else { Err(rest) };
            }
            let (read, made) = (self.zlib.total_in(), self.zlib.total_out());
            let status =
                self.zlib.decompress(&self.input[input.clone()], &mut self.output, FlushDecompress::None);
            let status = status.map_err(|_| PackFault::Damaged("is not well compressed"))?;
            let made = (self.zlib.total_out() - made) as usize;
            input.start += (self.zlib.total_in() - read) as usize;
            if self.zlib.total_out() > size {
                return Err(PackFault::Damaged("is longer than its head says"));
            }
            take(&self.output[..made]);
            ended = status == Status::StreamEnd;
            // A full buffer may be followed by more.
            if !ended && input.is_empty() && made < self.output.len() {
                return Ok(false);
            }
            if !ended && made == 0 && status == Status::BufError {
                return Err(PackFault::Damaged("is not well compressed"));
            }
        }
    }
}
