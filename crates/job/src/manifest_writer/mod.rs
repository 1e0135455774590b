//! Writing of a manifest: records go through a format's writer into an output.

pub(crate) mod bare_names;

pub use bare_names::SharedNames;

use crate::error::Error;
use crate::misfit::Misfit;
use crate::seen::{Claim, Marker};
use bare_names::BareNames;
use hashmill_content::output::{self, Output, OutputPath, WriteError};
use hashmill_lists::entries::spool::Spool;
use hashmill_lists::history::Below;
use hashmill_lists::kinds::is_of_file;
use hashmill_lists::made::made;
use hashmill_manifest::case::End;
use hashmill_manifest::format::{Body, Format, Layout, Writer};
use hashmill_manifest::{KeptLeaves, Likeness, Named, Piece, Record, Status};
use hashmill_os::names;
use hashmill_terminal::Shown;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

/// Maximum bytes in memory of the records of pieces that wait, of all files together; more go to a temporary file. They
/// wait because a file may still fail at its end, and then its pieces are not written.
const HELD: usize = 16 << 20;

/// A manifest that is being written.
pub struct ManifestWriter {
    writer: Box<dyn Writer>,
    output: Output,
    format: &'static Format,
    /// Pieces of files that are not finished: a file that fails at its end must not leave digests behind. Several files
    /// may be in progress at once, hence the map.
    pieces: HashMap<Box<[u8]>, HeldPieces>,
    /// The bytes of the pieces in memory.
    held: usize,
    /// The layout of the manifest, and of spooled pieces.
    layout: Layout,
    /// Number of records that the format can't carry.
    refused: u64,
    /// Number of files whose records are written.
    files: u64,
    /// Set if paths are written as bare names.
    names: Option<BareNames>,
    /// Set if paths of the walk are written relative to the folder of the manifest.
    below: Option<Arc<Below>>,
    /// Set if claims are kept for [`ManifestWriter::claim`].
    claims: Option<Claims>,
}

/// The lines that were written for the last file, as a claim.
struct Claims {
    marker: Marker,
    claim: Option<Claim>,
    written: Vec<u8>,
}

/// The pieces of a file: in memory, with the bytes that they take, or all of them in a temporary file.
#[derive(Default)]
struct HeldPieces {
    records: Vec<Record>,
    bytes: usize,
    spool: Option<Spool>,
}

/// The reason why a file has no name in a manifest.
const ELSEWHERE: &str = "it is not below the folder of the list, which names are relative to";

/// Checks that the format can be written to this output; `None` is a stream.
///
/// # Errors
/// If it can't.
pub fn fits(format: &'static Format, output: Option<&OutputPath>) -> Result<(), Misfit> {
    match (format.body, output) {
        (Body::Database(_), None) => Err(Misfit::Stream(format)),
        (Body::Database(_), Some(place)) if !output::replaces(place) => {
            Err(Misfit::Pipe(names::path_bytes(&place.path).into()))
        }
        _ => Ok(()),
    }
}

/// A record that the format can't carry. It is left out.
#[derive(Debug)]
pub struct Refusal<'a> {
    /// The path of its file.
    pub path: &'a [u8],
    /// The reason.
    pub why: &'a io::Error,
    /// The name of the format.
    pub format: &'static str,
}

impl fmt::Display for Refusal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: not written as {}: {}", Shown(self.path), self.format, self.why)
    }
}

/// A callback for records that the format can't carry.
pub type OnRefusal<'a> = dyn FnMut(&Refusal<'_>) + 'a;

impl ManifestWriter {
    /// Begins a manifest.
    ///
    /// # Errors
    /// If hashmill does not write the format, or its beginning can't be written.
    pub fn begin(format: &'static Format, layout: Layout, output: Output) -> Result<ManifestWriter, Error> {
        ManifestWriter::begin_within(usize::MAX, format, layout, output)
    }

    /// Begins a manifest like [`ManifestWriter::begin`], with a limit on the bytes that wait to be written.
    ///
    /// # Errors
    /// As [`ManifestWriter::begin`].
    pub fn begin_within(
        memory: usize,
        format: &'static Format,
        layout: Layout,
        output: Output,
    ) -> Result<ManifestWriter, Error> {
        let writer = format.writer.ok_or(Misfit::NoWriter(format))?(layout.clone());
        Ok(ManifestWriter::begin_with(writer, memory, format, layout, output)?)
    }

