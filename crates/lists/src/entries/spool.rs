//! Records in an unnamed temporary file, for when there are too many for memory.

use hashmill_content::output::WriteError;
use hashmill_content::output::scratch::failed;
use hashmill_digest::Style;
use hashmill_manifest::format::{Format, Hint, Layout, Reader, Writer, find_format};
use hashmill_manifest::{Named, Piece, Record};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, ErrorKind, Seek};

/// A format that carries everything in the record of a piece.
const FORMAT: &str = "jsonl";

/// Records in their order. The file disappears with this value, however the process ends.
pub struct Spool {
    writer: Box<dyn Writer>,
    file: BufWriter<File>,
}

impl Spool {
    /// Creates an empty spool for records of this layout.
    ///
    /// # Errors
    /// If no temporary file can be created.
    pub fn new(layout: &Layout) -> Result<Spool, WriteError> {
        let layout = Layout { case: None, style: Style::Usual, ..layout.clone() };
        let made = || {
            Ok(Spool {
                writer: format()?.writer.ok_or(ErrorKind::Unsupported)?(layout),
                file: BufWriter::new(tempfile::tempfile()?),
            })
        };
        made().map_err(failed)
    }

    /// Adds a record.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn push(&mut self, record: &Record) -> Result<(), WriteError> {
        self.writer.record(record, &mut self.file).map_err(failed)
    }

    /// Returns the records, from the first.
    ///
    /// # Errors
    /// If records that were still buffered can't be written.
    pub fn records(self) -> Result<impl Iterator<Item = Result<Record, WriteError>>, WriteError> {
        let reread = || {
            let mut file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.rewind()?;
            let reader: Box<dyn Reader> = (format()?.reader)(Box::new(BufReader::new(file)), Hint::None);
            Ok(reader)
        };
        let reader = reread().map_err(failed)?;
        Ok(reader.map(|record| record.map_err(|bad| failed(io::Error::other(bad.to_string())))))
    }
}

/// Estimates the bytes that a record takes.
pub fn weight(record: &Record) -> usize {
    let likeness = record.likeness.len() * (1024 + record.size.unwrap_or(0) as usize / 32);
    let lists = size_of_val(&*record.digests) + record.bad_blocks.len() * size_of::<Piece>();
    let leaves: usize = record.leaves.iter().map(|leaves| leaves.digests.len()).sum();
    let texts = [&record.reason, &record.version].into_iter().flatten().map(|text| text.len()).sum::<usize>();
    let path = record.path.len() + texts;
    let facts: usize = record.facts.iter().map(|facts| facts.memory()).sum();
    size_of::<Record>() + size_of::<Named>() + facts + path + lists + likeness + leaves
}

fn format() -> io::Result<&'static Format> {
    find_format(FORMAT).ok_or_else(|| ErrorKind::Unsupported.into())
}
