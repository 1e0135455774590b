//! The segments of the zip file that an AFF4 volume is (AFF4 Standard v1.0, 5.4).
//!
//! AFF4 writes stored or deflated segments, without passwords, in one file. All comes from the directory. The header
//! before a segment has to say the same, as other programs may go by it.

use crate::disks::blocks::{Source, fault};
use crate::error;
use crate::finding::ProblemKind;
use crate::inflate::Inflater;
use hashmill_archive::{Medium, Problem, ZipDirectory, ZipPlace, ZipSegment};
use hashmill_digest::Crc32;
use std::io;

/// The largest directory: that of some 600,000 segments.
const MOST_DIRECTORY: u64 = 64 << 20;

pub(super) const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// The file of a volume, whose tables stay in memory for a while.
#[derive(Debug)]
struct VolumeFile<'a> {
    source: &'a Source<'a>,
    size: u64,
}

impl Medium for VolumeFile<'_> {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.source.table(0, position, buffer)
    }
}

/// Reads the directory of a volume.
pub(super) fn directory(source: &Source<'_>, size: u64) -> Result<ZipDirectory, error::Problem> {
    ZipDirectory::read(&VolumeFile { source, size }, MOST_DIRECTORY).map_err(|problem| match problem {
        Problem::Io(error) => error::Problem::Io(error),
        Problem::Unsupported(_) => error::Problem::Header("its zip file is one of several"),
        Problem::Ambiguous(_) => error::Problem::Header("it states two zip directories"),
        Problem::TooMany(_) => error::Problem::Header("its zip directory is too long"),
        _ => error::Problem::Header("its zip directory is damaged, or not there"),
    })
}

/// Finds the bytes of a segment by the header before it.
pub(super) fn locate(segment: &ZipSegment, source: &Source<'_>) -> Result<ZipPlace, ProblemKind> {
    let size = source.files.size(0).map_err(|error| fault(&error))?;
    segment.locate(&VolumeFile { source, size }).map_err(|problem| match problem {
        Problem::Io(error) => fault(&error),
        Problem::Truncated => ProblemKind::ChunkOutside,
        _ => ProblemKind::HeadersDisagree,
    })
}

/// Returns the content of a segment, up to `most` bytes.
///
/// # Errors
/// The problem of a segment that is too long, can't be read, or has another checksum.
pub(super) fn content(segment: &ZipSegment, source: &Source<'_>, most: u64) -> Result<Vec<u8>, ProblemKind> {
    if segment.size.max(segment.packed) > most {
        return Err(ProblemKind::TooManyEntries);
    }
    let placed = locate(segment, source)?;
    let file_size = source.files.size(0).map_err(|error| fault(&error))?;
    if placed.data.checked_add(segment.packed).is_none_or(|end| end > file_size) {
        return Err(ProblemKind::ChunkOutside);
    }
    let mut stored = vec![0; segment.packed as usize];
    source.files.read_exact_at(0, placed.data, &mut stored).map_err(|error| fault(&error))?;
    let content = match segment.method {
        STORED => stored,
        DEFLATED => Inflater::new().deflate_text(&stored, segment.size as usize)?,
        _ => return Err(ProblemKind::ChunkUnsupported),
    };
    match (content.len() as u64 == segment.size, Crc32::sum_of(&content) == segment.crc) {
        (false, _) => Err(ProblemKind::ChunkLength),
        (true, false) => Err(ProblemKind::ContentChecksum),
        (true, true) => Ok(content),
    }
}