    /// Begins a manifest like [`ManifestWriter::begin_within`], with a given writer.
    pub(crate) fn begin_with(
        mut writer: Box<dyn Writer>,
        memory: usize,
        format: &'static Format,
        layout: Layout,
        output: Output,
    ) -> Result<ManifestWriter, WriteError> {
        writer.memory(memory);
        if let Some(place) = output.place() {
            writer.place(&place);
        }
        let pieces = HashMap::new();
        let mut manifest = ManifestWriter {
            writer,
            output,
            format,
            pieces,
            held: 0,
            layout,
            refused: 0,
            files: 0,
            names: None,
            below: None,
            claims: None,
        };
        let begun = manifest.head();
        if begun.is_err() {
            manifest.output.discard();
        }
        begun.map(|()| manifest)
    }

    /// Keeps the text that is written for each file from now on, for [`ManifestWriter::claim`].
    pub fn keep_claims(&mut self, marker: Marker) {
        self.claims = Some(Claims { marker, claim: None, written: Vec::new() });
    }

    /// Writes paths as bare names from now on.
    pub fn write_bare_names(&mut self) {
        self.names = Some(BareNames::default());
    }

    /// Writes the paths of the walk relative to this folder from now on.
    pub(crate) fn write_below(&mut self, folder: Option<Arc<Below>>) {
        self.below = folder;
    }

    /// Returns the files that share their bare name with another.
    pub fn shared_names(&self) -> Option<&SharedNames> {
        self.names.as_ref()?.shared()
    }

    /// Returns the text that was written for the last file and its pieces; `None` if the format can't carry its record.
    pub fn claim(&self) -> Option<&Claim> {
        self.claims.as_ref()?.claim.as_ref()
    }

    /// Writes the part before all records.
    fn head(&mut self) -> Result<(), WriteError> {
        if let Some(place) = self.writer.made() {
            *place = made().map_err(|error| self.output.error(error))?;
        }
        let begun = self.writer.begin(&mut self.output);
        self.checked(begun)
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
    pub fn file(&mut self, record: Record, refused: &mut OnRefusal<'_>) -> Result<(), WriteError> {
        self.named(record, refused).map_or(Ok(()), |record| self.named_file(record, refused))
    }

    /// Gives a record the name that it has in the manifest. One that has none is reported.
    fn named(&mut self, record: Record, refused: &mut OnRefusal<'_>) -> Option<Record> {
        let Some(below) = &self.below else { return Some(record) };
        match below.path(&record.path).map(Cow::into_owned) {
            Some(path) => Some(Record { path: path.into(), ..record }),
            None => {
                self.refuse(&record, &io::Error::new(io::ErrorKind::InvalidInput, ELSEWHERE), refused);
                None
            }
        }
    }

    /// Writes the record of a file, with the name that it has in the manifest.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn named_file(
        &mut self,
        mut record: Record,
        refused: &mut OnRefusal<'_>,
    ) -> Result<(), WriteError> {
        self.trim(&mut record);
        let HeldPieces { records, bytes, spool } = self.pieces.remove(&record.path).unwrap_or_default();
        self.held -= bytes;
        if let Some(claims) = &mut self.claims {
            claims.claim = None;
        }
        if record.status == Status::Hashed {
            records.iter().try_for_each(|piece| self.write(piece, refused))?;
            if let Some(spool) = spool {
                spool.records()?.try_for_each(|piece| self.write(&piece?, refused))?;
            }
        }
        self.write(&record, refused)
    }

    /// Forgets the pieces of a file of which no record is written.
    pub fn abandon(&mut self, path: &[u8]) {
        self.held -= self.pieces.remove(path).map_or(0, |pieces| pieces.bytes);
    }

