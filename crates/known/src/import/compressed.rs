//! Lists that gzip or another program compressed.

use super::beginning::beginning;
use super::content::{ImportFormat, recognise};
use super::intake::Intake;
use super::text;
use crate::error::{Error, Why};
use hashmill_archive::{Compression, Limits, decoder};
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of bytes that a file may always unpack to.
pub(super) const LEAST_UNPACKED: u64 = 256 << 20;

/// A file may also unpack to this many times its size. Archives of the NSRL unpack to ten times theirs.
pub(super) const RATIO: u64 = 64;

/// Imports a compressed list, also from a pipe.
pub(super) fn import(packed: Box<dyn Read + Send>, intake: &mut Intake<'_>) -> Result<(), Error> {
    let path = intake.path.clone();
    let stream = decoded(packed, intake.unpacked()).map_err(Error::io(&path, "read"))?;
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

/// Returns a reader of what was compressed, which fails behind this many bytes; without a number, behind many times the bytes
/// that it was unpacked from.
pub(super) fn decoded(packed: Box<dyn Read + Send>, most: Option<u64>) -> io::Result<Box<dyn Read + Send>> {
    let taken = Arc::<AtomicU64>::default();
    let mut packed = Counted { stream: packed, taken: Arc::clone(&taken) };
    let mut first = Vec::new();
    (&mut packed).take(Compression::FIRST as u64).read_to_end(&mut first)?;
    let other = || io::Error::other("is not compressed in a known form");
    let compression = Compression::of(&first).ok_or_else(other)?;
    let packed = Box::new(io::Cursor::new(first).chain(packed));
    let stream = decoder(compression, packed, &Limits::default()).map_err(io::Error::other)?;
    Ok(Box::new(Bounded { stream, read: 0, most, taken }))
}

/// A stream that counts its bytes.
struct Counted {
    stream: Box<dyn Read + Send>,
    taken: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(buffer)?;
        self.taken.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// A stream that fails behind a number of bytes.
struct Bounded {
    stream: Box<dyn Read + Send>,
    read: u64,
    most: Option<u64>,
    /// The number of bytes that it was unpacked from.
    taken: Arc<AtomicU64>,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(buffer)?;
        self.read += read as u64;
        let by_ratio = || self.taken.load(Ordering::Relaxed).saturating_mul(RATIO).max(LEAST_UNPACKED);
        let most = self.most.unwrap_or_else(by_ratio);
        if self.read > most {
            return Err(io::Error::other(format!("unpacks to more than the {most} bytes that are allowed")));
        }
        Ok(read)
    }
}
