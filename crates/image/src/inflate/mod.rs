//! Decompression into buffers of bounded size.

pub(crate) mod zstd;

use crate::bytes::le::u32_at;

use libdeflater::{DecompressionError, Decompressor};
use zstd_safe::DCtx;

/// The reason why decompression failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The stream is invalid or ends early.
    Corrupt,
    /// All bytes were decompressed, but the checksum is wrong.
    Checksum,
    TooLong,
    /// The stream has less bytes than its head.
    Outside,
}

/// The compression of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    /// A raw deflate stream (RFC 1951).
    Deflate,
    /// A zlib stream (RFC 1950) after twelve bytes, of which the last four are its length: a grain of VMDK.
    Grain,
    /// A Zstandard frame (RFC 8878).
    Zstd,
    /// A zlib stream (RFC 1950), or a raw deflate stream.
    Zlib,
    /// A block of Snappy, without a frame.
    Snappy,
    /// A block of LZ4, without a frame; some writers put its length before it.
    Lz4,
}

/// Returns the compressed bytes of a grain, which follow their length.
fn grain(bytes: &[u8]) -> Result<&[u8], Failure> {
    let (head, rest) = bytes.split_at_checked(12).ok_or(Failure::Outside)?;
    rest.get(..u32_at(head, 8) as usize).ok_or(Failure::TooLong)
}

/// A decompressor; keep one for each thread.
pub(crate) struct Inflater {
    zlib: Decompressor,
    zstd: Option<DCtx<'static>>,
    snappy: snap::raw::Decoder,
}

impl Inflater {
    pub(crate) fn new() -> Self {
        Inflater { zlib: Decompressor::new(), zstd: None, snappy: snap::raw::Decoder::new() }
    }

    /// Decompresses a zlib stream (RFC 1950), ignoring bytes after it. Returns the output's length.
    pub(crate) fn zlib(&mut self, packed: &[u8], plain: &mut [u8]) -> Result<usize, Failure> {
        match self.zlib.zlib_decompress(packed, plain) {
            Ok(length) => Ok(length),
            Err(DecompressionError::InsufficientSpace) => Err(Failure::TooLong),
            Err(DecompressionError::BadData) => Err(self.cause(packed, plain)),
        }
    }

    /// Decompresses a raw deflate stream (RFC 1951), ignoring bytes after it. Returns the output's length.
    fn deflate(&mut self, packed: &[u8], plain: &mut [u8]) -> Result<usize, Failure> {
        self.zlib.deflate_decompress(packed, plain).map_err(|error| match error {
            DecompressionError::InsufficientSpace => Failure::TooLong,
            DecompressionError::BadData => Failure::Corrupt,
        })
    }

    /// Decompresses a Zstandard frame (RFC 8878), ignoring bytes after it. Returns the output's length.
    fn zstd(&mut self, packed: &[u8], plain: &mut [u8]) -> Result<usize, Failure> {
        zstd::unpack(&mut self.zstd, packed, plain)
    }

    /// Decompresses a zlib stream, or a raw deflate stream if it has no header of zlib.
    fn zlib_or_deflate(&mut self, packed: &[u8], plain: &mut [u8]) -> Result<usize, Failure> {
        match packed {
            [one, two, ..] if one & 15 == 8 && u16::from_be_bytes([*one, *two]).is_multiple_of(31) => {
                self.zlib(packed, plain)
            }
            _ => self.deflate(packed, plain),
        }
    }

    /// Decompresses a block of Snappy. Returns the output's length.
    fn snappy(&mut self, packed: &[u8], plain: &mut [u8]) -> Result<usize, Failure> {
        match snap::raw::decompress_len(packed) {
            Ok(length) if length > plain.len() => Err(Failure::TooLong),
            Ok(_) => self.snappy.decompress(packed, plain).map_err(|_| Failure::Corrupt),
            Err(_) => Err(Failure::Corrupt),
        }
    }

