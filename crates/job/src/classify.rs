//! Classifies the records of a manifest by the digests that they have. No file of theirs is read.

use crate::error::Error;
use crate::flow::Flow;
use crate::hash::To;
use crate::labels::{Labels, Purpose, Show};
use crate::listing::name_of;
use crate::manifest_writer::{self, ManifestWriter};
use crate::misfit::Misfit;
use crate::notice::Notice;
use crate::output::{Kind, Output};
use crate::signatures::guard::Guard;
use hashloom_engine::Cancel;
use hashloom_known::Sets;
use hashloom_manifest::Record;
use hashloom_manifest::format::{Format, Hint, Layout, Malformed, Reader, Why};
use hashloom_similar::Similar;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Records that are classified together.
const BATCH: usize = 1024;

/// Which manifest is classified, and by what.
pub struct Job {
    /// The manifest; `-` is standard input.
    pub manifest: PathBuf,
    /// What records are compared with, and which of them are given.
    pub labels: Labels,
    /// The signatures that are asked of the manifest.
    pub guard: Guard,
    /// Ends the job soon after it is set.
    pub cancel: Cancel,
}

/// One step of a job.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A record with what it is known as. Those that are not to be shown are left out.
    Record(&'a Record),
    /// The first file was met that is known to be bad. Its record follows soon.
    MetBad,
    /// Something that is worth a line.
    Notice(Notice<'a>),
}

/// What a job came to.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// It was cancelled: the numbers are not of all.
    pub interrupted: bool,
    /// A file was met that is known to be bad.
    pub met_bad: bool,
    /// Parts of the manifest that can't be read.
    pub malformed: u64,
    /// Records of pieces, which were left out: sets have digests of whole files.
    pub pieces: u64,
    /// Records that the new manifest's format can't carry.
    pub refused: u64,
}

/// A job whose manifest is open.
pub struct Classification {
    labels: Labels,
    cancel: Cancel,
    format: &'static Format,
    records: Records,
}

impl Job {
    /// Records of this manifest, by these sets.
    pub fn new(manifest: &Path, sets: Sets, show: Show) -> Job {
        let labels = Labels::new(sets, show, Purpose::Judge);
        Job { manifest: manifest.to_path_buf(), labels, guard: Guard::default(), cancel: Cancel::default() }
    }

    /// Opens the manifest.
    ///
    /// # Errors
    /// If it is none, or a signature beside it is not as it has to be.
    pub fn open(self, told: &mut dyn FnMut(Notice<'_>)) -> Result<Classification, Error> {
        let path = self.manifest.as_os_str();
        let hint = if path == "-" { Hint::None } else { Hint::from_name(path.as_bytes()) };
        let name = name_of(path);
        let opened = self.guard.open(path, told)?.open(hint);
        let opened = opened.map_err(|why| Error::Unusable { path: name.clone(), why })?;
        let records = Records { name, reader: opened.reader, malformed: 0, pieces: 0 };
        Ok(Classification { labels: self.labels, cancel: self.cancel, format: opened.format, records })
    }
}

impl Classification {
    /// The manifest's format, if records with what they are known as can be written in it.
    pub fn format(&self) -> Option<&'static Format> {
        Some(self.format).filter(|format| format.writer.is_some() && self.labels.fits(format).is_ok())
    }

