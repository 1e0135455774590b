//! The media, or a single file of a logical image, as a reader.

use crate::chunk::Scratch;
use crate::error::ChunkProblem;
use crate::image::Image;
use crate::logical::{Entry, Extent};
use std::io::{self, Read, Seek, SeekFrom};

/// Random access to media bytes; keeps the last chunk.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    image: &'a Image,
    scratch: Scratch,
    chunk: Option<u64>,
    bytes: Vec<u8>,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(image: &'a Image) -> Self {
        Cursor { image, scratch: Scratch::new(), chunk: None, bytes: Vec::new() }
    }

    /// Returns the bytes from an offset up to the end of a chunk or of the media.
    fn at(&mut self, offset: u64) -> Result<&[u8], ChunkProblem> {
        if offset >= self.image.media_size() {
            return Ok(&[]);
        }
        let chunk = offset / self.image.chunk_size();
        if self.chunk != Some(chunk) {
            self.chunk = None;
            let state = self.image.read_chunk(chunk, &mut self.scratch, &mut self.bytes)?;
            self.bytes.truncate(state.length);
            self.chunk = Some(chunk);
        }
        let within = (offset % self.image.chunk_size()) as usize;
        Ok(&self.bytes[within.min(self.bytes.len())..])
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize, ChunkProblem> {
        let bytes = self.at(offset)?;
        let length = bytes.len().min(buffer.len());
        buffer[..length].copy_from_slice(&bytes[..length]);
        Ok(length)
    }
}

/// Reads the media bytes in order, on the caller's thread. A chunk that can't be read is an error that contains a
/// [`ChunkProblem`]; reading can continue after a seek past it.
#[derive(Debug)]
pub struct MediaReader<'a> {
    cursor: Cursor<'a>,
    position: u64,
}

impl Read for MediaReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.cursor.read_at(self.position, buffer)?;
        self.position += read as u64;
        Ok(read)
    }
}

impl Seek for MediaReader<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::End(by) => self.cursor.image.media_size().checked_add_signed(by),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
        };
        self.position = target.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

/// Reads the content of a file of a logical image in order.
#[derive(Debug)]
pub struct EntryReader<'a> {
    cursor: Cursor<'a>,
    extents: Vec<Extent>,
    /// The current extent, and the number of bytes read of it.
    extent: usize,
    within: u64,
    left: u64,
    sparse: bool,
}

impl<'a> EntryReader<'a> {
    /// Starts with another entry, keeping the last chunk.
    pub(crate) fn next(self, entry: &Entry) -> EntryReader<'a> {
        EntryReader {
            extents: entry.extents.clone(),
            extent: 0,
            within: 0,
            left: if entry.folder { 0 } else { entry.size },
            sparse: entry.sparse,
            ..self
        }
    }

    fn read_sparse(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let offset = self.extents.first().ok_or(io::ErrorKind::UnexpectedEof)?.offset;
        let byte = *self.cursor.at(offset)?.first().ok_or(io::ErrorKind::UnexpectedEof)?;
        buffer.fill(byte);
        Ok(buffer.len())
    }

    fn read_extents(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.extents.get(self.extent).is_some_and(|extent| self.within >= extent.size) {
            self.extent += 1;
            self.within = 0;
        }
        let extent = self.extents.get(self.extent).ok_or(io::ErrorKind::UnexpectedEof)?;
        let room = usize::try_from(extent.size - self.within).unwrap_or(usize::MAX).min(buffer.len());
        let offset = extent.offset.saturating_add(self.within);
        match self.cursor.read_at(offset, &mut buffer[..room])? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                self.within += read as u64;
                Ok(read)
            }
        }
    }
}

impl Read for EntryReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        if length == 0 {
            return Ok(0);
        }
        let read = match self.sparse {
            true => self.read_sparse(&mut buffer[..length])?,
            false => self.read_extents(&mut buffer[..length])?,
        };
        self.left -= read as u64;
        Ok(read)
    }
}

impl Image {
    /// Returns a reader of the media.
    pub fn reader(&self) -> MediaReader<'_> {
        MediaReader { cursor: Cursor::new(self), position: 0 }
    }

    /// Returns a reader of a file of a logical image; folders are empty. Content that lies outside the media is an
    /// [`io::ErrorKind::UnexpectedEof`].
    pub fn entry_reader(&self, entry: &Entry) -> EntryReader<'_> {
        let cursor = Cursor::new(self);
        let none = EntryReader { cursor, extents: Vec::new(), extent: 0, within: 0, left: 0, sparse: false };
        none.next(entry)
    }
}
