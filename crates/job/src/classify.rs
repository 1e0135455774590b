//! Classification of the records of a manifest by their digests, without reading the files.

use crate::account::{Account, Item, Outcome};
use crate::error::Error;
use crate::labels::{self, Labels, Purpose, Show};
use crate::manifest_writer::{self, ManifestWriter};
use crate::notice::{Notice, of_signatures};
use hashmill_content::output::{To, create};
use hashmill_digest::Algorithm;
use hashmill_engine::Cancel;
use hashmill_engine::flow::Flow;
use hashmill_facts::FactSet;
use hashmill_known::{Category, Sets};
use hashmill_lists::distinct::distinct;
use hashmill_lists::kinds;
use hashmill_lists::listing::name_of;
use hashmill_lists::signatures::guard::Guard;
use hashmill_manifest::format::{Format, Hint, Layout, Malformed, Reader, Why};
use hashmill_manifest::{Record, Status};
use hashmill_os::names;
use hashmill_similar::Similar;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The number of records that are classified together.
const BATCH: usize = 1024;

/// The settings of a classification.
pub struct ClassifyJob {
    /// The path of the manifest; `-` is standard input.
    pub manifest: PathBuf,
    /// The sets that records are looked up in, and the categories to report.
    pub labels: Labels,
    /// The signatures that the manifest must have.
    pub guard: Guard,
    /// Ends the job soon after it is set.
    pub cancel: Cancel,
}

/// A step of a job.
#[derive(Debug)]
#[non_exhaustive]
pub enum ClassifyEvent<'a> {
    /// A record with its label, if its category is to be reported.
    Record(&'a Record),
    /// The first known bad file was met. Its record follows soon.
    MetBad,
    /// A notice for the user.
    Notice(Notice<'a>),
}

/// The result of a job.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct ClassifySummary {
    /// Whether the run was cancelled; the numbers then don't cover all records.
    pub interrupted: bool,
    /// The number of records of each category.
    pub categories: BTreeMap<Box<str>, u64>,
    /// Parts of the manifest that could not be parsed.
    pub malformed: u64,
    /// Records of pieces, which are skipped: sets have digests of whole files.
    pub pieces: u64,
    /// Records that the format of the new manifest can't represent.
    pub refused: u64,
    /// Records that a set has no digest to look up for by their algorithms: they look unknown whatever they are.
    pub unmatched: u64,
    /// Records of files that were not read, or only in part, when the manifest was made.
    pub unread: u64,
    /// Whether no record was looked up.
    pub is_idle: bool,
    /// The account of the records.
    pub account: Account,
}

/// A job whose manifest was opened.
pub struct Classification {
    labels: Labels,
    cancel: Cancel,
    format: &'static Format,
    records: Records,
}

impl ClassifyJob {
    /// Makes a job for this manifest and these sets, with default settings.
    pub fn new(manifest: &Path, sets: Sets, show: Show) -> ClassifyJob {
        let labels = Labels::new(sets, show, Purpose::Judge);
        ClassifyJob {
            manifest: manifest.to_path_buf(),
            labels,
            guard: Guard::default(),
            cancel: Cancel::default(),
        }
    }

    /// Opens the manifest.
    ///
    /// # Errors
    /// If it is not a manifest, or a signature beside it is not valid or not sufficient.
    pub fn open(self, told: &mut dyn FnMut(Notice<'_>)) -> Result<Classification, Error> {
        let path = self.manifest.as_os_str();
        let hint = if path == "-" { Hint::None } else { Hint::from_name(&names::path_bytes(path)) };
        let name = name_of(path);
        let opened = self.guard.open(path, &mut of_signatures(told))?.open(hint);
        let opened = opened.map_err(|why| Error::Unusable { path: name.clone(), why })?;
        let records = Records { name, reader: opened.reader, malformed: 0, pieces: 0 };
        Ok(Classification { labels: self.labels, cancel: self.cancel, format: opened.format, records })
    }
}

impl Classification {
    /// Returns the manifest's format, if records with labels can be written in it.
    pub fn format(&self) -> Option<&'static Format> {
        Some(self.format).filter(|format| format.writer.is_some() && self.labels.fits(format).is_ok())
    }