    /// Writes a record of an earlier manifest.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn carry(&mut self, record: Record, refused: &mut OnRefusal<'_>) -> Result<(), WriteError> {
        let Some(mut record) = self.named(record, refused) else { return Ok(()) };
        self.trim(&mut record);
        self.write(&record, refused)
    }

    /// Writes how the run went, if the manifest has case data.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn conclude(&mut self, end: &End) -> Result<(), WriteError> {
        let done = self.writer.conclude(end, &mut self.output);
        self.checked(done)
    }

    /// Writes a record at once. If the format can't carry it, it is reported and left out.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, record: &Record, refused: &mut OnRefusal<'_>) -> Result<(), WriteError> {
        let named = self.names.as_mut().map(|names| names.take(record));
        let record = named.as_ref().unwrap_or(record);
        let done = match &mut self.claims {
            // A run that resumes takes a reused record from the earlier manifest again, which costs less than a claim.
            Some(claims) if !record.is_reused() => claims.record(&mut *self.writer, record, &mut self.output),
            _ => self.writer.record(record, &mut self.output),
        };
        match done {
            Err(why) if is_refusal(&why) => {
                self.refuse(record, &why, refused);
                Ok(())
            }
            done => {
                self.files += u64::from(is_of_file(record));
                self.checked(done)
            }
        }
    }

    fn refuse(&mut self, record: &Record, why: &io::Error, refused: &mut OnRefusal<'_>) {
        self.refused += 1;
        if let Some(claims) = &mut self.claims {
            claims.claim = None;
        }
        refused(&Refusal { path: &record.path, why, format: self.format.name });
    }

    /// Writes the part after the last record and gives the output its name. Returns the number of records that the
    /// format could not carry.
    ///
    /// # Errors
    /// If it cannot be written, or should not replace the manifest that has the name.
    pub fn end(self) -> Result<u64, WriteError> {
        self.end_after(|_| ())
    }

    /// Ends the manifest like [`ManifestWriter::end`], but calls `last` when all is written, before the output gets its
    /// name.
    ///
    /// # Errors
    /// As [`ManifestWriter::end`].
    pub fn end_after(mut self, last: impl FnOnce(&Output)) -> Result<u64, WriteError> {
        let done = self.writer.end(&mut self.output).and_then(|()| self.output.flush());
        self.checked(done)?;
        self.output.replaces_with(self.files)?;
        last(&self.output);
        self.output.finish()?;
        Ok(self.refused)
    }

    /// Leaves the manifest without an end, with all records so far. If the format is useless without its end, the
    /// output is removed.
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
        if !self.layout.times {
            record.mtime = None;
        }
        let keeps = if record.is_inside() { self.layout.inside } else { self.layout.metadata };
        if !keeps {
            record.metadata = None;
        }
    }

    fn checked(&self, done: io::Result<()>) -> Result<(), WriteError> {
        done.map_err(|error| self.output.error(error))
    }
}

impl Claims {
    /// Writes a record and adds it to the claim of its file. A refused record leaves no claim.
    fn record(&mut self, writer: &mut dyn Writer, record: &Record, to: &mut dyn Write) -> io::Result<()> {
        self.written.clear();
        writer.record(record, &mut self.written)?;
        self.claim = Some(self.marker.claim(self.claim.as_ref(), &self.written));
        to.write_all(&self.written)
    }
}

impl HeldPieces {
    /// Moves the records from memory to a temporary file.
    fn spill(&mut self, layout: &Layout) -> Result<(), WriteError> {
        let mut spool = Spool::new(layout)?;
        std::mem::take(&mut self.records).iter().try_for_each(|record| spool.push(record))?;
        self.bytes = 0;
        self.spool = Some(spool);
        Ok(())
    }
}

/// Returns the bytes that the record of a piece takes in memory. The size of some similarity digests is known only by
/// formatting them.
fn bytes(record: &Record) -> usize {
    let likeness = record.likeness.iter().filter_map(|likeness| likeness.text(&record.path));
    size_of::<Record>()
        + record.path.len()
        + record.digests.len() * size_of::<Named>()
        + record.leaves.iter().map(|kept| size_of::<KeptLeaves>() + kept.digests.len()).sum::<usize>()
        + record.bad_blocks.len() * size_of::<Piece>()
        + record.facts.iter().map(|facts| facts.memory()).sum::<usize>()
        + likeness.map(|text| size_of::<Likeness>() + text.len()).sum::<usize>()
}

/// Returns whether the error is a refusal of the record by the format, not a failure of the system.
fn is_refusal(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidInput && error.raw_os_error().is_none()
}
