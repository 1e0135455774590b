//! The manifest that a command writes: records through a format's writer into an output.

use crate::exit::Exit;
use crate::message;
use crate::output::{self, Output, WriteError};
use anyhow::{bail, ensure};
use hashloom_manifest::case::End;
use hashloom_manifest::format::{Body, Format, Layout, Writer};
use hashloom_manifest::{Named, Record, Status};
use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Bytes of records of one file's pieces that are held back. A file with more gives them out as they come,
/// so that memory stays bounded: should it change at its very end, its record says so.
const HELD: usize = 16 << 20;

/// A manifest that is being written.
pub struct Sheet {
    writer: Box<dyn Writer>,
    output: Output,
    format: &'static Format,
    times: bool,
    /// The pieces whose files are not done: a file that changes at its end must not leave digests behind.
    /// Files may be in work side by side, hence the map.
    pieces: HashMap<Box<[u8]>, Held>,
    /// Records that the format can't carry.
    refused: u64,
}

/// Pieces of a file, and how many bytes they take.
#[derive(Default)]
struct Held {
    records: Vec<Record>,
    bytes: usize,
}

/// Whether the format can be written there; `None` is standard output.
///
/// # Errors
/// Why not.
pub fn fits(format: &Format, output: Option<&Path>) -> anyhow::Result<()> {
    let output = output.filter(|path| *path != Path::new("-"));
    match (format.body, output) {
        (Body::Database(_), None) => {
            bail!("-f {}: a database can't go to standard output; -o FILE", format.name)
        }
        (Body::Database(_), Some(path)) => {
            ensure!(
                output::replaces(path),
                "{}: a database needs a file, not a pipe or device",
                path.display()
            );
        }
        (Body::Whole(_), None) if io::stdout().is_terminal() => {
            bail!("-f {}: bytes are nothing for a terminal; -o FILE", format.name)
        }
        _ => {}
    }
    Ok(())
}

impl Sheet {
    /// Begins a manifest; none if hashloom does not write the format.
    pub fn begin(
        format: &'static Format,
        layout: Layout,
        output: Output,
    ) -> Option<Result<Sheet, WriteError>> {
        Sheet::begin_within(usize::MAX, format, layout, output)
    }

    /// As [`Sheet::begin`], with a bound on the bytes that wait to be written.
    pub fn begin_within(
        memory: usize,
        format: &'static Format,
        layout: Layout,
        output: Output,
    ) -> Option<Result<Sheet, WriteError>> {
        let times = layout.times;
        let mut writer = format.writer?(layout);
        writer.memory(memory);
        if let Some(place) = output.place() {
            writer.place(&place);
        }
        let mut sheet = Sheet { writer, output, format, times, pieces: HashMap::new(), refused: 0 };
        let begun = sheet.writer.begin(&mut sheet.output);
        Some(sheet.checked(begun).map(|()| sheet))
    }

    /// Takes the record of a piece, whose file must follow.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn piece(&mut self, mut record: Record) -> Result<(), WriteError> {
        self.trim(&mut record);
        let held = self.pieces.entry(record.path.clone()).or_default();
        held.bytes += size_of::<Record>() + record.path.len() + record.digests.len() * size_of::<Named>();
        held.records.push(record);
        if held.bytes <= HELD {
            return Ok(());
        }
        let records = std::mem::take(held).records;
        records.iter().try_for_each(|record| self.write(record))
    }

    /// Writes the record of a file, after its pieces.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn file(&mut self, mut record: Record) -> Result<(), WriteError> {
        self.trim(&mut record);
        let pieces = self.pieces.remove(&record.path).unwrap_or_default().records;
        if record.status == Status::Hashed {
            pieces.iter().try_for_each(|piece| self.write(piece))?;
        }
        self.write(&record)
    }

    /// Writes how the run went, if the manifest has case data.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn conclude(&mut self, end: &End) -> Result<(), WriteError> {
        let done = self.writer.conclude(end, &mut self.output);
        self.checked(done)
    }

    /// Writes a record as it comes. One that the format can't carry is named, and left out.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, record: &Record) -> Result<(), WriteError> {
        match self.writer.record(record, &mut self.output) {
            Err(error) if is_refusal(&error) => {
                self.refused += 1;
                message::about(&record.path, format_args!("not written as {}: {error}", self.format.name));
                Ok(())
            }
            done => self.checked(done),
        }
    }

    /// Writes what comes after the last record, and gives the output its name. Says whether all was written.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn end(mut self) -> Result<Exit, WriteError> {
        let done = self.writer.end(&mut self.output);
        self.checked(done)?;
        self.output.finish()?;
        Ok(Exit::Failed.when(self.refused > 0))
    }

    /// As [`Sheet::end`], with something done when all is written, before the output gets its name.
    ///
    /// # Errors
    /// If it cannot be written, or what is done fails: then the output keeps its old content.
    pub fn end_after(mut self, last: impl FnOnce(&Output) -> anyhow::Result<()>) -> anyhow::Result<Exit> {
        let done = self.writer.end(&mut self.output).and_then(|()| self.output.flush());
        self.checked(done)?;
        last(&self.output)?;
        self.output.finish()?;
        Ok(Exit::Failed.when(self.refused > 0))
    }

    /// Leaves the manifest without an end, all of it written so far; nothing of a format that is of no use so.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn leave(mut self) -> Result<(), WriteError> {
        if !matches!(self.format.body, Body::Text) {
            self.output.discard();
            return Ok(());
        }
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

/// Whether it is the format that says no, and not the system.
fn is_refusal(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidInput && error.raw_os_error().is_none()
}
