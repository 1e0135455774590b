//! The manifest that a command writes: records through a format's writer into an output.

use crate::exit::Exit;
use crate::message;
use crate::output::{self, Output, WriteError};
use crate::spool::Spool;
use anyhow::{bail, ensure};
use hashloom_manifest::case::End;
use hashloom_manifest::format::{Body, Carries, FORMATS, Format, Layout, Writer};
use hashloom_manifest::{Likeness, Named, Piece, Record, Status};
use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Bytes of records of pieces that are held back in memory, those of all files together. What is more waits in a
/// temporary file: should reading fail at the very end, no digest of a piece stays behind.
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
    /// Bytes of them in memory.
    held: usize,
    /// What pieces may have.
    layout: Layout,
    /// Records that the format can't carry.
    refused: u64,
}

/// Pieces of a file: in memory, with the bytes that they take, or all of them in a temporary file.
#[derive(Default)]
struct Held {
    records: Vec<Record>,
    bytes: usize,
    spool: Option<Spool>,
}

/// The formats that are written and carry this, in words.
pub fn carriers(carries: impl Fn(&Carries) -> bool) -> String {
    let can = FORMATS.iter().filter(|format| format.writer.is_some() && carries(&format.carries));
    let can: Vec<&str> = can.map(|format| format.name).collect();
    match can.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        few => few.concat(),
    }
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
        let mut writer = format.writer?(layout.clone());
        writer.memory(memory);
        if let Some(place) = output.place() {
            writer.place(&place);
        }
        let mut sheet =
            Sheet { writer, output, format, times, pieces: HashMap::new(), held: 0, layout, refused: 0 };
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
        if let Some(spool) = &mut held.spool {
            return spool.push(&record);
        }
        let bytes = bytes(&record);
        held.bytes += bytes;
        self.held += bytes;
        held.records.push(record);
        if self.held > HELD {
            self.held -= held.bytes;
            held.spill(&self.layout)?;
        }
        Ok(())
    }

    /// Writes the record of a file, after its pieces.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn file(&mut self, mut record: Record) -> Result<(), WriteError> {
        self.trim(&mut record);
        let Held { records, bytes, spool } = self.pieces.remove(&record.path).unwrap_or_default();
        self.held -= bytes;
        if record.status == Status::Hashed {
            records.iter().try_for_each(|piece| self.write(piece))?;
            if let Some(spool) = spool {
                spool.records()?.try_for_each(|piece| self.write(&piece?))?;
            }
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

impl Held {
    /// From memory into a temporary file.
    fn spill(&mut self, layout: &Layout) -> Result<(), WriteError> {
        let mut spool = Spool::new(layout)?;
        std::mem::take(&mut self.records).iter().try_for_each(|record| spool.push(record))?;
        self.bytes = 0;
        self.spool = Some(spool);
        Ok(())
    }
}

/// What the record of a piece takes in memory. Of some likeness digests nobody knows before it is text.
fn bytes(record: &Record) -> usize {
    let likeness = record.likeness.iter().filter_map(|likeness| likeness.text(&record.path));
    size_of::<Record>()
        + record.path.len()
        + record.digests.len() * size_of::<Named>()
        + record.bad_blocks.len() * size_of::<Piece>()
        + likeness.map(|text| size_of::<Likeness>() + text.len()).sum::<usize>()
}

/// Whether it is the format that says no, and not the system.
fn is_refusal(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidInput && error.raw_os_error().is_none()
}
