//! The media, or a single file of a logical image, as a reader.

use super::range::Window;
use crate::ewf::logical::{Entry, Extent};
use crate::image::Image;
use std::io::{self, Read};

/// Reads the media bytes in order, on the caller's thread. A chunk that can't be read is an error that contains a
/// [`ChunkProblem`](crate::ChunkProblem).
#[derive(Debug)]
pub struct MediaReader<'a> {
    image: &'a Image,
    window: Window,
    position: u64,
}

impl Read for MediaReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.image.read_within(self.position, buffer, &mut self.window)?;
        self.position += read as u64;
        Ok(read)
    }
}

/// Reads the content of a file of a logical image in order.
#[derive(Debug)]
pub struct EntryReader<'a> {
    image: &'a Image,
    window: Window,
    extents: Vec<Extent>,
    /// The current extent, and the number of bytes read of it.
    extent: usize,
    within: u64,
    left: u64,
    sparse: bool,
}

impl EntryReader<'_> {
    fn read_sparse(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let offset = self.extents.first().ok_or(io::ErrorKind::UnexpectedEof)?.offset;
        let mut byte = [0];
        self.image.read_exactly(offset, &mut byte, &mut self.window)?;
        buffer.fill(byte[0]);
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
        match self.image.read_within(offset, &mut buffer[..room], &mut self.window)? {
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
        MediaReader { image: self, window: Window::default(), position: 0 }
    }

    /// Returns a reader of a file of a logical image; folders are empty. Content that lies outside the media is an
    /// [`io::ErrorKind::UnexpectedEof`].
    pub fn entry_reader(&self, entry: &Entry) -> EntryReader<'_> {
        EntryReader {
            image: self,
            window: Window::default(),
            extents: entry.extents.clone(),
            extent: 0,
            within: 0,
            left: if entry.folder { 0 } else { entry.size },
            sparse: entry.sparse,
        }
    }
}
