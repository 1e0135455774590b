//! Records of several manifests in the order of paths, in bounded memory: what is in that order already is
//! read side by side; the rest is sorted in parts, which wait in temporary files.

use crate::cmd::convert::{Input, Joined, Records, Survey};
use crate::exit::Exit;
use anyhow::Context;
use hashloom_engine::Cancel;
use hashloom_manifest::format::{Hint, Layout, find_format, open_path};
use hashloom_manifest::{Named, Piece, Record};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::io::{BufWriter, Write};
use tempfile::NamedTempFile;

/// Records that come in the order of paths, and the number of the manifest that they are from.
pub struct Source {
    records: Box<dyn Iterator<Item = anyhow::Result<Record>>>,
    input: usize,
}

/// The manifests as sources.
///
/// # Errors
/// If one can't be read, or there is no room for temporary files.
pub fn sources(
    inputs: &[Input],
    sorted: &[bool],
    memory: usize,
    cancel: &Cancel,
) -> anyhow::Result<(Vec<Source>, Exit)> {
    let (mut sources, mut exit) = (Vec::new(), Exit::Fine);
    for (number, (input, sorted)) in inputs.iter().zip(sorted).enumerate() {
        let mut records = input.records()?;
        if *sorted {
            // What is malformed is named now, as the rest of it is read while others are.
            for record in &mut records {
                record?;
            }
            exit = exit.and(records.exit());
            let records = Box::new(Joined::new(input.records()?.quiet()));
            sources.push(Source { records, input: number });
            continue;
        }
        for part in parts(&mut records, memory, cancel)? {
            sources.push(Source { records: part, input: number });
        }
        exit = exit.and(records.exit());
    }
    Ok((sources, exit))
}

type Part = Box<dyn Iterator<Item = anyhow::Result<Record>>>;

/// Sorts as much as fits into memory at a time. The last part stays there.
fn parts(records: &mut Records, memory: usize, cancel: &Cancel) -> anyhow::Result<Vec<Part>> {
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
    parts.push(Box::new(held.into_iter().map(Ok)));
    Ok(parts)
}

/// About the bytes that a record takes.
fn weight(record: &Record) -> usize {
    let likeness = record.likeness.len() * (1024 + record.size.unwrap_or(0) as usize / 32);
    let lists = size_of_val(&*record.digests) + record.bad_blocks.len() * size_of::<Piece>();
    size_of::<Record>() + size_of::<Named>() + record.path.len() + lists + likeness
}

/// Sorts records into a temporary file, which goes with what reads it.
fn spill(records: &mut Vec<Record>) -> anyhow::Result<Part> {
    records.sort_by(Survey::order);
    let format = find_format("jsonl").context("a format that carries everything")?;
    let mut writer = format.writer.context("its writer")?(Layout::default());
    let file = NamedTempFile::new().context("cannot make a temporary file")?;
    let mut out = BufWriter::new(file.as_file());
    for record in records.drain(..) {
        writer.record(&record, &mut out).context("cannot write a temporary file")?;
    }
    out.flush().context("cannot write a temporary file")?;
    drop(out);
    let opened =
        open_path(file.path(), Hint::None).map_err(|error| anyhow::anyhow!("a temporary file {error}"))?;
    let records = opened.reader.map(move |record| {
        // The file stays as long as this closure.
        record.with_context(|| format!("{}", file.path().display()))
    });
    Ok(Box::new(records))
}

/// The records of all sources in the order of paths, each with the number of its manifest; what is equal comes in
/// the order of manifests.
pub struct Merged {
    sources: Vec<Source>,
    heads: BinaryHeap<Head>,
}

/// The next record of a source.
struct Head {
    record: Record,
    source: usize,
}

impl Merged {
    /// Merges these.
    ///
    /// # Errors
    /// If the first record of one can't be read.
    pub fn new(sources: Vec<Source>) -> anyhow::Result<Merged> {
        let mut merged = Merged { heads: BinaryHeap::new(), sources };
        for source in 0..merged.sources.len() {
            merged.advance(source)?;
        }
        Ok(merged)
    }

    fn advance(&mut self, source: usize) -> anyhow::Result<()> {
        if let Some(record) = self.sources[source].records.next().transpose()? {
            self.heads.push(Head { record, source });
        }
        Ok(())
    }
}

impl Iterator for Merged {
    type Item = anyhow::Result<(usize, Record)>;

    fn next(&mut self) -> Option<Self::Item> {
        let Head { record, source } = self.heads.pop()?;
        let input = self.sources[source].input;
        Some(self.advance(source).map(|()| (input, record)))
    }
}

/// The greatest head is the one that comes first.
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
