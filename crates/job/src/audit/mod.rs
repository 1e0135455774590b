//! Comparison of files with manifests.
//!
//! [`AuditJob::read`] reads the manifests, and [`Audit::run`] hashes and judges. Verdicts are reported as soon as they
//! are known; those that need all files (missing, moved) come last.

mod either;
mod entry;
mod manifests;
mod next;
mod others;
mod reading;
mod streamed;
mod tally;

pub use entry::{Entry, ShownContent};
use manifests::Kept;
pub use manifests::{Manifests, OnNotice, here};
pub(crate) use manifests::{OpenLists, SAMPLE, places_of};
pub(crate) use others::{OtherPaths, Others, added};
pub use tally::{Counted, Ground, LeftOut, Tally};

use crate::account::{Account, Item, Outcome};
use crate::error::Error;
use crate::notice::Notice;
use crate::reuse::{self, Reuse, Reusing};
use either::EitherJudge;
use hashmill_content::entry::facts::EntryFacts;
use hashmill_content::entry::stated::{Difference, Stated};
use hashmill_content::output::{OutputPath, WriteError};
use hashmill_content::resources::Resources;
use hashmill_content::selection::own::OwnFiles;
use hashmill_content::selection::{ListError, Selection};
use hashmill_digest::Algorithm;
use hashmill_engine::flow::{Entries, Flow};
use hashmill_engine::{self as engine, Cancel, EntryResult, Live, Plan, Stats, Trouble};
use hashmill_known::{Classifier, Sets};
use hashmill_lists::history::{Ignored, Patterns};
use hashmill_lists::listed::Reach;
use hashmill_lists::listing::Listing;
use hashmill_lists::signatures::staged;
use hashmill_manifest::audit::{Category, Finish, Learner, Root, Unjudged, Verdict};
use hashmill_manifest::{Label, Record};
use hashmill_source::{Problem, Skip};
use next::Next;
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

/// The settings of an audit.
#[derive(Default)]
pub struct AuditJob {
    /// The names of the manifests.
    pub manifests: Vec<(PathBuf, Listing)>,
    /// The algorithm of digests whose algorithm nothing names; without it, it is learnt from files that match.
    pub algorithm: Option<&'static Algorithm>,
    /// The places that listed paths may lead to, where the manifests decide which files are read.
    pub reach: Reach,
    /// The files to audit; without it, the files that the manifests name.
    pub selection: Option<Selection>,
    /// Sets of known digests to look changed and new files up in.
    pub sets: Option<Sets>,
    /// The path of a new manifest to write.
    pub update: Option<OutputPath>,
    /// Whether the new manifest lacks the records that were not compared; else it takes them over.
    pub prune: bool,
    /// The earlier manifest whose digests of unchanged files are taken over.
    pub reuse: Option<Reuse>,
    /// Whether verdicts include the content of both sides.
    pub sides: bool,
    /// Threads, memory and devices to use.
    pub resources: Resources,
    /// Ends the audit soon after it is set.
    pub cancel: Cancel,
}

