//! Segment files of EWF-E01 as EnCase 6 writes them: chunks in groups, each with its table and a copy of it.

use super::headers::{header, header2};
use super::packing::{CHUNK, PackedBatch, compress_text};
use super::pipeline::ImageSink;
use super::sections::{digest, errors, hash, table, table_size};
use super::settings::{ImageSettings, MediaEnd, SegmentFiles, WrittenImage};
use crate::ewf::ewf1::{DESCRIPTOR, descriptor};
use crate::ewf::geometry::{Geometry, LONG, Media};
use crate::ewf::segments::ewf1_header;
use hashmill_os::write_all_at;
use std::fs::File;
use std::io;

/// The sector size of media that consist of whole sectors.
const SECTOR: u64 = 512;

/// The most entries of a table.
const MAX_ENTRIES: usize = 65_534;

/// The first offset that an entry can't hold beside its flag.
const MAX_OFFSET: u64 = 1 << 31;

/// The flag of a compressed chunk in its entry.
const COMPRESSED: u32 = 1 << 31;

/// The bytes that are collected before they are written.
const BUFFER: usize = 1 << 20;

/// The bytes after the last table of an image: `data`, `digest`, `hash` and `done`.
const END: u64 = 4 * DESCRIPTOR + LONG as u64 + 80 + 36;

/// Chunks that share a table.
struct Group {
    /// The offset of their section, from which their offsets count.
    start: u64,
    entries: Vec<u32>,
}

/// The segment files of an image.
pub(super) struct EwfFiles {
    files: Box<dyn SegmentFiles>,
    /// The sections before the first chunk, and the geometry, which is repeated in each segment.
    headers: Vec<(&'static str, Vec<u8>)>,
    geometry: Vec<u8>,
    sector: u64,
    limit: u64,
    file: Option<File>,
    /// The end of the segment, with the bytes that are not yet written.
    end: u64,
    pending: Vec<u8>,
    group: Option<Group>,
    /// Whether the segment has chunks.
    is_begun: bool,
    written: WrittenImage,
}

impl EwfFiles {
    /// Prepares the files of an image.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub(super) fn new(settings: &ImageSettings, files: Box<dyn SegmentFiles>) -> io::Result<EwfFiles> {
        // Readers take sectors for whole: media of another length get sectors of one byte, so that every reader sees exactly
        // their bytes.
        let sector = if settings.size.is_multiple_of(SECTOR) { SECTOR } else { 1 };
        let mut set = [0; 16];
        hashmill_os::random(&mut set)?;
        let geometry = Geometry {
            chunks: settings.size.div_ceil(CHUNK as u64),
            sectors_per_chunk: (CHUNK as u64 / sector) as u32,
            bytes_per_sector: sector as u32,
            sectors: settings.size / sector,
            media: Media::Fixed,
            physical: settings.is_physical,
            write_blocker: None,
            level: Some(settings.compression.number()),
            error_granularity: Some((SECTOR / sector) as u32),
            set,
        };
        let geometry = geometry.to_ewf1();
        let (long, short) = (header2(&settings.acquisition), header(&settings.acquisition));
        let long = compress_text(&long)?;
        let headers = vec![
            ("header2", long.clone()),
            ("header2", long),
            ("header", compress_text(&short)?),
            ("volume", geometry.clone()),
        ];
        Ok(EwfFiles {
            files,
            headers,
            geometry,
            sector,
            limit: settings.segment_size.unwrap_or(u64::MAX),
            file: None,
            end: 0,
            pending: Vec::new(),
            group: None,
            is_begun: false,
            written: WrittenImage::default(),
        })
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.pending.extend_from_slice(bytes);
        self.end += bytes.len() as u64;
        if self.pending.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        let pending = std::mem::take(&mut self.pending);
        self.write_at(&pending, self.end - pending.len() as u64)?;
        self.pending = pending;
        self.pending.clear();
        Ok(())
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        match &self.file {
            Some(file) => write_all_at(file, bytes, offset),
            None => Ok(()),
        }
    }