    /// Decompresses a block of LZ4 of the buffer's length, or one that begins with its length in four bytes.
    fn lz4(&mut self, packed: &[u8], plain: &mut [u8]) -> Result<usize, Failure> {
        let bare = lz4_flex::block::decompress_into(packed, plain);
        match (bare, packed.split_first_chunk::<4>()) {
            (Ok(length), _) if length == plain.len() => Ok(length),
            (bare, Some((stated, block))) => {
                let room = usize::try_from(u32::from_le_bytes(*stated)).ok();
                let place = room.and_then(|room| plain.get_mut(..room)).filter(|place| !place.is_empty());
                let headed = place.map(|place| (place.len(), lz4_flex::block::decompress_into(block, place)));
                match (headed, bare) {
                    (Some((wanted, Ok(length))), _) if length == wanted => Ok(length),
                    // The second try wrote into the buffer, too.
                    (_, Ok(_)) => {
                        lz4_flex::block::decompress_into(packed, plain).map_err(|_| Failure::Corrupt)
                    }
                    (_, Err(_)) => Err(Failure::Corrupt),
                }
            }
            (bare, None) => bare.map_err(|_| Failure::Corrupt),
        }
    }

    /// Decompresses a block. Returns the output's length.
    pub(crate) fn unpack(
        &mut self,
        packing: Packing,
        packed: &[u8],
        plain: &mut [u8],
    ) -> Result<usize, Failure> {
        match packing {
            Packing::Deflate => self.deflate(packed, plain),
            Packing::Zlib => self.zlib_or_deflate(packed, plain),
            Packing::Zstd => self.zstd(packed, plain),
            Packing::Snappy => self.snappy(packed, plain),
            Packing::Lz4 => self.lz4(packed, plain),
            Packing::Grain => self.zlib(grain(packed)?, plain),
        }
    }

    /// Returns whether the stream is corrupt, or only the checksum at its end is wrong.
    fn cause(&mut self, packed: &[u8], plain: &mut [u8]) -> Failure {
        let headed = packed.len() > 6
            && packed[0] & 15 == 8
            && u16::from_be_bytes([packed[0], packed[1]]).is_multiple_of(31);
        let body = packed.get(2..).filter(|_| headed).unwrap_or_default();
        match self.zlib.deflate_decompress(body, plain) {
            Ok(_) => Failure::Checksum,
            Err(_) => Failure::Corrupt,
        }
    }

    /// Decompresses a bzip2 stream, ignoring bytes after it. Returns the output's length.
    pub(crate) fn bzip2(&mut self, packed: &[u8], plain: &mut [u8]) -> Result<usize, Failure> {
        let mut stream = bzip2::Decompress::new(false);
        loop {
            let (used, given) = (stream.total_in() as usize, stream.total_out() as usize);
            // With a full buffer, one extra byte of room shows whether the stream ends there.
            let mut over = [0];
            let full = given >= plain.len();
            let room = if full { &mut over[..] } else { &mut plain[given..] };
            match stream.decompress(&packed[used..], room) {
                Ok(bzip2::Status::StreamEnd) if stream.total_out() as usize <= plain.len() => {
                    return Ok(stream.total_out() as usize);
                }
                Ok(_) if stream.total_out() as usize > plain.len() => return Err(Failure::TooLong),
                Ok(_) if stream.total_in() as usize > used || stream.total_out() as usize > given => {}
                _ => return Err(Failure::Corrupt),
            }
        }
    }

    /// Decompresses a zlib stream of unknown length, up to `most` bytes.
    pub(crate) fn zlib_text(&mut self, packed: &[u8], most: usize) -> Result<Vec<u8>, Failure> {
        self.text(packed, most, Self::zlib)
    }

    /// Decompresses a raw deflate stream of unknown length, up to `most` bytes.
    pub(crate) fn deflate_text(&mut self, packed: &[u8], most: usize) -> Result<Vec<u8>, Failure> {
        self.text(packed, most, Self::deflate)
    }

    /// Decompresses a bzip2 stream of unknown length, up to `most` bytes.
    pub(crate) fn bzip2_text(&mut self, packed: &[u8], most: usize) -> Result<Vec<u8>, Failure> {
        self.text(packed, most, Self::bzip2)
    }

    fn text(
        &mut self,
        packed: &[u8],
        most: usize,
        unpack: impl Fn(&mut Self, &[u8], &mut [u8]) -> Result<usize, Failure>,
    ) -> Result<Vec<u8>, Failure> {
        let mut plain = vec![0; (packed.len() * 4 + 4096).min(most)];
        loop {
            match unpack(self, packed, &mut plain) {
                Ok(length) => {
                    plain.truncate(length);
                    return Ok(plain);
                }
                Err(Failure::TooLong) if plain.len() < most => plain.resize((plain.len() * 4).min(most), 0),
                Err(failure) => return Err(failure),
            }
        }
    }
}

impl std::fmt::Debug for Inflater {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Inflater")
    }
}