/// A step of an audit.
#[derive(Debug)]
pub enum AuditEvent<'a> {
    /// The verdict on a file or piece. If no manifest has its content, the label that it is known by.
    Verdict(&'a Verdict, Option<&'a Label>),
    /// An entry could not be read.
    Failed(&'a hashmill_source::Error),
    /// A digest that an image states differs from the digest of its data.
    Differs(&'a Record, &'a Difference),
    /// A file could not be compared.
    Unjudged(&'a Unjudged),
    /// An operand does not exist, and no manifest names it.
    Stranger(&'a [u8]),
    /// The kind of a path that is new and no file: a link, a FIFO or the like. The verdict follows.
    Other(&'a [u8], Skip),
    /// The kind of a path that is no file, where the manifests can't list any such.
    NoBytes(&'a [u8], Skip),
    /// A file was left out because it belongs to the manifests.
    Own(&'a [u8]),
    /// Files were skipped that no manifest lists and that patterns in manifests exclude.
    Ignored(&'a Ignored),
    /// All entries were read. Verdicts that need all files follow.
    AllRead,
    /// All verdicts were given.
    AllJudged(&'a AuditSummary),
    /// A notice for the user.
    Notice(Notice<'a>),
}

/// The result of an audit or a comparison.
#[derive(Debug, Default)]
pub struct AuditSummary {
    /// Whether the run was cancelled; the numbers then don't cover all files.
    pub interrupted: bool,
    /// The number of files in each category, and of files that were not compared.
    pub counted: Counted,
    /// Lines of the manifests that could not be parsed.
    pub malformed: u64,
    /// The algorithms that were assumed for unnamed digests.
    pub guessed: Vec<&'static Algorithm>,
    /// Entries that could not be read, now or when their manifest was made.
    pub failed: u64,
    /// Digests stated by images that differ from those of their data.
    pub differing: u64,
    /// Operands that don't exist and that no manifest names.
    pub strangers: u64,
    /// Records that the format of the new manifest can't represent.
    pub refused: u64,
    /// The reason why the new manifest was not written.
    pub unwritten: Option<WriteError>,
    /// Objects that were compared by the metadata of their stores.
    pub compared: u64,
    /// Operands that stand for a directory of another name in the manifests.
    pub mapped: Vec<Root>,
    /// The work done and the time it took.
    pub stats: Stats,
    /// The error that ended the list of paths early.
    pub list_problem: Option<io::Error>,
}

impl AuditSummary {
    /// Returns the account of what was compared.
    pub fn account(&self) -> Account {
        if self.interrupted {
            return Account::interrupted();
        }
        let (counted, count) = (&self.counted, |category| self.counted.counts.count(category));
        let mut account = Account::done(Item::Record, count(Category::Matched));
        account.count(Item::Record, Outcome::Differs, counted.differing() + self.differing);
        // A file that can't be read may be counted twice: as an entry, and as a record without a counterpart.
        account.count(
            Item::Record,
            Outcome::Failed,
            self.malformed + counted.unjudged + count(Category::Unreadable),
        );
        let LeftOut { closed, .. } = counted.left_out;
        account.count(Item::Record, Outcome::LeftOut, counted.left_out.all() - closed);
        account.count(Item::Record, Outcome::NotLookedInto, closed);
        account.count(Item::Entry, Outcome::NoBytes, counted.unlisted);
        account.count(Item::Entry, Outcome::LeftOut, counted.own + counted.ignored);
        account.count(Item::Entry, Outcome::Failed, self.failed);
        account.count(Item::Operand, Outcome::Failed, self.strangers + u64::from(counted.is_idle));
        account.count(Item::List, Outcome::Failed, self.list_problem.is_some().into());
        account.count(Item::Output, Outcome::Failed, self.refused + u64::from(self.unwritten.is_some()));
        account
    }

    /// Returns whether everything on both sides was read and compared.
    pub fn is_complete(&self) -> bool {
        let account = self.account();
        let is_open = account.has(Outcome::Failed) || account.has(Outcome::NotLookedInto);
        !account.is_interrupted && !is_open
    }
}

/// An audit whose manifests were read.
pub struct Audit {
    plan: Plan,
    unneeded: Option<&'static Algorithm>,
    entries: Entries,
    reusing: Option<Reusing>,
    list: ListError,
    live: Arc<Live>,
    comparison: Comparison,
    tally: Tally,
    /// The summary of what is known before files are read.
    summary: AuditSummary,
}

/// The state of a comparison, beside what was reported of it.
struct Comparison {
    judge: EitherJudge,
    /// The lists with digests by unknown algorithms.
    open: OpenLists,
    /// The files that belong to the manifests, including the new one.
    own: OwnFiles,
    /// Patterns of files that are not reported as new.
    ignoring: Vec<Patterns>,
    /// The digests that images among the files state for their data.
    stated: Stated,
    /// The facts about entries inside of others, for the new manifest.
    facts: EntryFacts,
    next: Option<Next>,
    /// The records of the manifests, if the new manifest may take them over.
    kept: Vec<(Kept, Learner)>,
    prune: bool,
    classifier: Option<Classifier>,
    /// The entries beside files that the manifests list, if their formats have a place for it.
    others: Option<Others>,
    /// Whether verdicts have details.
    with_sides: bool,
}

impl AuditJob {
    /// Makes an audit of the files that a selection finds, with default settings.
    pub fn new(manifests: Vec<(PathBuf, Listing)>, selection: Option<Selection>) -> AuditJob {
        AuditJob { manifests, selection, ..AuditJob::default() }
    }

    /// Reads the manifests and compares.
    ///
    /// # Errors
    /// As [`AuditJob::read`] and [`Audit::run`].
    pub fn run(self, observer: &mut dyn FnMut(AuditEvent<'_>) -> Flow) -> Result<AuditSummary, Error> {
        // An observer that wants no more events says so again at the first verdict.
        self.read(&mut |notice| {
            let _ = observer(AuditEvent::Notice(notice));
        })?
        .run(observer)
    }
}

impl Audit {
    /// Returns the number of lines of the manifests that could not be parsed.
    pub fn malformed(&self) -> u64 {
        self.summary.malformed
    }

    /// Returns the algorithm that was named for digests, if no digest of the manifests may be by it.
    pub fn unneeded(&self) -> Option<&'static Algorithm> {
        self.unneeded
    }

    /// Returns the algorithms that are computed for every file.
    pub fn algorithms(&self) -> &[&'static Algorithm] {
        &self.plan.algorithms
    }

    /// Returns counters that are updated while the audit runs.
    pub fn live(&self) -> Arc<Live> {
        Arc::clone(&self.live)
    }

    /// Hashes the files, and reports every verdict to the observer.
    ///
    /// # Errors
    /// If the new manifest can't be written, or an index of known digests is damaged.
    pub fn run(self, observer: &mut dyn FnMut(AuditEvent<'_>) -> Flow) -> Result<AuditSummary, Error> {
        let Audit { plan, unneeded: _, entries, reusing, list, live, comparison, tally, summary } = self;
        let teller = Teller { observer, tally, summary, stopped: false };
        let mut sink = Sink { comparison, teller, cancel: plan.cancel.clone(), error: None };
        let notes = reusing.as_ref().map(|reusing| reusing.notes.clone());
        let entries = reuse::items(entries, reusing);
        let stats = hashmill_engine::run(&plan, entries, &live, &mut |event| sink.take(event));
        sink.teller.tell(AuditEvent::AllRead);
        if let Some(notes) = notes.filter(|_| !plan.cancel.is_set()) {
            notes.tell(&mut |notice| sink.teller.notice(notice));
        }
        sink.teller.tally.counted.reused = stats.reused;
        sink.teller.summary.stats = stats;
        sink.teller.summary.list_problem = list.take();
        sink.end(&plan)
    }
}

/// Receives the events of the engine.
struct Sink<'a> {
    comparison: Comparison,
    teller: Teller<'a>,
    cancel: Cancel,
    error: Option<Error>,
}

/// Reports events to the observer and counts them.
struct Teller<'a> {
    observer: &'a mut (dyn FnMut(AuditEvent<'_>) -> Flow + 'a),
    tally: Tally,
    summary: AuditSummary,
    /// Whether the observer wants no more events.
    stopped: bool,
}

impl Sink<'_> {
    fn take(&mut self, event: engine::EngineEvent) -> ControlFlow<()> {
        let done = match event {
            engine::EngineEvent::Piece(record) => self.piece(record),
            engine::EngineEvent::Done(outcome) => self.done(outcome),
        };
        self.error = done.err();
        let over = self.error.is_some() || self.teller.stopped;
        if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn piece(&mut self, record: Record) -> Result<(), Error> {
        if self.ignored_by(&record.path)?.is_some() {
            return Ok(());
        }
        self.observe(&record)?;
        Ok(self.comparison.next.as_mut().map_or(Ok(()), |next| next.writer.piece(record))?)
    }

    /// Returns the pattern of a manifest that excludes a file that no manifest lists.
    fn ignored_by(&mut self, path: &[u8]) -> Result<Option<Box<[u8]>>, Error> {
        match self.comparison.ignoring.iter().find_map(|patterns| patterns.leaving_out(path)) {
            Some(pattern) if !self.comparison.judge.knows(path)? => Ok(Some(pattern.into())),
            _ => Ok(None),
        }
    }

    fn done(&mut self, mut outcome: EntryResult) -> Result<(), Error> {
        self.comparison.facts.give(&mut outcome.record);
        if self.comparison.next.is_some() && outcome.record.metadata.is_none() && outcome.trouble.is_none() {
            outcome.record.metadata = outcome.metadata().map(Box::new);
        }
        if is_file(outcome.trouble.as_ref())
            && let Some(pattern) = self.ignored_by(&outcome.record.path)?
        {
            self.teller.tally.ignored(&pattern);
            return Ok(());
        }
        match &outcome.trouble {
            // A known file that doesn't exist is missing, not unreadable; it is reported at the end.
            Some(Trouble::Failed(error)) if is_missing(error) => {
                self.lacks(&error.path);
                self.teller.tally.vanished(error);
                return Ok(());
            }
            Some(Trouble::Failed(error)) => {
                self.lacks(&error.path);
                self.teller.tell(AuditEvent::Failed(error));
                self.teller.tally.failed(error, &error.path);
            }
            Some(Trouble::Skipped(Skip::EmptyFolder)) => {
                let judged = self.comparison.judge.observe_folder(&outcome.record.path)?;
                return self.judged(judged, &outcome.record);
            }
            Some(Trouble::Skipped(Skip::Filtered | Skip::Ignored | Skip::OtherFileSystem)) => {
                let path = &outcome.record.path;
                let is_known = self.comparison.judge.leave_out(path)?;
                self.teller.tally.left_out(path, is_known);
                return Ok(());
            }
            Some(Trouble::Skipped(
                why @ (Skip::Link | Skip::Loop | Skip::Fifo | Skip::Socket | Skip::Device),
            )) => return self.other(&outcome.record, *why),
            Some(Trouble::Skipped(Skip::Output))
                if self.comparison.own.is_unfinished(&outcome.record.path) =>
            {
                return Ok(());
            }
            Some(Trouble::Skipped(Skip::Output)) if self.comparison.own.is_at(&outcome.record.path) => {
                let is_known = self.comparison.judge.leave_out(&outcome.record.path)?;
                self.teller.tally.own(is_known);
                self.teller.tell(AuditEvent::Own(&outcome.record.path));
                return Ok(());
            }
            // Another name of a file of the audit itself. A listed file that has become one counts as gone.
            Some(Trouble::Skipped(why @ Skip::Output)) => return self.other(&outcome.record, *why),
            // Parts of something else are reported with the entry that they belong to.
            Some(Trouble::Skipped(_)) => {
                self.comparison.judge.leave_out(&outcome.record.path)?;
                return Ok(());
            }
            None => {}
        }
        for difference in self.comparison.stated.differences(&outcome.record) {
            self.teller.summary.differing += 1;
            self.teller.tell(AuditEvent::Differs(&outcome.record, &difference));
        }
        self.observe(&outcome.record)?;
        let Comparison { next: Some(next), judge, prune, .. } = &mut self.comparison else { return Ok(()) };
        if !outcome.record.is_sound() && !*prune && judge.set_aside(&outcome.record.path) {
            next.writer.abandon(&outcome.record.path);
            return Ok(());
        }
        let teller = &mut self.teller;
        Ok(next.writer.file(outcome.record, &mut |refusal| teller.notice(Notice::Refused(refusal)))?)
    }

    /// Takes a link, a FIFO or the like. One that the manifests could have listed and did not is new; a file that has been
    /// replaced by one counts as gone. Other names of the audit's own files are files, which all manifests can list.
    fn other(&mut self, record: &Record, why: Skip) -> Result<(), Error> {
        let Comparison { others, judge, .. } = &mut self.comparison;
        let is_known = match others.as_mut().filter(|_| !why.has_bytes()) {
            Some(others) => others.has(&record.path)?,
            None => !why.has_bytes(),
        };
        let is_known_file = judge.knows(&record.path)?;
        if others.is_none() && !why.has_bytes() {
            if !is_known_file {
                self.teller.tally.counted.unlisted += 1;
                self.teller.tell(AuditEvent::NoBytes(&record.path, why));
            }
            return Ok(());
        }
        if !is_known && !is_known_file {
            self.teller.tell(AuditEvent::Other(&record.path, why));
            let verdict = added(&record.path, record.reason.clone(), self.comparison.with_sides);
            self.teller.verdict(&verdict, None);
        }
        if why.has_bytes() {
            return Ok(());
        }
        let Some(next) = &mut self.comparison.next else { return Ok(()) };
        let teller = &mut self.teller;
        Ok(next.writer.file(record.clone(), &mut |refusal| teller.notice(Notice::Refused(refusal)))?)
    }

    fn lacks(&self, path: &[u8]) {
        if let Some(next) = &self.comparison.next {
            next.output.lacks(path);
            if self.comparison.prune {
                next.output.lacks_records_of(path);
            }
        }
    }

    fn observe(&mut self, record: &Record) -> Result<(), Error> {
        let judged = self.comparison.judge.observe(record)?;
        self.judged(judged, record)
    }

    fn judged(&mut self, judged: Result<Option<Verdict>, Unjudged>, record: &Record) -> Result<(), Error> {
        let judged = match judged {
            Ok(Some(verdict)) => self.other_reading(verdict, record).map(Some),
            judged => judged,
        };
        match judged {
            Ok(Some(verdict)) => {
                let label = self.label(&verdict, record)?;
                self.teller.verdict(&verdict, label.as_deref());
            }
            Ok(None) => {}
            Err(unjudged) => {
                self.teller.tell(AuditEvent::Unjudged(&unjudged));
                self.teller.tally.unjudged(&unjudged);
            }
        }
        Ok(())
    }

    /// Looks again at an image that seems changed.
    fn other_reading(&mut self, verdict: Verdict, record: &Record) -> Result<Verdict, Unjudged> {
        if verdict.category != Category::Changed {
            return Ok(verdict);
        }
        let judge = &mut self.comparison.judge;
        let (path, known_size) = (verdict.path.clone(), judge.known_size(&verdict.path));
        let fits = |other: &Record| judge.has(other);
        let tally = &mut self.teller.tally;
        let (judged, of) = tally.other_reading(verdict, &path, record, known_size, fits, &self.cancel);
        if let Some(of) = of {
            self.teller.notice(Notice::OtherReading { path: &path, of });
        }
        judged
    }

    /// Returns the label of a file with content that no manifest has.
    fn label(&mut self, verdict: &Verdict, record: &Record) -> Result<Option<Arc<Label>>, Error> {
        let fresh = matches!(verdict.category, Category::Changed | Category::New);
        let Some(classifier) = self.comparison.classifier.as_mut().filter(|_| fresh) else { return Ok(None) };
        let mut record = record.clone();
        classifier.label(&mut [&mut record])?;
        Ok(record.label)
    }

    fn end(self, plan: &Plan) -> Result<AuditSummary, Error> {
        let Sink {
            comparison: Comparison { judge, open, mut next, kept, prune, .. },
            mut teller,
            mut error,
            ..
        } = self;
        let revealed = judge.revealed();
        let mut whole = error.is_none() && !plan.cancel.is_set();
        if whole {
            let done = teller.last(judge).and_then(|finish| match (&mut next, finish) {
                (Some(next), Some(finish)) if !teller.stopped => {
                    next.carry(kept, &finish, prune, &mut teller)
                }
                _ => Ok(()),
            });
            error = done.err();
            whole = error.is_none();
        }
        if !whole || teller.stopped {
            if let Some(next) = &next {
                next.output.discard();
            }
            teller.notes(plan);
            return error.map_or(Ok(AuditSummary { interrupted: true, ..teller.summary }), Err);
        }
        let mut written = None;
        if let Some(next) = next {
            match next.writer.end() {
                Ok(refused) => (teller.summary.refused, written) = (refused, Some(next.path)),
                Err(error) => teller.summary.unwritten = Some(error),
            }
        }
        let guessed = open.tell(&revealed, &mut |notice| teller.notice(notice));
        teller.summary.guessed.extend(guessed);
        teller.conclude();
        teller.notes(plan);
        for path in written.iter().flat_map(|path| staged::stale(path)) {
            teller.notice(Notice::StaleSignature(&path));
        }
        Ok(teller.summary)
    }
}

impl Teller<'_> {
    fn tell(&mut self, event: AuditEvent<'_>) {
        self.stopped |= (self.observer)(event).is_break();
    }

    fn notice(&mut self, notice: Notice<'_>) {
        self.tell(AuditEvent::Notice(notice));
    }

    fn verdict(&mut self, verdict: &Verdict, label: Option<&Label>) {
        self.tally.count(verdict);
        self.tell(AuditEvent::Verdict(verdict, label));
    }

    /// Reports the verdicts that need all files.
    fn last(&mut self, judge: EitherJudge) -> Result<Option<Finish>, Error> {
        let is_of_listed = self.tally.counted.is_of_listed;
        judge.finish(&mut |verdict| {
            let told = (!self.stopped).then(|| self.tally.last(verdict)).flatten();
            // Where only listed files are looked for, one that is not there may have moved.
            let is_compared = told.as_ref().is_some_and(|verdict| match verdict.category {
                Category::Missing => !is_of_listed,
                category => category != Category::Unreadable,
            });
            if let Some(verdict) = told {
                self.tell(AuditEvent::Verdict(&verdict, None));
            }
            if self.stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(is_compared) }
        })
    }

    fn conclude(&mut self) {
        let strangers: Vec<Box<[u8]>> = self.tally.strangers().map(Box::from).collect();
        strangers.iter().for_each(|path| self.tell(AuditEvent::Stranger(path)));
        self.summary.strangers = strangers.len() as u64;
        self.summary.failed = self.tally.failed;
        self.tally.end();
        let (counted, ignored) = (self.tally.counted, self.tally.ignored.clone());
        self.summary.counted = counted;
        if ignored.files() > 0 {
            self.tell(AuditEvent::Ignored(&ignored));
        }
        let summary = std::mem::take(&mut self.summary);
        self.tell(AuditEvent::AllJudged(&summary));
        self.summary = summary;
    }

    fn notes(&mut self, plan: &Plan) {
        plan.reading.notes.take().iter().for_each(|note| self.notice(Notice::PageCache(note)));
    }
}

/// Returns whether an outcome belongs to a file, read or not. A directory that can't be listed counts, as it may hold
/// listed files.
pub(crate) fn is_file(trouble: Option<&Trouble>) -> bool {
    match trouble {
        None => true,
        Some(Trouble::Failed(error)) => !matches!(error.problem, Problem::List(_)),
        Some(Trouble::Skipped(_)) => false,
    }
}

pub(crate) fn is_missing(error: &hashmill_source::Error) -> bool {
    matches!(&error.problem, Problem::Stat(source) | Problem::Open(source) if source.kind() == io::ErrorKind::NotFound)
}
