//! The settings of an image that is written, and its files.

use super::names::ImageForm;
use super::packing::Compression;
use crate::acquisition::Acquisition;
use hashmill_digest::Digest;
use std::fs::File;
use std::io;
use std::ops::Range;

/// The settings of an image that is written.
#[derive(Debug, Clone)]
pub struct ImageSettings {
    /// The form of its files.
    pub form: ImageForm,
    /// The bytes of the media.
    pub size: u64,
    /// Whether the media are a device, not a file.
    pub is_physical: bool,
    /// The facts of the headers. Of dates, only those in seconds since 1970 are written.
    pub acquisition: Acquisition,
    /// The compression of chunks.
    pub compression: Compression,
    /// The most bytes of a segment file; only an error table may take more. Without it, there is one file.
    pub segment_size: Option<u64>,
}

/// Makes the files of an image.
pub trait SegmentFiles: Send {
    /// Creates the file of the segment with this number, from 1 on. The one before it is complete.
    ///
    /// # Errors
    /// If it can't be created.
    fn create(&mut self, number: u64) -> io::Result<File>;
}

/// The facts that are known when all bytes were read.
#[derive(Debug, Clone)]
pub struct MediaEnd {
    /// The MD5 of the media.
    pub md5: Digest,
    /// The SHA-1 of the media.
    pub sha1: Digest,
    /// The bytes of the media that could not be read and were replaced with zeros, in order.
    pub unreadable: Vec<Range<u64>>,
}

/// The files of an image that was written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WrittenImage {
    /// The number of files.
    pub segments: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The number of unreadable ranges that the image's error table can't name, as it ends at sector 2^32.
    pub unlisted: u64,
}
