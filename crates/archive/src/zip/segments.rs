//! The directory of a zip file as it is, for formats whose files are zip files with segments at known places.
//!
//! Nothing here is forgiven that leaves a choice between two directories.

use super::end::{self, END_LENGTH, End};
use super::entry::{Entries, ZipEntry};
use super::local::LocalHeader;
use crate::{Medium, Problem};
use std::sync::Arc;

/// The directory of a zip file.
#[derive(Debug)]
pub struct ZipDirectory {
    /// Its entries.
    pub segments: Vec<ZipSegment>,
    /// The comment of the file.
    pub comment: Vec<u8>,
}

/// A member of a zip file, as the directory describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZipSegment {
    /// The name as it is in the file.
    pub name: Box<[u8]>,
    /// The method of compression; [`u16::MAX`], which does not exist, if it is encrypted.
    pub method: u16,
    /// The CRC-32 of the content.
    pub crc: u32,
    /// The number of stored bytes.
    pub packed: u64,
    /// The number of bytes.
    pub size: u64,
    /// The position of the header before it.
    pub place: u64,
}

/// The place of a segment's stored bytes, by the header before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZipPlace {
    /// The position of the first one.
    pub data: u64,
    /// Whether the header says what the directory says.
    pub agrees: bool,
}

impl ZipDirectory {
    /// Reads the directory of a file, which may have this many bytes.
    ///
    /// # Errors
    /// If there is no directory, more than one, or a damaged one, or if it can't be read.
    pub fn read(medium: &dyn Medium, most: u64) -> Result<ZipDirectory, Problem> {
        let end = end::find(medium)?.filter(|end| end.is_last);
        let end = end.ok_or_else(|| Problem::damaged("it has no zip directory"))?;
        if let Some(doubt) = end.doubt {
            return Err(Problem::Ambiguous(doubt));
        }
        if end.size > most {
            return Err(Problem::TooMany("members"));
        }
        let read = |from: u64, until: u64| {
            let mut bytes = vec![0; usize::try_from(until.saturating_sub(from)).unwrap_or(usize::MAX)];
            medium.read_at(from, &mut bytes).map(|()| bytes)
        };
        let comment = read(end.position.saturating_add(END_LENGTH as u64), medium.size())?;
        let bytes = read(end.start, end.start.saturating_add(end.size))?;
        let entries = Entries::new(Arc::new(bytes), &End { start: 0, ..end });
        let segments: Vec<ZipSegment> =
            entries.map(|entry| entry.map(ZipSegment::new)).collect::<Result<_, _>>()?;
        match segments.len() as u64 == end.count {
            true => Ok(ZipDirectory { segments, comment }),
            false => Err(Problem::damaged("the zip directory has another number of members than it states")),
        }
    }
}

impl ZipSegment {
    fn new(entry: ZipEntry) -> ZipSegment {
        ZipSegment {
            name: entry.name.into(),
            method: if entry.is_encrypted { u16::MAX } else { entry.method },
            crc: entry.crc.unwrap_or(0),
            packed: entry.packed.unwrap_or(0),
            size: entry.size.unwrap_or(0),
            place: entry.place,
        }
    }

    /// Reads the header before the segment.
    ///
    /// # Errors
    /// If none is there, or it can't be read.
    pub fn locate(&self, medium: &dyn Medium) -> Result<ZipPlace, Problem> {
        let header = LocalHeader::read(medium, self.place)?;
        let local = &header.entry;
        // Sizes and checksum that follow the segment are zeros here, or already those of the directory.
        let is_stated =
            (local.crc, local.packed, local.size) == (Some(self.crc), Some(self.packed), Some(self.size));
        let sizes = is_stated || header.is_deferred() && local.crc == Some(0);
        let agrees = *local.name == *self.name && local.method == self.method && sizes;
        Ok(ZipPlace { data: header.data, agrees })
    }
}
