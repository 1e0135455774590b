//! Distribution of the engine's events to the sets of known digests, the observer and the manifest.

use super::event::{HashEvent, HashSummary};
use super::manifest::Target;
use super::scan::ScanCounts;
use crate::error::Error;
use crate::labels::Labels;
use crate::manifest_writer::{ManifestWriter, Refusal};
use crate::notice::Notice;
use crate::resume::begun::Begun;
use crate::resume::{OnKept, Replay};
use crate::seen::Marker;
use hashmill_content::entry::facts::EntryFacts;
use hashmill_content::entry::stated::{Difference, Stated};
use hashmill_content::entry::unread::NotLookedInto;
use hashmill_content::output::Output;
use hashmill_content::stores;
use hashmill_engine::flow::Flow;
use hashmill_engine::{self as engine, EntryResult, Trouble};
use hashmill_lists::history::Generations;
use hashmill_lists::history::next::Next;
use hashmill_manifest::Record;
use hashmill_manifest::case::Faults;
use hashmill_os::names;
use hashmill_source::{Meta, Problem, Skip};
use hashmill_terminal::count;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Receives the events of the engine.
pub(super) struct Sink<'a> {
    pub(super) observer: &'a mut (dyn FnMut(HashEvent<'_>) -> Flow + 'a),
    pub(super) labels: Option<Labels>,
    /// Whether records have metadata.
    pub(super) with_metadata: bool,
    pub(super) stated: Stated,
    pub(super) facts: EntryFacts,
    pub(super) unread: NotLookedInto,
    pub(super) writing: Option<Writing>,
    pub(super) summary: HashSummary,
    pub(super) error: Option<Error>,
    /// Whether the observer wants no more events.
    pub(super) stopped: bool,
    /// Whether a store could not be reached, so that another run may hash what this one lacks.
    pub(super) unreached: bool,
}

/// A manifest that is being written.
pub(super) struct Writing {
    pub(super) writer: ManifestWriter,
    output: Output,
    pub(super) replay: Option<Replay>,
    /// The marker of the metadata of hashed files, and the output that takes its marks, if the run may be resumed.
    marks: Option<(Marker, Output)>,
    /// The states of large objects.
    begun: Option<Arc<Begun>>,
    /// Problems with files, if the manifest is to list them.
    pub(super) faults: Option<Faults>,
    /// The histories that are continued.
    history: Option<Arc<Next>>,
}

impl Writing {
    /// Begins the manifest.
    pub(super) fn begin(target: &Target, memory: usize, replay: Option<Replay>) -> Result<Writing, Error> {
        let (shape, output) = (&target.shape, target.output.clone());
        let (format, layout) = (shape.format, shape.layout.clone());
        let begun = match &target.history {
            Some(next) => {
                let writer = Box::new(Generations::new(Arc::clone(next)));
                ManifestWriter::begin_with(writer, memory, format, layout, output).map_err(Error::from)
            }
            None => ManifestWriter::begin_within(memory, format, layout, output),
        };
        if let (Err(_), None, Some(resumable)) = (&begun, &replay, &target.resumable) {
            // Nothing was begun, so there is nothing to resume. The first error is the one to report.
            let _ = resumable.beside.end();
        }
        let mut writer = begun?;
        if target.bare_names {
            writer.write_bare_names();
        }
        writer.write_below(target.below.clone());
        let marks = target.resumable.as_ref().map(|_| Marker::new()).transpose();
        let marks = marks.map_err(Error::Algorithm)?.map(|marker| (marker, target.output.clone()));
        marks.iter().for_each(|(marker, _)| writer.keep_claims(*marker));
        let faults = shape.layout.case.is_some().then(Faults::default);
        let (output, history) = (target.output.clone(), target.history.clone());
        let begun = target.resumable.as_ref().map(|resumable| Arc::clone(&resumable.begun));
        Ok(Writing { writer, output, replay, marks, begun, faults, history })
    }

    /// Records the metadata of the file whose records were just written.
    fn mark(&self, meta: &Meta) {
        if let (Some((marker, output)), Some(claim)) = (&self.marks, self.writer.claim()) {
            output.note(&marker.mark(claim, meta));
        }
    }
}