    /// Returns the sets that records are looked up in, and the categories to report.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// Reports every record whose category is to be shown.
    ///
    /// # Errors
    /// If the manifest can't be read to its end, or a set is damaged.
    pub fn run(
        mut self,
        observer: &mut dyn FnMut(ClassifyEvent<'_>) -> Flow,
    ) -> Result<ClassifySummary, Error> {
        let first = self.records.batch(observer)?;
        self.each(first, None, observer)
    }

    /// Does the same as [`Classification::run`], and writes the records into a new manifest.
    ///
    /// # Errors
    /// As [`Classification::run`]; and if the format can't represent labels, or the manifest can't be written.
    pub fn write(
        mut self,
        format: &'static Format,
        to: To,
        observer: &mut dyn FnMut(ClassifyEvent<'_>) -> Flow,
    ) -> Result<ClassifySummary, Error> {
        self.labels.fits(format)?;
        manifest_writer::fits(format, to.file())?;
        let first = self.records.batch(observer)?;
        let output = match to {
            To::Stream(output) => output,
            To::File(place) => create(&place, kinds::MANIFEST)?,
        };
        let layout = layout(format, &self.records, &first);
        let writer = ManifestWriter::begin(format, layout, output.clone())?;
        let done = self.each(first, Some(writer), observer);
        if !done.as_ref().is_ok_and(|summary| !summary.interrupted) {
            output.discard();
        }
        done
    }

    /// Classifies all records, and writes those that are shown.
    fn each(
        mut self,
        mut batch: Vec<Record>,
        mut writer: Option<ManifestWriter>,
        observer: &mut dyn FnMut(ClassifyEvent<'_>) -> Flow,
    ) -> Result<ClassifySummary, Error> {
        let mut summary = ClassifySummary::default();
        let held = labels::algorithms_of_each(self.labels.sets());
        self.check_common(&batch, &held)?;
        while !batch.is_empty() && !summary.interrupted {
            let met_bad = self.labels.met_bad();
            self.labels.label(&mut batch.iter_mut().collect::<Vec<_>>())?;
            if self.labels.met_bad() && !met_bad {
                summary.interrupted |= observer(ClassifyEvent::MetBad).is_break();
            }
            batch.iter().for_each(|record| summary.count(record, &held));
            for record in batch.into_iter().filter(|record| self.labels.show().takes(record)) {
                summary.interrupted |= observer(ClassifyEvent::Record(&record)).is_break();
                if let Some(writer) = &mut writer {
                    writer.file(record, &mut |refusal| {
                        // An observer that wants no more events says so again at the next record.
                        let _ = observer(ClassifyEvent::Notice(Notice::Refused(refusal)));
                    })?;
                }
            }
            summary.interrupted |= self.cancel.is_set();
            batch = self.records.batch(observer)?;
        }
        summary.refused = match writer {
            Some(writer) if !summary.interrupted => writer.end()?,
            _ => 0,
        };
        summary.categories = self.labels.counts().clone();
        Ok(summary.end(&self.records))
    }

    /// Checks that the sets have digests by an algorithm of the first records.
    fn check_common(&self, batch: &[Record], held: &[Vec<&'static Algorithm>]) -> Result<(), Error> {
        let digested = || batch.iter().filter(|record| !record.digests.is_empty());
        if digested().next().is_none() || !digested().all(|record| is_unmatched(record, held)) {
            return Ok(());
        }
        let all = distinct(digested().flat_map(|record| &record.digests).map(|named| named.algorithm));
        Ok(labels::check(self.labels.sets(), &all)?)
    }
}

impl ClassifySummary {
    /// Counts a record that was looked up in sets, each with digests by these algorithms.
    fn count(&mut self, record: &Record, held: &[Vec<&'static Algorithm>]) {
        let is_unmatched = is_unmatched(record, held);
        let is_unread = !record.is_sound() && record.status != Status::Skipped;
        self.unmatched += u64::from(is_unmatched);
        self.unread += u64::from(is_unread);
        let outcome = match record.label.as_deref() {
            _ if is_unread => Outcome::Failed,
            Some(label) if &*label.category == Category::Bad.word() => Outcome::Differs,
            _ if is_unmatched => Outcome::Failed,
            _ if record.status == Status::Skipped => Outcome::NoBytes,
            _ => Outcome::Done,
        };
        self.account.count(Item::Record, outcome, 1);
    }

    /// Closes the account.
    fn end(mut self, records: &Records) -> ClassifySummary {
        (self.malformed, self.pieces) = (records.malformed, records.pieces);
        let account = &mut self.account;
        // Where nothing was looked up, nothing is known to be good.
        self.is_idle = !account.has(Outcome::Done) && !account.has(Outcome::Differs);
        let of_pieces = if self.is_idle { Outcome::Failed } else { Outcome::LeftOut };
        account.count(Item::List, Outcome::Failed, self.is_idle.into());
        account.turn(Item::Record, Outcome::Failed, self.refused);
        account.count(Item::Record, of_pieces, self.pieces);
        account.count(Item::Record, Outcome::Failed, self.malformed);
        account.is_interrupted = self.interrupted;
        self
    }
}

/// Returns whether a record could not be looked up in each set: it has no digest by an algorithm of one, although its file was
/// read.
fn is_unmatched(record: &Record, held: &[Vec<&'static Algorithm>]) -> bool {
    let can_be_in =
        |held: &Vec<&Algorithm>| record.digests.iter().any(|named| held.contains(&named.algorithm));
    record.is_sound() && (held.is_empty() || !held.iter().all(can_be_in))
}

/// Returns the columns of the new manifest: everything that the records may have and the format can represent.
fn layout(format: &Format, records: &Records, first: &[Record]) -> Layout {
    let mut algorithms = records.reader.columns().to_vec();
    if algorithms.is_empty() {
        algorithms = distinct(first.iter().flat_map(|record| &record.digests).map(|named| named.algorithm));
    }
    let carries = format.carries;
    let likeness = if carries.likeness { likeness(records, first, algorithms.len()) } else { Vec::new() };
    Layout {
        algorithms,
        likeness,
        facts: if carries.facts { facts(first) } else { FactSet::default() },
        times: carries.mtime,
        metadata: carries.metadata && first.iter().any(|record| record.metadata.is_some()),
        inside: carries.inside && first.iter().any(Record::is_inside),
        attributes: carries.metadata && first.iter().any(Record::has_attributes),
        bad_blocks: carries.bad_blocks,
        labels: carries.labels,
        stored: carries.stored,
        versions: carries.version && first.iter().any(|record| record.version.is_some()),
        ..Layout::default()
    }
}

/// Returns the facts that the first records have.
fn facts(first: &[Record]) -> FactSet {
    let all = first.iter().filter_map(|record| record.facts.as_ref());
    all.fold(FactSet::default(), |set, facts| set.with(facts.known()))
}

/// Returns the similarity algorithms of a manifest, in columns after `digests` others where it doesn't state their
/// columns.
fn likeness(records: &Records, first: &[Record], digests: usize) -> Vec<(usize, &'static Similar)> {
    let mut kinds = records.reader.likeness().to_vec();
    if kinds.is_empty() {
        for likeness in first.iter().flat_map(|record| &record.likeness) {
            if kinds.iter().all(|(_, known)| *known != likeness.algorithm) {
                kinds.push((digests + kinds.len(), likeness.algorithm));
            }
        }
    }
    kinds
}

/// The records of whole files in a manifest.
struct Records {
    name: Box<[u8]>,
    reader: Box<dyn Reader>,
    malformed: u64,
    pieces: u64,
}

impl Records {
    /// Returns the next records; empty at the end.
    fn batch(&mut self, observer: &mut dyn FnMut(ClassifyEvent<'_>) -> Flow) -> Result<Vec<Record>, Error> {
        let mut batch = Vec::with_capacity(BATCH);
        while batch.len() < BATCH {
            match self.reader.next() {
                None => break,
                Some(Ok(record)) if record.piece.is_some() => self.pieces += 1,
                Some(Ok(record)) => batch.push(record),
                Some(Err(why @ Malformed { why: Why::Io(_), .. })) => {
                    return Err(Error::of_place(self.name.clone(), why));
                }
                Some(Err(why)) => {
                    self.malformed += 1;
                    // An observer that wants no more events says so again at the next record.
                    let _ =
                        observer(ClassifyEvent::Notice(Notice::Malformed { list: &self.name, why: &why }));
                }
            }
        }
        Ok(batch)
    }
}
