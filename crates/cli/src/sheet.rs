//! The manifest that a command writes: records through a format's writer into an output.

use crate::output::{Output, WriteError};
use hashloom_manifest::case::End;
use hashloom_manifest::format::{Format, Layout, Writer};
use hashloom_manifest::{Record, Status};
use std::collections::HashMap;
use std::io::{self, Write};

/// Bytes of lines of one file's pieces that are held back. A file with more gives them out as they come,
/// so that memory stays bounded: should it change at its very end, its record says so.
const HELD: usize = 16 << 20;

/// A manifest that is being written.
pub struct Sheet {
    writer: Box<dyn Writer>,
    output: Output,
    times: bool,
    /// The lines of pieces whose files are not done: a file that changes at its end must not leave
    /// digests behind. Files may be in work side by side, hence the map.
    pieces: HashMap<Box<[u8]>, Vec<u8>>,
}

impl Sheet {
    /// Begins a manifest; none if hashloom does not write the format.
    pub fn begin(format: &Format, layout: Layout, output: Output) -> Option<Result<Sheet, WriteError>> {
        let times = layout.times;
        let writer = format.writer?(layout);
        let mut sheet = Sheet { writer, output, times, pieces: HashMap::new() };
        let begun = sheet.writer.begin(&mut sheet.output);
        Some(sheet.checked(begun).map(|()| sheet))
    }

    /// Takes the record of a piece, whose file must follow.
    ///
    /// # Errors
    /// If the format cannot carry it.
    pub fn piece(&mut self, mut record: Record) -> Result<(), WriteError> {
        self.trim(&mut record);
        let lines = self.pieces.entry(record.path.clone()).or_default();
        let mut done = self.writer.record(&record, lines);
        if lines.len() > HELD {
            done = done.and_then(|()| self.output.write_all(lines));
            lines.clear();
        }
        self.checked(done)
    }

    /// Writes the record of a file, after its pieces.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn file(&mut self, mut record: Record) -> Result<(), WriteError> {
        self.trim(&mut record);
        let pieces = self.pieces.remove(&record.path).unwrap_or_default();
        let kept: &[u8] = if record.status == Status::Hashed { &pieces } else { &[] };
        let done = self.output.write_all(kept).and_then(|()| self.writer.record(&record, &mut self.output));
        self.checked(done)
    }

    /// Writes how the run went, if the manifest has case data.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn conclude(&mut self, end: &End) -> Result<(), WriteError> {
        let done = self.writer.conclude(end, &mut self.output);
        self.checked(done)
    }

    /// Writes what comes after the last record, and gives the output its name.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn end(mut self) -> Result<(), WriteError> {
        let done = self.writer.end(&mut self.output);
        self.checked(done)?;
        self.output.finish()
    }

    /// Leaves the manifest without an end, all of it written so far.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn leave(mut self) -> Result<(), WriteError> {
        let done = self.output.flush();
        self.checked(done)
    }

    fn trim(&self, record: &mut Record) {
        if !self.times {
            record.mtime = None;
        }
    }

    fn checked(&self, done: io::Result<()>) -> Result<(), WriteError> {
        done.map_err(|error| self.output.error(error))
    }
}