impl Sink<'_> {
    pub(super) fn take(&mut self, event: engine::EngineEvent) -> ControlFlow<()> {
        match self.accept(event) {
            Ok(()) if self.stopped => ControlFlow::Break(()),
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    /// Reports an event to the observer.
    pub(super) fn tell(&mut self, event: HashEvent<'_>) {
        self.stopped |= (self.observer)(event).is_break();
    }

    fn accept(&mut self, event: engine::EngineEvent) -> Result<(), Error> {
        let Some(labels) = &mut self.labels else { return self.pass(event) };
        if labels.hold(event) { self.release() } else { Ok(()) }
    }

    /// Passes on the events that were held back for their labels.
    pub(super) fn release(&mut self) -> Result<(), Error> {
        let Some(labels) = &mut self.labels else { return Ok(()) };
        let events = labels.release()?;
        for event in &events {
            if let engine::EngineEvent::Done(EntryResult { record, .. }) = event
                && is_judged_bad(self.labels.as_ref(), record)
            {
                self.tell(HashEvent::KnownBad(record));
            }
        }
        events.into_iter().try_for_each(|event| self.pass(event))
    }

    fn pass(&mut self, event: engine::EngineEvent) -> Result<(), Error> {
        match event {
            engine::EngineEvent::Piece(record) => {
                self.tell(HashEvent::Piece(&record));
                Ok(self.writing.as_mut().map_or(Ok(()), |writing| writing.writer.piece(record))?)
            }
            engine::EngineEvent::Done(outcome) => {
                self.write_kept()?;
                self.done(outcome)
            }
        }
    }

    /// Writes the records of an interrupted run that belong before the entry that has just been finished.
    fn write_kept(&mut self) -> Result<(), Error> {
        let Some(Writing { writer, replay: Some(replay), .. }) = &mut self.writing else { return Ok(()) };
        let mut kept = Kept::new(&self.stated, self.labels.as_mut());
        let count = &mut |record: &Record| kept.count(record);
        replay.before_next(writer, &mut OnKept { kept: count, refused: &mut on_refusal(self.observer) })?;
        let unlike = kept.add_to(&mut self.summary);
        self.tell_unlike(unlike);
        Ok(())
    }

    /// Writes those that belong after the last entry.
    pub(super) fn write_rest(&mut self) -> Result<(), Error> {
        let Some(Writing { writer, replay, .. }) = &mut self.writing else { return Ok(()) };
        let Some(replay) = replay.take() else { return Ok(()) };
        let mut kept = Kept::new(&self.stated, self.labels.as_mut());
        let count = &mut |record: &Record| kept.count(record);
        let written =
            replay.rest(writer, &mut OnKept { kept: count, refused: &mut on_refusal(self.observer) })?;
        self.summary.kept = written;
        let unlike = kept.add_to(&mut self.summary);
        self.tell_unlike(unlike);
        Ok(())
    }

    /// Reports digests that are not those that an image states.
    fn tell_unlike(&mut self, unlike: Vec<(Record, Vec<Difference>)>) {
        for (record, differences) in unlike {
            for difference in differences {
                self.summary.differing += 1;
                self.tell(HashEvent::Differs(&record, &difference));
                self.fault(&record.path, || difference.to_string());
            }
        }
    }

    fn done(&mut self, mut outcome: EntryResult) -> Result<(), Error> {
        self.facts.give(&mut outcome.record);
        if self.with_metadata && outcome.record.metadata.is_none() && outcome.trouble.is_none() {
            outcome.record.metadata = outcome.metadata().map(Box::new);
        }
        if outcome.trouble.is_none() {
            self.compare(&outcome.record);
        }
        let record = &outcome.record;
        match &outcome.trouble {
            Some(Trouble::Failed(error)) => {
                self.unreached |= may_pass(&error.problem);
                self.tell(HashEvent::Failed(error, record));
                self.writing.iter().for_each(|writing| {
                    writing.output.lacks(&error.path);
                    writing.output.lacks_records_of(&error.path);
                });
                self.fault(&error.path, || error.problem.to_string());
            }
            Some(Trouble::Skipped(why)) => {
                self.tell(HashEvent::Skipped(record, *why));
                // The user asked for both: by filters, and by naming an output.
                if matches!(why, Skip::Filtered | Skip::Output) {
                    return Ok(());
                }
                *self.summary.skipped.entry(*why).or_insert(0) += 1;
            }
            None => {
                let is_bad = is_judged_bad(self.labels.as_ref(), record);
                self.summary.known_bad += u64::from(is_bad);
                self.summary.scans.count(record, is_bad);
                self.tell(HashEvent::Hashed(record));
                if !record.bad_blocks.is_empty() {
                    self.summary.damaged += 1;
                    self.fault(&record.path, || damage(record));
                }
            }
        }
        self.write(outcome)
    }

    /// Reports remarks about the histories, and their files that no longer exist.
    pub(super) fn miss(&mut self, writing: &Writing) {
        let Some(next) = &writing.history else { return };
        for (folder, why) in next.remarks() {
            self.tell(HashEvent::Notice(Notice::Malformed { list: &names::path_bytes(&folder), why }));
        }
        for rename in next.renamed() {
            self.tell(HashEvent::Renamed(&rename));
        }
        for path in next.missing() {
            self.summary.differing += 1;
            self.tell(HashEvent::Missing(&path));
        }
    }

    /// Compares digests of the data in an image with those that the image states, and digests of files with those in
    /// their history.
    fn compare(&mut self, record: &Record) {
        let history = self.writing.as_ref().and_then(|writing| writing.history.clone());
        for unlike in history.iter().flat_map(|next| next.unlike(record)) {
            self.summary.differing += 1;
            self.tell(HashEvent::Unlike(record, &unlike));
        }
        self.tell_unlike(different(&self.stated, record).into_iter().collect());
    }

    fn fault(&mut self, path: &[u8], problem: impl FnOnce() -> String) {
        if let Some(faults) = self.writing.as_mut().and_then(|writing| writing.faults.as_mut()) {
            faults.push(path, hashmill_terminal::without_numbers(&problem()).into_owned());
        }
    }

    fn write(&mut self, outcome: EntryResult) -> Result<(), Error> {
        let Some(writing) = &mut self.writing else { return Ok(()) };
        let shown = |labels: &Labels| labels.show().takes(&outcome.record);
        if !self.labels.as_ref().is_none_or(shown) {
            return Ok(());
        }
        let EntryResult { record, meta, trouble, .. } = outcome;
        if let (Some(begun), Some(meta), None) = (&writing.begun, &meta, &trouble) {
            begun.done(&record.path, meta);
        }
        let is_lacking = self.unread.lacks(&record.path);
        writing.writer.file(record, &mut on_refusal(self.observer))?;
        // A run that resumes reads such a file again, to tell what this one told.
        if let (Some(meta), None, false) = (meta, trouble, is_lacking) {
            writing.mark(&meta);
        }
        Ok(())
    }
}

/// The records of an interrupted run that are taken over, as far as they affect the result.
struct Kept<'a> {
    stated: &'a Stated,
    labels: Option<&'a mut Labels>,
    known_bad: u64,
    scans: ScanCounts,
    unlike: Vec<(Record, Vec<Difference>)>,
}

