//! The writer of an image.

use super::ewf::EwfFiles;
use super::names::{ImageForm, segment_path};
use super::packing::CHUNK;
use super::pipeline::{ImageSink, Pipeline};
use super::raw::RawFiles;
use super::settings::{ImageSettings, MediaEnd, SegmentFiles, WrittenImage};
use crate::image::pipeline::Resources;
use std::io;
use std::path::Path;

/// The most bytes that are packed and written at once.
const BATCH: u64 = 1 << 20;

/// Writes an image of media bytes that come in order. One that is dropped before [`ImageWriter::finish`] is not complete.
pub struct ImageWriter {
    pipeline: Pipeline,
    open: Vec<u8>,
    batch: usize,
    received: u64,
    size: u64,
}

impl ImageSettings {
    /// Returns whether the largest image that these media can need has names for all its segments, which begin with this
    /// one, and sections for all its chunks.
    pub fn fits(&self, first: &Path) -> bool {
        let chunks = self.size.div_ceil(CHUNK as u64);
        // Each chunk may take its checksum and two entries more; a segment may remain empty to almost a chunk.
        let of_segment = self.segment_size.unwrap_or(u64::MAX).saturating_sub(2 * CHUNK as u64).max(1);
        let segments = match self.form {
            ImageForm::Ewf => chunks.saturating_mul(CHUNK as u64 + 12).div_ceil(of_segment),
            ImageForm::Raw | ImageForm::SplitRaw => {
                self.size.div_ceil(self.segment_size.unwrap_or(u64::MAX).max(1))
            }
        };
        let is_countable = self.form != ImageForm::Ewf || u32::try_from(chunks).is_ok();
        is_countable && segment_path(first, segments.max(1)).is_some()
    }
}

impl ImageWriter {
    /// Starts the threads of an image whose files are made by `files`.
    ///
    /// # Errors
    /// If they can't be started.
    pub fn new(
        settings: &ImageSettings,
        files: Box<dyn SegmentFiles>,
        means: Resources,
    ) -> io::Result<ImageWriter> {
        let threads = means.threads.max(1);
        let (chunk, shares) = (CHUNK as u64, 4 * threads as u64);
        let batch = (means.memory / shares).clamp(chunk, BATCH) / chunk * chunk;
        // Each batch exists twice while it is packed.
        let depth = (means.memory / (2 * batch)).saturating_sub(threads as u64 + 1).clamp(1, shares);
        let (sink, compression): (Box<dyn ImageSink>, _) = match settings.form {
            ImageForm::Ewf => (Box::new(EwfFiles::new(settings, files)?), Some(settings.compression)),
            ImageForm::Raw | ImageForm::SplitRaw => {
                (Box::new(RawFiles::new(files, settings.segment_size)), None)
            }
        };
        let pipeline = Pipeline::start(sink, compression, threads, depth as usize)?;
        Ok(ImageWriter {
            pipeline,
            open: Vec::new(),
            batch: batch as usize,
            received: 0,
            size: settings.size,
        })
    }

    /// Takes the next media bytes. Waits until there is room for them.
    ///
    /// # Errors
    /// If writing has failed; [`ImageWriter::finish`] returns the reason.
    pub fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        self.received += bytes.len() as u64;
        while !bytes.is_empty() {
            let (part, rest) = bytes.split_at(bytes.len().min(self.batch - self.open.len()));
            self.open.extend_from_slice(part);
            bytes = rest;
            if self.open.len() == self.batch {
                self.send()?;
            }
        }
        Ok(())
    }

    fn send(&mut self) -> io::Result<()> {
        let next = self.pipeline.buffer();
        self.pipeline.send(std::mem::replace(&mut self.open, next))
    }

    /// Writes the rest, and what is known now.
    ///
    /// # Errors
    /// If something could not be written, or the media have another size.
    pub fn finish(mut self, end: &MediaEnd) -> io::Result<WrittenImage> {
        let sent = if self.open.is_empty() { Ok(()) } else { self.send() };
        let mut sink = self.pipeline.close()?;
        sent?;
        if self.received != self.size {
            let (received, size) = (self.received, self.size);
            return Err(io::Error::other(format!("{received} bytes came of media of {size} bytes")));
        }
        sink.finish(end)
    }
}
