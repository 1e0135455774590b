//! The directory of the zip file that an AFF4 volume is (APPNOTE 6.3.10, 4.3 and 4.5.3; AFF4 Standard v1.0, 5.4).
//!
//! The crate that reads archives stands above this one, and does far more than is needed here: AFF4 writes stored
//! or deflated segments, without passwords, in one file. All comes from the directory. The header before a segment
//! has to say the same, as other programs may go by it.

use crate::blocks::{Source, fault};
use crate::finding::ProblemKind;
use crate::inflate::Inflater;
use crate::le::{u16_at, u32_at, u64_at};
use std::io;

/// The largest directory: that of some 600,000 segments.
const MOST_DIRECTORY: u64 = 64 << 20;

/// The end record with the longest comment, and the locator before it.
const END: usize = 22;
const LOCATOR: usize = 20;
const MOST_END: u64 = (LOCATOR + END) as u64 + u16::MAX as u64;

/// The fixed parts of an entry of the directory, and of the header before a segment.
const ENTRY: usize = 46;
const HEADER: usize = 30;

/// The tag of the extra field with 64-bit sizes, and the values that refer to it.
const ZIP64: u16 = 1;
const IN_EXTRA: u64 = u32::MAX as u64;

/// Flags: encrypted; sizes and checksum follow the segment.
const ENCRYPTED: u16 = 1;
const SIZES_FOLLOW: u16 = 1 << 3;

pub(super) const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// The directory of a zip file.
#[derive(Debug)]
pub(super) struct Directory {
    pub(super) entries: Vec<Segment>,
    /// The comment of the file.
    pub(super) comment: Vec<u8>,
}

/// A segment, as the directory describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) name: Box<[u8]>,
    pub(super) method: u16,
    pub(super) checksum: u32,
    /// The number of stored bytes.
    pub(super) packed: u64,
    /// The number of bytes.
    pub(super) size: u64,
    /// The offset of the header before it.
    pub(super) header: u64,
}

/// The place of a segment's bytes, by the header before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) data: u64,
    /// The header says what the directory says.
    pub(super) agrees: bool,
}

/// The reason why there is no usable directory.
#[derive(Debug)]
pub(super) enum Failed {
    Io(io::Error),
    Unusable(&'static str),
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Failed {
        Failed::Io(error)
    }
}

/// Where the directory is, by the record at the end.
struct End {
    entries: u64,
    offset: u64,
    size: u64,
    /// The offset of the record, before which the directory ends.
    record: u64,
    comment: Vec<u8>,
}

impl Directory {
    /// Reads the directory of a file.
    pub(super) fn read(source: &Source<'_>, file_size: u64) -> Result<Directory, Failed> {
        let end = End::read(source, file_size)?;
        let fits = end.offset.checked_add(end.size).is_some_and(|after| after <= end.record);
        if !fits || end.size > MOST_DIRECTORY {
            return Err(Failed::Unusable("its zip directory is at an impossible place"));
        }
        let mut bytes = vec![0; end.size as usize];
        source.files.read_exact_at(0, end.offset, &mut bytes)?;
        let (mut entries, mut rest) = (Vec::new(), &bytes[..]);
        while !rest.is_empty() {
            let (entry, length) =
                Segment::parse(rest).ok_or(Failed::Unusable("its zip directory is damaged"))?;
            rest = rest.get(length..).unwrap_or_default();
            entries.push(entry);
        }
        if entries.len() as u64 != end.entries {
            return Err(Failed::Unusable("its zip directory has another number of segments than it states"));
        }
        Ok(Directory { entries, comment: end.comment })
    }
}

impl End {
    fn read(source: &Source<'_>, file_size: u64) -> Result<End, Failed> {
        let none = Failed::Unusable("it has no zip directory");
        let length = file_size.min(MOST_END);
        let mut tail = vec![0; length as usize];
        source.files.read_exact_at(0, file_size - length, &mut tail)?;
        // The comment ends where the file does, so that no other record can be meant.
        let is_end = |at: &usize| {
            tail.get(*at..).is_some_and(|found| {
                found.starts_with(b"PK\x05\x06")
                    && found.len() >= END
                    && usize::from(u16_at(found, 20)) == found.len() - END
            })
        };
        let at = (0..tail.len()).rev().find(is_end).ok_or(none)?;
        let found = tail.get(at..).unwrap_or_default();
        if [u16_at(found, 4), u16_at(found, 6)].iter().any(|disk| !matches!(*disk, 0 | u16::MAX)) {
            return Err(Failed::Unusable("its zip file is one of several"));
        }
        let narrow = End {
            entries: u16_at(found, 10).into(),
            size: u32_at(found, 12).into(),
            offset: u32_at(found, 16).into(),
            record: file_size - length + at as u64,
            comment: found.get(END..).unwrap_or_default().to_vec(),
        };
        let locator = at.checked_sub(LOCATOR).and_then(|start| tail.get(start..at));
        match locator.filter(|locator| locator.starts_with(b"PK\x06\x07")) {
            Some(locator) => narrow.widened(source, u64_at(locator, 8)),
            None => Ok(narrow),
        }
    }

