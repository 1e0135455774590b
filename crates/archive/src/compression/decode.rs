//! The way from a decoder to a reader.

use crate::Problem;
use std::io::{self, Read};

/// A decoder of one format.
pub(super) trait Decode: Send {
    /// Writes content into a buffer that is not empty; no bytes mean the end.
    ///
    /// # Errors
    /// If no further content can be had intact.
    fn decode(&mut self, buffer: &mut [u8]) -> Result<usize, Problem>;
}

/// The outcome of a step of a decoder.
pub(super) enum Step {
    /// So many bytes of content.
    Content(usize),
    /// No content yet.
    Nothing,
    /// The end.
    End,
}

/// A reader of what a decoder yields.
pub(super) struct Decoded<D> {
    decoder: D,
    has_failed: bool,
}

impl<D> Decoded<D> {
    /// Creates a reader.
    pub(super) fn new(decoder: D) -> Decoded<D> {
        Decoded { decoder, has_failed: false }
    }
}

impl<D: Decode> Read for Decoded<D> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        if self.has_failed {
            return Err(Problem::damaged("compressed bytes can't be read behind an error").into());
        }
        let decoded = self.decoder.decode(buffer);
        self.has_failed = decoded.is_err();
        Ok(decoded?)
    }
}