impl<'a> Kept<'a> {
    fn new(stated: &'a Stated, labels: Option<&'a mut Labels>) -> Kept<'a> {
        Kept { stated, labels, known_bad: 0, scans: ScanCounts::default(), unlike: Vec::new() }
    }

    fn count(&mut self, record: &Record) {
        let is_bad = is_judged_bad(self.labels.as_deref(), record);
        self.labels.iter_mut().for_each(|labels| labels.count(record));
        self.known_bad += u64::from(is_bad);
        self.scans.count(record, is_bad);
        self.unlike.extend(different(self.stated, record));
    }

    /// Adds the numbers. Returns the records with digests that are not those that an image states.
    fn add_to(self, summary: &mut HashSummary) -> Vec<(Record, Vec<Difference>)> {
        summary.known_bad += self.known_bad;
        summary.scans.add(self.scans);
        self.unlike
    }
}

/// Returns whether files are judged, and this one is known to be bad.
fn is_judged_bad(labels: Option<&Labels>, record: &Record) -> bool {
    let judging = labels.is_some_and(|labels| labels.purpose().is_judging());
    judging && record.label.as_deref().is_some_and(|label| &*label.category == "bad")
}

/// Returns a record with its differences from what an image states, if there are some.
fn different(stated: &Stated, record: &Record) -> Option<(Record, Vec<Difference>)> {
    let differences = stated.differences(record);
    (!differences.is_empty()).then(|| (record.clone(), differences))
}

/// Returns whether the problem may be temporary.
fn may_pass(problem: &Problem) -> bool {
    match problem {
        Problem::Stat(source)
        | Problem::List(source)
        | Problem::Open(source)
        | Problem::Read { source, .. } => stores::may_pass(source),
        _ => false,
    }
}

/// Returns a function that reports records that the format can't represent.
pub(super) fn on_refusal(observer: &mut (dyn FnMut(HashEvent<'_>) -> Flow + '_)) -> impl FnMut(&Refusal<'_>) {
    |refusal| {
        // An observer that wants no more events says so again at the next record.
        let _ = observer(HashEvent::Notice(Notice::Refused(refusal)));
    }
}

/// Describes the unreadable parts of a file, as in `512 bytes in 1 place can't be read; the digests are of zeros
/// there`.
pub fn damage(record: &Record) -> String {
    let bytes: u64 = record.bad_blocks.iter().map(|range| range.length).sum();
    let places = count(record.bad_blocks.len() as u64, "place", "places");
    format!("{bytes} bytes in {places} can't be read; the digests are of zeros there")
}
