//! Random access to media bytes or a single file, by several threads at once.

use super::chunk::{Batch, ReadBatch, Scratch};
use crate::error::ChunkProblem;
use crate::ewf::logical::Entry;
use crate::finding::{ImageLocation, ProblemKind, Span};
use crate::image::{Image, Layout, RawFile};
use std::io;

/// The maximum of stored bytes to read at once.
const ROOM: usize = 256 << 10;

/// The state of a thread that reads at offsets: it keeps the last chunk. Use it for one image only.
#[derive(Debug)]
pub struct Window {
    scratch: Scratch,
    chunk: Option<u64>,
    bytes: Vec<u8>,
}

impl Default for Window {
    fn default() -> Self {
        Window { scratch: Scratch::with_room(ROOM), chunk: None, bytes: Vec::new() }
    }
}

impl Window {
    /// Whether the kept chunk contains the media byte at this offset.
    pub fn holds(&self, image: &Image, offset: u64) -> bool {
        self.chunk == Some(offset / image.chunk_size())
    }
}

impl Image {
    /// Fills the buffer with media bytes, up to the end of the media.
    ///
    /// # Errors
    /// The first chunk concerned that can't be read completely.
    pub fn read_at(
        &self,
        offset: u64,
        buffer: &mut [u8],
        window: &mut Window,
    ) -> Result<usize, ChunkProblem> {
        let left = self.media_size().saturating_sub(offset);
        let length = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        if let Some(problem) = self.missing_part(offset, length as u64) {
            return Err(problem);
        }
        if let Some(parts) = self.near_parts(offset) {
            let mut outcome = ReadBatch::default();
            self.read_parts(parts, offset, &mut buffer[..length], &mut outcome);
            return outcome.problems.into_iter().next().map_or(Ok(length), Err);
        }
        let mut filled = 0;
        while filled < length {
            filled += self.read_some(offset + filled as u64, &mut buffer[filled..length], window)?;
        }
        Ok(length)
    }

    /// Returns the files of raw media if the one with this offset can be read in parts of any size.
    fn near_parts(&self, offset: u64) -> Option<&[RawFile]> {
        let Layout::Parts(parts) = &self.layout else { return None };
        let part = parts.get(parts.partition_point(|part| part.start + part.size <= offset))?;
        self.files.get(part.file?).is_ok_and(|file| file.is_near()).then_some(parts)
    }

    /// Returns the problem of a missing file of split raw media that should contain some of these bytes.
    pub(crate) fn missing_part(&self, offset: u64, length: u64) -> Option<ChunkProblem> {
        let Layout::Parts(parts) = &self.layout else { return None };
        let end = offset.saturating_add(length);
        let missing =
            |part: &&RawFile| part.file.is_none() && part.start < end && offset < part.start + part.size;
        let part = parts.iter().find(missing)?;
        let media = Some(Span { first: part.start, count: part.size });
        let place = ImageLocation { media, ..ImageLocation::default() };
        Some(ChunkProblem { chunk: part.start / self.chunk_size(), kind: ProblemKind::ChunkMissing, place })
    }

    /// Reads whole chunks if the buffer has room for one, or else a part of one.
    fn read_some(&self, offset: u64, buffer: &mut [u8], window: &mut Window) -> Result<usize, ChunkProblem> {
        let size = self.chunk_size();
        let chunk = offset / size;
        let whole = buffer.len() as u64 / size;
        if !offset.is_multiple_of(size) || whole == 0 || window.chunk == Some(chunk) {
            return self.read_within(offset, buffer, window);
        }
        let out = &mut buffer[..(whole * size) as usize];
        let batch = Batch { chunks: chunk..chunk + whole, end: self.media_size() };
        let mut outcome = ReadBatch::default();
        self.read_batch(&batch, &mut window.scratch, out, &mut outcome);
        match outcome.problems.into_iter().next() {
            Some(problem) => Err(problem),
            None => Ok(outcome.length),
        }
    }

    /// Fills the buffer with media bytes, up to the end of a chunk or of the media.
    pub(crate) fn read_within(
        &self,
        offset: u64,
        buffer: &mut [u8],
        window: &mut Window,
    ) -> Result<usize, ChunkProblem> {
        if offset >= self.media_size() {
            return Ok(0);
        }
        let (chunk, within) = (offset / self.chunk_size(), (offset % self.chunk_size()) as usize);
        if window.chunk != Some(chunk) {
            window.chunk = None;
            let state = self.read_chunk(chunk, &mut window.scratch, &mut window.bytes)?;
            window.bytes.truncate(state.length);
            window.chunk = Some(chunk);
        }
        let bytes = &window.bytes[within..];
        let length = bytes.len().min(buffer.len());
        buffer[..length].copy_from_slice(&bytes[..length]);
        Ok(length)
    }

    /// Fills the buffer with bytes of a file of a logical image, up to its end.
    ///
    /// # Errors
    /// A chunk that can't be read completely ([`ChunkProblem`]), or [`io::ErrorKind::UnexpectedEof`] if the content
    /// lies outside the media.
    pub fn read_entry_at(
        &self,
        entry: &Entry,
        offset: u64,
        buffer: &mut [u8],
        window: &mut Window,
    ) -> io::Result<usize> {
        let size = if entry.folder { 0 } else { entry.size };
        let left = usize::try_from(size.saturating_sub(offset)).unwrap_or(usize::MAX);
        let length = left.min(buffer.len());
        let buffer = &mut buffer[..length];
        if entry.sparse {
            let extent = entry.extents.first().filter(|_| length > 0);
            let mut byte = [0];
            if let Some(extent) = extent {
                self.read_exactly(extent.offset, &mut byte, window)?;
            } else if length > 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            buffer.fill(byte[0]);
            return Ok(length);
        }
        self.read_extents(entry, offset, buffer, window)?;
        Ok(length)
    }

    fn read_extents(
        &self,
        entry: &Entry,
        offset: u64,
        buffer: &mut [u8],
        window: &mut Window,
    ) -> io::Result<()> {
        let (mut start, mut filled) = (0_u64, 0);
        for extent in &entry.extents {
            let end = start.saturating_add(extent.size);
            let at = offset + filled as u64;
            if filled < buffer.len() && at < end {
                let room = usize::try_from(end - at).unwrap_or(usize::MAX).min(buffer.len() - filled);
                let place = extent.offset.saturating_add(at - start);
                self.read_exactly(place, &mut buffer[filled..filled + room], window)?;
                filled += room;
            }
            start = end;
        }
        if filled == buffer.len() { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    pub(crate) fn read_exactly(&self, offset: u64, buffer: &mut [u8], window: &mut Window) -> io::Result<()> {
        let read = self.read_at(offset, buffer, window)?;
        if read == buffer.len() { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}
