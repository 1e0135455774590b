//! Records of several manifests in the order of paths, in bounded memory: manifests in that order are read side by
//! side; others are sorted in parts, which wait in temporary files.

use crate::convert::{Input, Joined, Malformed, Parsing, RecordSource, Records, Survey, Teller};
use crate::error::Error;
use hashmill_engine::Cancel;
use hashmill_lists::entries::spool::{Spool, weight};
use hashmill_manifest::Record;
use hashmill_manifest::format::Layout;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;

/// Records in the order of paths.
type Part<'a> = Box<dyn RecordSource + 'a>;

/// Records in the order of paths, and the number of their manifest.
pub(super) struct SortedRecords<'a> {
    records: Part<'a>,
    input: usize,
}

/// Returns the manifests as sources, and for each a count of malformed parts, complete once all is read.
///
/// # Errors
/// If one can't be read, or there is no room for temporary files.
pub(super) fn sources<'a>(
    inputs: &[Input],
    sorted: &[bool],
    memory: usize,
    cancel: &Cancel,
    teller: &Rc<Teller<'a>>,
) -> Result<(Vec<SortedRecords<'a>>, Vec<Malformed>), Error> {
    let (mut sources, mut malformed) = (Vec::new(), Vec::new());
    for (number, (input, sorted)) in inputs.iter().zip(sorted).enumerate() {
        let mut records = input.records(Some(teller))?;
        malformed.push(records.malformed.clone());
        let parts: Vec<Part<'a>> = match sorted {
            true => vec![Box::new(Joined::new(records))],
            false => parts(&mut records, memory, cancel)?,
        };
        sources.extend(parts.into_iter().map(|records| SortedRecords { records, input: number }));
    }
    Ok((sources, malformed))
}

/// Sorts as many records at a time as fit into memory. The last part stays in memory.
fn parts<'a>(records: &mut Records<'_>, memory: usize, cancel: &Cancel) -> Result<Vec<Part<'a>>, Error> {
    let (mut parts, mut held, mut bytes) = (Vec::new(), Vec::new(), 0);
    for record in Joined::new(records) {
        let record = record?;
        bytes += weight(&record);
        held.push(record);
        if bytes > memory / 2 {
            parts.push(spill(&mut held)?);
            bytes = 0;
        }
        if cancel.is_set() {
            return Ok(Vec::new());
        }
    }
    held.sort_by(Survey::order);
    parts.push(Box::new(Sorted(held.into_iter().map(Ok))));
    Ok(parts)
}

/// Sorts records into a temporary file, which is deleted with its reader.
fn spill<'a>(records: &mut Vec<Record>) -> Result<Part<'a>, Error> {
    records.sort_by(Survey::order);
    let mut spool = Spool::new(&Layout::default())?;
    records.drain(..).try_for_each(|record| spool.push(&record))?;
    Ok(Box::new(Sorted(spool.records()?.map(|record| Ok(record?)))))
}

/// Records that were sorted.
struct Sorted<I>(I);

impl<I: Iterator<Item = Result<Record, Error>>> Iterator for Sorted<I> {
    type Item = Result<Record, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

impl<I: Iterator<Item = Result<Record, Error>>> RecordSource for Sorted<I> {}

/// Returns manifests in the order of paths as sources.
pub(super) fn parsed<'a>(parsing: Vec<Parsing>) -> Vec<SortedRecords<'a>> {
    let source = |(input, records)| SortedRecords { records: Box::new(records) as Part<'a>, input };
    parsing.into_iter().enumerate().map(source).collect()
}

/// The records of all sources in the order of paths, each with the number of its manifest; equal ones come in the order
/// of manifests.
pub(super) struct Merged<'a> {
    sources: Vec<SortedRecords<'a>>,
    heads: BinaryHeap<Head>,
}

/// The next record of a source.
struct Head {
    record: Record,
    source: usize,
}

impl<'a> Merged<'a> {
    /// Merges sources.
    ///
    /// # Errors
    /// If the first record of a source can't be read.
    pub(super) fn new(sources: Vec<SortedRecords<'a>>) -> Result<Merged<'a>, Error> {
        let mut merged = Merged { heads: BinaryHeap::new(), sources };
        for source in 0..merged.sources.len() {
            merged.advance(source)?;
        }
        Ok(merged)
    }

    /// Takes back a record of this manifest that is no longer needed.
    pub(super) fn give_back(&mut self, input: usize, record: Record) {
        if let Some(source) = self.sources.iter_mut().find(|source| source.input == input) {
            source.records.give_back(record);
        }
    }

    fn advance(&mut self, source: usize) -> Result<(), Error> {
        if let Some(record) = self.sources[source].records.next().transpose()? {
            self.heads.push(Head { record, source });
        }
        Ok(())
    }
}

impl Iterator for Merged<'_> {
    type Item = Result<(usize, Record), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let Head { record, source } = self.heads.pop()?;
        let input = self.sources[source].input;
        Some(self.advance(source).map(|()| (input, record)))
    }
}

/// The greatest head comes first.
impl Ord for Head {
    fn cmp(&self, other: &Self) -> Ordering {
        Survey::order(&other.record, &self.record).then(other.source.cmp(&self.source))
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Head {}
