//! Formats that need random access. A stream is first copied to a temporary file.

use super::{OpenPath, Reader, Unusable};
use crate::Record;
use crate::format::malformed::{Bad, Malformed, Why};
use std::fs::File;
use std::io::{self, Read};
use tempfile::NamedTempFile;

/// Reads a stream through a temporary file that is private to this user. It is unlinked once it is open, so it
/// disappears with the reader, however the process ends.
///
/// # Errors
/// If copying or `open` fails.
pub(super) fn spooled<'a>(
    mut input: Box<dyn Read + 'a>,
    open: OpenPath,
) -> Result<Box<dyn Reader + 'a>, Unusable> {
    let mut copy = NamedTempFile::new().map_err(Unusable::Io)?;
    copied(&mut input, copy.as_file_mut()).map_err(Unusable::Io)?;
    open(copy.path()).map(|reader| reader as Box<dyn Reader + 'a>)
}

/// The most bytes of a stream that are copied: it could go on until the disk is full.
const MAX_STREAM: u64 = 64 << 30;

/// Copies a stream to a temporary file; returns the number of its bytes.
pub(super) fn copied(input: &mut dyn Read, copy: &mut File) -> io::Result<u64> {
    let length = io::copy(&mut input.take(MAX_STREAM + 1), copy)?;
    if length > MAX_STREAM { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(length) }
}

/// Like [`spooled`], but the returned reader reports errors as its first item.
pub(super) fn stream<'a>(input: Box<dyn Read + 'a>, open: OpenPath) -> Box<dyn Reader + 'a> {
    spooled(input, open).unwrap_or_else(failed)
}

/// Creates a reader that only reports an error.
pub(super) fn failed<'a>(unusable: Unusable) -> Box<dyn Reader + 'a> {
    Box::new(FailedReader(Some(unusable)))
}

/// A reader without records that only reports an error.
struct FailedReader(Option<Unusable>);

impl Iterator for FailedReader {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        let why = match self.0.take()? {
            Unusable::Open(source) | Unusable::Io(source) => Why::Io(source),
            other => Why::Damaged(other.into()),
        };
        Some(Err(Bad::new("file", why).at(1)))
    }
}

impl Reader for FailedReader {}