    fn section(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        let size = DESCRIPTOR + content.len() as u64;
        self.put(&descriptor(name, self.end + size, size))?;
        self.put(content)
    }

    /// Begins the next segment file.
    fn begin_segment(&mut self) -> io::Result<()> {
        self.written.segments += 1;
        let number = u16::try_from(self.written.segments)
            .map_err(|_| io::Error::other("there are more segments than an image can have"))?;
        self.file = Some(self.files.create(self.written.segments)?);
        (self.end, self.is_begun) = (0, false);
        self.put(&ewf1_header(number))?;
        for (name, content) in std::mem::take(&mut self.headers) {
            self.section(name, &content)?;
        }
        if number > 1 { self.data() } else { Ok(()) }
    }

    /// Writes the section that repeats the geometry.
    fn data(&mut self) -> io::Result<()> {
        let geometry = std::mem::take(&mut self.geometry);
        let done = self.section("data", &geometry);
        self.geometry = geometry;
        done
    }

    /// Ends the segment file with a section that points to itself.
    fn end_segment(&mut self, name: &str) -> io::Result<()> {
        self.put(&descriptor(name, self.end, 0))?;
        self.flush()?;
        self.written.bytes += self.end;
        self.file = None;
        Ok(())
    }

    /// Writes the tables of a group, and the size of its section, which was not known before.
    fn close_group(&mut self) -> io::Result<()> {
        let Some(Group { start, entries }) = self.group.take() else { return Ok(()) };
        self.flush()?;
        self.write_at(&descriptor("sectors", self.end, self.end - start), start)?;
        let content = table(start, &entries);
        self.section("table", &content)?;
        self.section("table2", &content)
    }

    /// Returns the end of the segment if a chunk of this stored size and the end of the image followed.
    fn end_with(&self, stored: u64) -> u64 {
        let (entries, opening) =
            self.group.as_ref().map_or((0, DESCRIPTOR), |group| (group.entries.len(), 0));
        self.end + opening + stored + 2 * (DESCRIPTOR + table_size(entries + 1)) + END
    }

    fn put_chunk(&mut self, stored: &[u8], is_compressed: bool) -> io::Result<()> {
        let size = stored.len() as u64;
        let is_full =
            |group: &Group| group.entries.len() >= MAX_ENTRIES || self.end + size - group.start >= MAX_OFFSET;
        if self.group.as_ref().is_some_and(is_full) {
            self.close_group()?;
        }
        // A segment has at least one chunk, however small it should be.
        if self.file.is_none() || (self.is_begun && self.end_with(size) > self.limit) {
            self.next_segment()?;
        }
        if self.group.is_none() {
            self.group = Some(Group { start: self.end, entries: Vec::new() });
            self.put(&[0; DESCRIPTOR as usize])?;
        }
        self.is_begun = true;
        let flag = if is_compressed { COMPRESSED } else { 0 };
        if let Some(group) = &mut self.group {
            // Below 2^31, as a group with more is full.
            group.entries.push((self.end - group.start) as u32 | flag);
        }
        self.put(stored)
    }

    fn next_segment(&mut self) -> io::Result<()> {
        if self.file.is_some() {
            self.close_group()?;
            self.end_segment("next")?;
        }
        self.begin_segment()
    }
}

impl ImageSink for EwfFiles {
    fn take(&mut self, batch: &PackedBatch) -> io::Result<()> {
        let mut start = 0;
        for (end, is_compressed) in &batch.chunks {
            self.put_chunk(&batch.stored[start..*end], *is_compressed)?;
            start = *end;
        }
        Ok(())
    }

    fn finish(&mut self, end: &MediaEnd) -> io::Result<WrittenImage> {
        if self.file.is_none() {
            self.begin_segment()?;
        }
        self.close_group()?;
        if self.written.segments == 1 {
            self.data()?;
        }
        if let Some((content, unlisted)) = errors(&end.unreadable, self.sector) {
            self.section("error2", &content)?;
            self.written.unlisted = unlisted;
        }
        self.section("digest", &digest(end))?;
        self.section("hash", &hash(end))?;
        self.end_segment("done")?;
        Ok(self.written)
    }
}