    /// What records are compared with.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// Gives every record that is to be shown.
    ///
    /// # Errors
    /// If the manifest can't be read to its end, or a set is damaged.
    pub fn run(mut self, observer: &mut dyn FnMut(Event<'_>) -> Flow) -> Result<Summary, Error> {
        let first = self.records.batch(observer)?;
        self.each(first, None, observer)
    }

    /// As [`Classification::run`], and writes the records into a new manifest.
    ///
    /// # Errors
    /// As [`Classification::run`]; and if the format can't carry what records are known as, or the manifest can't be
    /// written.
    pub fn write(
        mut self,
        (format, to): (&'static Format, To),
        observer: &mut dyn FnMut(Event<'_>) -> Flow,
    ) -> Result<Summary, Error> {
        self.labels.fits(format)?;
        manifest_writer::fits(format, to.path())?;
        let first = self.records.batch(observer)?;
        let output = match to {
            To::Stream(output) => output,
            To::File(place) => Output::file(&place, Kind::Manifest)?,
        };
        let layout = layout(format, &self.records, &first);
        let writer = ManifestWriter::begin(format, layout, output.clone());
        let writer = writer.ok_or(Misfit::NoWriter(format))??;
        let done = self.each(first, Some(writer), observer);
        if !done.as_ref().is_ok_and(|summary| !summary.interrupted) {
            output.discard();
        }
        done
    }

    fn each(
        mut self,
        mut batch: Vec<Record>,
        mut writer: Option<ManifestWriter>,
        observer: &mut dyn FnMut(Event<'_>) -> Flow,
    ) -> Result<Summary, Error> {
        let mut interrupted = false;
        while !batch.is_empty() && !interrupted {
            let met_bad = self.labels.met_bad();
            self.labels.label(&mut batch.iter_mut().collect::<Vec<_>>())?;
            if self.labels.met_bad() && !met_bad {
                interrupted |= observer(Event::MetBad).is_break();
            }
            for record in batch {
                if self.labels.show().takes(record.label.as_deref()) {
                    interrupted |= observer(Event::Record(&record)).is_break();
                    if let Some(writer) = &mut writer {
                        writer.file(record, &mut |refusal| {
                            // Whoever wants no more says so at the next record.
                            let _ = observer(Event::Notice(Notice::Refused(refusal)));
                        })?;
                    }
                }
            }
            interrupted |= self.cancel.is_set();
            batch = self.records.batch(observer)?;
        }
        let refused = match writer {
            Some(writer) if !interrupted => writer.end()?,
            _ => 0,
        };
        let Records { malformed, pieces, .. } = self.records;
        Ok(Summary { interrupted, met_bad: self.labels.met_bad(), malformed, pieces, refused })
    }
}

/// The columns of the manifest; all that its records may have is kept where the format has a place for it.
fn layout(format: &Format, records: &Records, first: &[Record]) -> Layout {
    let mut algorithms = records.reader.columns().to_vec();
    if algorithms.is_empty() {
        for named in first.iter().flat_map(|record| &record.digests) {
            if !algorithms.contains(&named.algorithm) {
                algorithms.push(named.algorithm);
            }
        }
    }
    let carries = format.carries;
    let likeness = if carries.likeness { likeness(records, first, algorithms.len()) } else { Vec::new() };
    Layout {
        algorithms,
        likeness,
        style: hashloom_digest::Style::default(),
        leaves: false,
        pieces: false,
        times: carries.mtime,
        bad_blocks: carries.bad_blocks,
        labels: carries.labels,
        stored: carries.stored,
        versions: carries.version && first.iter().any(|record| record.version.is_some()),
        case: None,
    }
}

/// The similarity algorithms of a manifest, behind so many others where it does not tell their places.
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

/// The records of whole files.
struct Records {
    name: Box<[u8]>,
    reader: Box<dyn Reader>,
    malformed: u64,
    pieces: u64,
}

impl Records {
    /// The next records; none at the end.
    fn batch(&mut self, observer: &mut dyn FnMut(Event<'_>) -> Flow) -> Result<Vec<Record>, Error> {
        let mut batch = Vec::with_capacity(BATCH);
        while batch.len() < BATCH {
            match self.reader.next() {
                None => break,
                Some(Ok(record)) if record.piece.is_some() => self.pieces += 1,
                Some(Ok(record)) => batch.push(record),
                Some(Err(why @ Malformed { why: Why::Io(_), .. })) => {
                    return Err(Error::Torn { path: self.name.clone(), why: Box::new(why) });
                }
                Some(Err(why)) => {
                    self.malformed += 1;
                    // Whoever wants no more says so at the next record.
                    let _ = observer(Event::Notice(Notice::Malformed { list: &self.name, why: &why }));
                }
            }
        }
        Ok(batch)
    }
}
