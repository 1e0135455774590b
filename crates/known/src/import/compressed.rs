//! Lists that gzip or another program compressed.

use super::beginning::beginning;
use super::content::{ImportFormat, recognise};
use super::intake::Intake;
use super::text;
use crate::error::{Error, Why};
use hashmill_archive::{Compression, Limits, decoder};
use hashmill_os::SharedFile;
use std::io::{self, Read};

/// The number of bytes that a file may always unpack to.
pub(super) const LEAST_UNPACKED: u64 = 256 << 20;

/// A file may also unpack to this many times its size. Archives of the NSRL unpack to ten times theirs.
pub(super) const RATIO: u64 = 64;

/// Imports a compressed list.
pub(super) fn import(file: &SharedFile, intake: &mut Intake<'_>) -> Result<(), Error> {
    let path = intake.path.clone();
    let length = file.length().map_err(Error::io(&path, "read"))?;
    let most = intake.unpacked().unwrap_or(length.saturating_mul(RATIO).max(LEAST_UNPACKED));
    let stream = decoded(Box::new(file.again()), most).map_err(Error::io(&path, "read"))?;
    let (first, stream) = beginning(stream).map_err(Error::io(&path, "read"))?;
    // The name of what was compressed.
    let name = path.with_extension("");
    intake.take_name(&name);
    match recognise(&first, intake.column.as_deref()) {
        ImportFormat::Sqlite | ImportFormat::Zip | ImportFormat::Compressed => {
            Err(Error::new(&path, Why::Nested))
        }
        content => text::import(content, stream, intake, Some(&name)),
    }
}

/// Returns a reader of what was compressed, which fails behind this many bytes.
pub(super) fn decoded(mut packed: Box<dyn Read + Send>, most: u64) -> io::Result<Box<dyn Read + Send>> {
    let mut first = Vec::new();
    (&mut packed).take(Compression::FIRST as u64).read_to_end(&mut first)?;
    let other = || io::Error::other("is not compressed in a known form");
    let compression = Compression::of(&first).ok_or_else(other)?;
    let packed = Box::new(io::Cursor::new(first).chain(packed));
    let stream = decoder(compression, packed, &Limits::default()).map_err(io::Error::other)?;
    Ok(Box::new(Bounded { stream, left: most, most }))
}

/// A stream that fails behind a number of bytes.
struct Bounded {
    stream: Box<dyn Read + Send>,
    left: u64,
    most: u64,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(buffer)?;
        let most = self.most;
        let over = || io::Error::other(format!("unpacks to more than the {most} bytes that are allowed"));
        self.left = self.left.checked_sub(read as u64).ok_or_else(over)?;
        Ok(read)
    }
}
