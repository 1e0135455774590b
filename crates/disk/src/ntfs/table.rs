//! The table of files (MFT): records by number, in clusters that its own first record states.

use super::attribute::{ATTRIBUTE_LIST, Attribute, DATA, Value};
use super::boot::Boot;
use super::list;
use super::record::{Record, Reference};
use super::stream::Stream;
use crate::{ByteRuns, Content, Medium, Problem};
use std::sync::Arc;

/// The most records: numbers of records have 32 bits in all known systems.
const MAX_RECORDS: u64 = 1 << 32;

/// The table of files.
#[derive(Debug)]
pub(super) struct RecordTable {
    /// The medium of the file system; it keeps what was read last.
    pub medium: Arc<dyn Medium>,
    /// The sizes of things.
    pub boot: Boot,
    content: Content,
    count: u64,
}

impl RecordTable {
    /// Finds the table by its first record, or the copy of that. Adds to the doubts what is wrong with it.
    ///
    /// # Errors
    /// If neither can be read.
    pub(super) fn open(
        medium: Arc<dyn Medium>,
        boot: Boot,
        doubts: &mut Vec<Problem>,
    ) -> Result<RecordTable, Problem> {
        let first = read_first(&*medium, &boot, boot.mft).or_else(|problem| {
            let copy = read_first(&*medium, &boot, boot.mirror).map_err(|_| problem)?;
            doubts.push(Problem::incomplete("the first record of the MFT is damaged: its copy was used"));
            Ok::<_, Problem>(copy)
        })?;
        let mut table = RecordTable { medium, boot, content: Content::empty(), count: 0 };
        if let Some(problem) = table.map(&first)? {
            doubts.push(Problem::incomplete(format!("a part of the MFT can't be found: {problem}")));
        }
        Ok(table)
    }

    /// Returns the number of records, no more than the medium has room for.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Returns the size of a record in bytes.
    pub(super) fn record_size(&self) -> usize {
        self.boot.record as usize
    }

    /// Reads a record.
    ///
    /// # Errors
    /// If there is none of this number, or it is torn.
    pub(super) fn read(&self, number: u64) -> Result<Record, Problem> {
        let mut bytes = vec![0; self.record_size()];
        self.read_bytes(number, &mut bytes)?;
        Record::parse(number, bytes)
    }

    /// Reads the bytes of records from one on.
    ///
    /// # Errors
    /// If not all can be read.
    pub(super) fn read_bytes(&self, number: u64, bytes: &mut [u8]) -> Result<(), Problem> {
        if number >= self.count {
            return Err(Problem::damaged(format!("the MFT has no record {number}")));
        }
        read_all(&*self.medium, &self.content, number.saturating_mul(self.boot.record), bytes)
    }

    /// Adds the runs of the table, one part after the other, as the first record and the list in it state them. Returns
    /// why the last parts are missing, if they are.
    fn map(&mut self, first: &Record) -> Result<Option<Problem>, Problem> {
        let own = first.attributes().map_while(Result::ok).find(is_table);
        let Some(Attribute { value: Value::Extent(extent), .. }) = own else {
            return Err(Problem::damaged("the first record of the MFT does not state where it is"));
        };
        let mut runs = ByteRuns::default();
        let (size, valid) = (extent.size, extent.valid);
        let added = extent.add_to(&mut runs, self.boot.cluster, self.boot.size());
        self.set(&runs, size, valid);
        let Err(problem) = added.and_then(|()| self.map_others(first, &mut runs, size, valid)) else {
            return Ok((self.count.saturating_mul(self.boot.record) < valid).then_some(Problem::Short));
        };
        if self.count == 0 { Err(problem) } else { Ok(Some(problem)) }
    }

    /// Adds the runs in other records, each of which lies in a part that was added before.
    fn map_others(
        &mut self,
        first: &Record,
        runs: &mut ByteRuns,
        size: u64,
        valid: u64,
    ) -> Result<(), Problem> {
        let Some(attribute) = first.attribute(ATTRIBUTE_LIST) else { return Ok(()) };
        let stored = Stream::join(&[attribute], &self.boot).content?;
        let entries = list::parse(&list::read(&*self.medium, &stored)?)?;
        let is_other = |entry: &&list::ListEntry| {
            entry.kind == DATA && entry.name.is_empty() && entry.place.number != first.number
        };
        for entry in entries.iter().filter(is_other) {
            let record = self.read(entry.place.number)?;
            if record.base().map(|base| base.number) != Some(first.number) {
                return Err(Problem::damaged("the list of its attributes leads elsewhere"));
            }
            let is_meant = |attribute: &Attribute<'_>| is_table(attribute) && attribute.id == entry.id;
            match record.attributes().map_while(Result::ok).find(is_meant) {
                Some(Attribute { value: Value::Extent(extent), .. }) => {
                    let added = extent.add_to(runs, self.boot.cluster, self.boot.size());
                    self.set(runs, size, valid);
                    added?;
                }
                _ => return Err(Problem::damaged("a part of its runs is not where the list states it")),
            }
        }
        Ok(())
    }

    fn set(&mut self, runs: &ByteRuns, size: u64, valid: u64) {
        let stated = size.min(valid).min(runs.length()).min(self.medium.size());
        self.count = (stated / self.boot.record).min(MAX_RECORDS);
        self.content = Content::Plain { runs: Arc::new(runs.clone()), size, valid };
    }
}

fn is_table(attribute: &Attribute<'_>) -> bool {
    attribute.kind == DATA && attribute.name.is_empty()
}

/// Reads the first record, at a position.
fn read_first(medium: &dyn Medium, boot: &Boot, place: u64) -> Result<Record, Problem> {
    let mut bytes = vec![0; boot.record as usize];
    medium.read_at(place, &mut bytes)?;
    let record = Record::parse(0, bytes)?;
    let is_right = record.base().is_none() && record.attribute(DATA).is_some();
    if is_right { Ok(record) } else { Err(Problem::damaged("the first record of the MFT is not its own")) }
}

/// Fills a buffer from an offset on.
///
/// # Errors
/// If the content ends before.
pub(super) fn read_all(
    medium: &dyn Medium,
    content: &Content,
    offset: u64,
    bytes: &mut [u8],
) -> Result<(), Problem> {
    let mut filled = 0;
    while filled < bytes.len() {
        match content.read_at(medium, offset.saturating_add(filled as u64), &mut bytes[filled..])? {
            0 => return Err(Problem::Short),
            read => filled += read,
        }
    }
    Ok(())
}

/// The root directory, and other records whose numbers are fixed.
pub(super) const VOLUME: u64 = 3;
pub(super) const ROOT: u64 = 5;
pub(super) const CLUSTERS: u64 = 6;
pub(super) const LOG: u64 = 2;
pub(super) const EXTEND: u64 = 11;
/// The first record that is not kept for metadata.
pub(super) const FIRST_FREE: u64 = 16;

/// Reads a record, if a reference still means it. A use that is 0 stands for any, as all systems take it.
///
/// # Errors
/// If it can't be read, or was used again since.
pub(super) fn referred(table: &RecordTable, reference: Reference) -> Result<Record, Problem> {
    let record = table.read(reference.number)?;
    if record.reference() == reference || [record.sequence(), 0].contains(&reference.sequence) {
        return Ok(record);
    }
    Err(Problem::damaged(format!(
        "record {} of the MFT was meant in its use {}, and is in use {}",
        reference.number,
        reference.sequence,
        record.sequence()
    )))
}
