//! Compressed lists (`SHA256SUMS.gz`, `.MTREE`): a stream is copied to a temporary file, and decoded from there.

use crate::format::document::Document;
use crate::format::read::lines::peek;
use crate::format::unusable::Unusable;
use crate::format::whole::copied;
#[cfg(feature = "archives")]
use hashmill_archive::{Compression, Limits};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};

/// A compressed file without a list in it.
pub(in crate::format) static OTHER: Document = Document {
    name: "a compressed file without a list in it",
    advice: "give the list of digests, not the file that it is about",
    is: |_| false,
};

/// The text of digests is compressed to a third, or to a hundredth where names repeat and files are equal; what grows
/// more above this number of bytes is an attack.
const FREE: u64 = 64 << 20;
const MOST_GROWTH: u64 = 200;

/// Returns whether these bytes begin as compressed ones do. LZMA alone has no certain beginning.
#[cfg(feature = "archives")]
pub(in crate::format) fn is_packed(first: &[u8]) -> bool {
    Compression::of(first).is_some_and(|compression| compression != Compression::Lzma)
}

/// Returns whether these bytes begin as gzip's.
#[cfg(not(feature = "archives"))]
pub(in crate::format) fn is_packed(first: &[u8]) -> bool {
    first.starts_with(b"\x1F\x8B\x08")
}

#[cfg(feature = "archives")]
fn decoder(first: &[u8], copy: File) -> Result<Box<dyn Read + Send>, Unusable> {
    let compression = Compression::of(first).ok_or(Unusable::Unrecognised)?;
    let text = hashmill_archive::decoder(compression, Box::new(BufReader::new(copy)), &Limits::default());
    text.map_err(|source| damaged(Box::new(source)))
}

#[cfg(not(feature = "archives"))]
fn decoder(_: &[u8], copy: File) -> Result<Box<dyn Read + Send>, Unusable> {
    Ok(Box::new(flate2::bufread::MultiGzDecoder::new(BufReader::new(copy))))
}

/// Returns the stream, decoded if it is compressed, and whether it is.
///
/// # Errors
/// If it can't be read, copied or decoded.
pub(in crate::format) fn unpacked<'a>(
    input: Box<dyn Read + 'a>,
) -> Result<(Box<dyn Read + 'a>, bool), Unusable> {
    let (first, mut input) = peek(input);
    if !is_packed(&first) {
        return Ok((input, false));
    }
    let mut copy = tempfile::tempfile().map_err(Unusable::Io)?;
    let length = copied(&mut input, &mut copy).map_err(Unusable::Io)?;
    copy.rewind().map_err(Unusable::Io)?;
    let text = decoder(&first, copy)?;
    Ok((Box::new(Bounded { text, room: FREE.saturating_add(length.saturating_mul(MOST_GROWTH)) }), true))
}

/// Returns the reason why a compressed file can't be used.
pub(in crate::format) fn reason(why: Unusable) -> Unusable {
    match why {
        Unusable::Unrecognised | Unusable::Empty => Unusable::Document(&OTHER),
        Unusable::Io(source) => damaged(Box::new(source)),
        other => other,
    }
}

fn damaged(source: Box<dyn std::error::Error + Send + Sync>) -> Unusable {
    Unusable::Foreign { what: "is compressed, and can't be unpacked", source }
}

/// A stream that fails after a number of bytes.
struct Bounded {
    text: Box<dyn Read + Send>,
    room: u64,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.text.read(buffer)?;
        self.room = self.room.checked_sub(length as u64).ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(length)
    }
}
