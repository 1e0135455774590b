//! Methods of compression (APPNOTE 6.3.10, 4.4.5).

use crate::compression;
use crate::fields::{u16_at, u32_at};
use crate::member::part::Part;
use crate::{Compression, Limits, Problem};
use lzma_rust2::{LzmaReader, lzma_get_memory_usage_by_props};
use ppmd_rust::{Ppmd8Decoder, RestoreMethod};
use std::io::{self, BufReader, Read};

/// The method of bytes that are as they are.
pub(super) const STORED: u16 = 0;

/// The bytes that a decoder of bzip2 takes at most.
const BZIP2: u64 = 4 << 20;

/// A reader of the content, and of its packed bytes beneath.
type Decoder = Box<dyn Read + Send>;

/// Returns a reader of content that was packed by a method.
///
/// # Errors
/// If there is none for this method, or it needs more memory than the limit.
pub(super) fn decoder(
    method: u16,
    part: Part,
    size: Option<u64>,
    limits: &Limits,
) -> Result<Decoder, Problem> {
    match method {
        20 | 93 => return compressed(Compression::Zstandard, part, limits),
        95 => return compressed(Compression::Xz, part, limits),
        _ => {}
    }
    let part = BufReader::with_capacity(32 << 10, part);
    match method {
        STORED => Ok(Box::new(part)),
        8 => Ok(Box::new(flate2::bufread::DeflateDecoder::new(part))),
        9 => Ok(Box::new(deflate64::Deflate64Decoder::with_buffer(part))),
        12 if limits.memory < BZIP2 => Err(Problem::Memory(BZIP2)),
        12 => Ok(Box::new(bzip2::bufread::BzDecoder::new(part))),
        14 => lzma(part, size, limits),
        98 => ppmd(part, limits),
        _ => Err(Problem::Unsupported(name(method))),
    }
}

/// Returns whether the decoder of a method finds the end of the content by itself.
pub(super) fn has_end(method: u16) -> bool {
    !matches!(method, 14 | 98)
}

/// Returns whether members that were packed by a method can be read.
pub(super) fn is_known(method: u16) -> bool {
    matches!(method, STORED | 8 | 9 | 12 | 14 | 20 | 93 | 95 | 98)
}

/// Returns the name of a method.
pub(super) fn name(method: u16) -> Box<str> {
    let name = match method {
        0 => "the method Store",
        1 => "the method Shrink",
        2..=5 => "the method Reduce",
        6 => "the method Implode",
        7 => "the method Tokenize",
        8 => "the method Deflate",
        9 => "the method Deflate64",
        10 => "the method Implode of the PKWARE Data Compression Library",
        12 => "the method BZIP2",
        14 => "the method LZMA",
        16 => "the method CMPSC of IBM z/OS",
        18 => "the method TERSE of IBM",
        19 => "the method LZ77 of IBM z/Architecture",
        20 | 93 => "the method Zstandard",
        94 => "the method MP3",
        95 => "the method xz",
        96 => "the method JPEG",
        97 => "the method WavPack",
        98 => "the method PPMd",
        _ => return format!("the method {method}").into(),
    };
    name.into()
}

/// Opens content that is a compressed file.
fn compressed(compression: Compression, part: Part, limits: &Limits) -> Result<Decoder, Problem> {
    let faults = part.faults();
    compression::decoder(compression, Box::new(part), limits)
        .map_err(|problem| faults.take().unwrap_or_else(|| damaged(problem.into())))
}

/// Opens LZMA: a version, the length of the properties, and the properties (APPNOTE 5.8.8).
fn lzma(mut part: BufReader<Part>, size: Option<u64>, limits: &Limits) -> Result<Decoder, Problem> {
    let header: [u8; 9] = first(&mut part)?;
    if u16_at(&header, 2)? != 5 {
        return Err(Problem::damaged("the properties of LZMA are not five bytes"));
    }
    let properties = header.get(4).copied().unwrap_or(u8::MAX);
    // A dictionary that is longer than the content is never filled.
    let dictionary = u64::from(u32_at(&header, 5)?).min(size.unwrap_or(u64::MAX).max(4096));
    let dictionary = u32::try_from(dictionary).unwrap_or(u32::MAX);
    let needed = lzma_get_memory_usage_by_props(dictionary, properties).map_err(damaged)?;
    let needed = u64::from(needed) * 1024;
    if needed > limits.memory {
        return Err(Problem::Memory(needed));
    }
    let size = size.unwrap_or(u64::MAX);
    Ok(Box::new(LzmaReader::new_with_props(part, size, properties, dictionary, None).map_err(damaged)?))
}

/// Opens PPMd: the order, the memory and how a model is restored are in two bytes (APPNOTE 5.10).
fn ppmd(mut part: BufReader<Part>, limits: &Limits) -> Result<Decoder, Problem> {
    let header = u16::from_le_bytes(first(&mut part)?);
    let (order, mebibytes) = (u32::from(header & 15) + 1, u32::from((header >> 4) & 255) + 1);
    let needed = u64::from(mebibytes) << 20;
    if needed > limits.memory {
        return Err(Problem::Memory(needed));
    }
    let restore = RestoreMethod::from(header >> 12);
    if restore == RestoreMethod::Unsupported {
        return Err(Problem::damaged("PPMd restores its model in an unknown way"));
    }
    let decoder = Ppmd8Decoder::new(part, order, mebibytes << 20, restore);
    Ok(Box::new(decoder.map_err(|error| Problem::damaged(format!("PPMd: {error}")))?))
}

/// Reads the first bytes of packed content.
fn first<const N: usize>(part: &mut BufReader<Part>) -> Result<[u8; N], Problem> {
    let mut bytes = [0; N];
    match part.read_exact(&mut bytes) {
        Ok(()) => Ok(bytes),
        Err(error) => Err(part.get_ref().faults().take().unwrap_or_else(|| damaged(error))),
    }
}

/// Returns the problem of an error of a decoder itself.
pub(super) fn damaged(error: io::Error) -> Problem {
    match Problem::from(error) {
        // The archive goes on behind it.
        Problem::Truncated => Problem::damaged("packed content ends too early"),
        Problem::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => damaged(error.kind().into()),
        Problem::Io(error) => Problem::damaged(error.to_string()),
        problem => problem,
    }
}
