//! The tables of archives: how each is recognised and opened.
//!
//! To add one: a folder with a type that implements [`Members`] or [`Directory`], a row here, and a fuzz target.

use crate::{Archive, Limits, Members, Problem, Recognition, ar, cpio, rpm, sevenz, tar, zip};
use hashmill_disk::Medium;
use std::io::Read;
use std::sync::Arc;

/// A way to recognise and open an archive that is read at any position.
#[derive(Debug)]
pub struct ArchiveFormat {
    /// The name of the format in records.
    pub name: &'static str,
    /// Returns whether the bytes look like it.
    pub recognizes: fn(&dyn Medium) -> Recognition,
    /// Opens it.
    pub open: OpenArchive,
}

/// A way to recognise and open an archive that is read from its start to its end.
#[derive(Debug)]
pub struct StreamFormat {
    /// The name of the format in records.
    pub name: &'static str,
    /// Returns whether bytes that begin so, with [`StreamFormat::FIRST`] bytes if there are that many, look like it.
    pub recognizes: fn(&[u8]) -> bool,
    /// Whether all bytes up to the end are read, and others than members are told.
    pub reaches_end: bool,
    /// Opens it.
    pub open: OpenStream,
}

/// A function that opens an archive at any position.
pub type OpenArchive = fn(Arc<dyn Medium>, &Limits) -> Result<Archive, Problem>;

/// A function that opens an archive from its start.
pub type OpenStream = fn(Box<dyn Read + Send>, &Limits) -> Result<Box<dyn Members>, Problem>;

impl StreamFormat {
    /// The bytes that it takes to recognise every format.
    pub const FIRST: usize = 512;
}

/// The archives that are read at any position, in the order in which they are tried.
pub static ARCHIVES: &[ArchiveFormat] = &[
    ArchiveFormat { name: "zip", recognizes: zip::recognizes, open: zip::open },
    ArchiveFormat { name: "7z", recognizes: sevenz::recognizes, open: sevenz::open },
];

/// The archives that are read from their start to their end.
pub static STREAMS: &[StreamFormat] = &[
    StreamFormat { name: "tar", recognizes: tar::recognizes, reaches_end: false, open: tar::open },
    StreamFormat { name: "cpio", recognizes: cpio::recognizes, reaches_end: true, open: cpio::open },
    StreamFormat { name: "ar", recognizes: ar::recognizes, reaches_end: true, open: ar::open },
    StreamFormat { name: "rpm", recognizes: rpm::recognizes, reaches_end: true, open: rpm::open },
];

/// Returns the formats of archives that are read at any position and recognise the bytes, by [`Recognition::Yes`] or by
/// their end alone.
pub fn archives(medium: &dyn Medium) -> impl Iterator<Item = (&'static ArchiveFormat, Recognition)> {
    let asked = ARCHIVES.iter().map(|format| (format, (format.recognizes)(medium)));
    asked.filter(|(_, recognition)| *recognition != Recognition::No)
}

/// Returns the first format that recognises the bytes by more than their end.
pub fn archive(medium: &dyn Medium) -> Option<&'static ArchiveFormat> {
    archives(medium).find(|(_, recognition)| *recognition == Recognition::Yes).map(|(format, _)| format)
}

/// Returns the format of an archive that begins with these bytes.
pub fn stream(first: &[u8]) -> Option<&'static StreamFormat> {
    STREAMS.iter().find(|format| (format.recognizes)(first))
}