    /// Returns the record with 64-bit numbers, which has to agree with this one.
    fn widened(self, source: &Source<'_>, at: u64) -> Result<End, Failed> {
        let mut bytes = [0; 56];
        source.files.read_exact_at(0, at, &mut bytes)?;
        if !bytes.starts_with(b"PK\x06\x06") || at >= self.record {
            return Err(Failed::Unusable("its 64-bit zip directory can't be found"));
        }
        let (entries, size, offset) = (u64_at(&bytes, 32), u64_at(&bytes, 40), u64_at(&bytes, 48));
        let agrees = |narrow: u64, most: u64, wide: u64| narrow == most || narrow == wide;
        if !agrees(self.entries, u16::MAX.into(), entries)
            || !agrees(self.size, IN_EXTRA, size)
            || !agrees(self.offset, IN_EXTRA, offset)
        {
            return Err(Failed::Unusable("it states two zip directories"));
        }
        Ok(End { entries, size, offset, record: at, ..self })
    }
}

/// Reads 64-bit numbers of an extra field, in the order in which the narrow ones refer to it.
struct Wide<'a>(Option<&'a [u8]>);

impl<'a> Wide<'a> {
    fn new(mut extra: &'a [u8]) -> Wide<'a> {
        while let Some((head, rest)) = extra.split_at_checked(4) {
            let Some((field, others)) = rest.split_at_checked(u16_at(head, 2).into()) else { break };
            if u16_at(head, 0) == ZIP64 {
                return Wide(Some(field));
            }
            extra = others;
        }
        Wide(None)
    }

    fn get(&mut self, narrow: u32) -> Option<u64> {
        if u64::from(narrow) != IN_EXTRA {
            return Some(narrow.into());
        }
        let (number, rest) = self.0?.split_at_checked(8)?;
        self.0 = Some(rest);
        Some(u64_at(number, 0))
    }
}

impl Segment {
    /// Reads the entry at the start of these bytes. Returns its length, too.
    fn parse(bytes: &[u8]) -> Option<(Segment, usize)> {
        let fixed = bytes.get(..ENTRY).filter(|fixed| fixed.starts_with(b"PK\x01\x02"))?;
        let lengths = [28, 30, 32].map(|at| usize::from(u16_at(fixed, at)));
        let name_end = ENTRY + lengths[0];
        let name = bytes.get(ENTRY..name_end)?;
        let mut wide = Wide::new(bytes.get(name_end..name_end + lengths[1])?);
        let size = wide.get(u32_at(fixed, 24))?;
        let packed = wide.get(u32_at(fixed, 20))?;
        let header = wide.get(u32_at(fixed, 42))?;
        let (method, sealed) = (u16_at(fixed, 10), u16_at(fixed, 8) & ENCRYPTED != 0);
        // No reader is asked for a method that does not exist.
        let method = if sealed { u16::MAX } else { method };
        let entry = Segment { name: name.into(), method, checksum: u32_at(fixed, 16), packed, size, header };
        Some((entry, name_end + lengths[1] + lengths[2]))
    }

    /// Reads the header before the segment.
    pub(super) fn place(&self, source: &Source<'_>) -> Result<Placed, ProblemKind> {
        let mut fixed = [0; HEADER];
        source.table(0, self.header, &mut fixed).map_err(|error| fault(&error))?;
        if !fixed.starts_with(b"PK\x03\x04") {
            return Err(ProblemKind::HeadersDisagree);
        }
        let (name, extra) = (usize::from(u16_at(&fixed, 26)), usize::from(u16_at(&fixed, 28)));
        let mut rest = vec![0; name + extra];
        let after = self.header.checked_add(HEADER as u64).ok_or(ProblemKind::ChunkOutside)?;
        source.table(0, after, &mut rest).map_err(|error| fault(&error))?;
        let data = after.checked_add(rest.len() as u64).ok_or(ProblemKind::ChunkOutside)?;
        let (name, extra) = rest.split_at(name);
        let mut wide = Wide::new(extra);
        let (size, packed) = (wide.get(u32_at(&fixed, 22)), wide.get(u32_at(&fixed, 18)));
        let stated = (u32_at(&fixed, 14), size, packed);
        let follow = u16_at(&fixed, 6) & SIZES_FOLLOW != 0;
        // Sizes and checksum that follow the segment are zeros here, or already those of the directory.
        let sizes = stated == (self.checksum, Some(self.size), Some(self.packed))
            || (follow && u32_at(&fixed, 14) == 0);
        let agrees = *name == *self.name && u16_at(&fixed, 8) == self.method && sizes;
        Ok(Placed { data, agrees })
    }

    /// Returns the content, up to `most` bytes.
    ///
    /// # Errors
    /// The problem of a segment that is too long, can't be read, or has another checksum.
    pub(super) fn content(&self, source: &Source<'_>, most: u64) -> Result<Vec<u8>, ProblemKind> {
        if self.size.max(self.packed) > most {
            return Err(ProblemKind::TooManyEntries);
        }
        let placed = self.place(source)?;
        let file_size = source.files.size(0).map_err(|error| fault(&error))?;
        if placed.data.checked_add(self.packed).is_none_or(|end| end > file_size) {
            return Err(ProblemKind::ChunkOutside);
        }
        let mut stored = vec![0; self.packed as usize];
        source.files.read_exact_at(0, placed.data, &mut stored).map_err(|error| fault(&error))?;
        let content = match self.method {
            STORED => stored,
            DEFLATED => Inflater::new().deflate_text(&stored, self.size as usize)?,
            _ => return Err(ProblemKind::ChunkUnsupported),
        };
        match (content.len() as u64 == self.size, libdeflater::crc32(&content) == self.checksum) {
            (false, _) => Err(ProblemKind::ChunkLength),
            (true, false) => Err(ProblemKind::ContentChecksum),
            (true, true) => Ok(content),
        }
    }
}
