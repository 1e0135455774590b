//! Checks the files that lists of digests name, as `sha256sum -c` does for lists of every kind, and the members of packages
//! that state their digests.
//!
//! Lists are read window by window. All files of a window are hashed in parallel, and verdicts come in the order of the
//! list.

mod added;
mod elsewhere;
mod list;
mod meant;
#[cfg(feature = "images")]
pub mod package;
pub mod store;
mod tally;

pub use added::Added;
pub use elsewhere::{Elsewhere, ListBase, Strays, WhyStray};
pub use tally::{CheckSummary, MissingFiles};

use crate::error::Error;
use crate::notice::Notice;
use added::Names;
use hashmill_content::resources::Resources;
use hashmill_content::selection::counting;
use hashmill_content::selection::own::OwnFiles;
use hashmill_content::selection::path_of;
use hashmill_content::stores::Stores;
use hashmill_content::wanted::Inside;
use hashmill_content::within::{is_of_medium, read_otherwise};
use hashmill_digest::{Algorithm, guesses};
use hashmill_engine::flow::{Entries, Flow};
use hashmill_engine::{self as engine, Cancel, EntryResult, Live, Plan, Stats, Trouble};
use hashmill_lists::SIGNED_GUESS;
use hashmill_lists::learn::{LearningReports, Lesson, learn, named_file};
use hashmill_lists::listed::Reach;
use hashmill_lists::listing::Listing;
use hashmill_lists::paths::Paths;
use hashmill_manifest::Record;
use hashmill_manifest::audit::{self, Category, Content, Incomparable, Learner, Sides};
use hashmill_manifest::format::{Malformed, Unusable};
use hashmill_os::names;
use hashmill_source::{Problem, Skip};
use list::{FileToCheck, Files, List, Window};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::{fs, io};

/// The settings of a check.
#[derive(Debug, Clone, Default)]
pub struct CheckJob {
    /// The algorithm of digests whose algorithm nothing names; without it, it is learnt from files that match.
    pub algorithm: Option<&'static Algorithm>,
    /// Whether titles and other lines without a digest and a name count as malformed, too.
    pub strict: bool,
    /// The places that listed paths may lead to.
    pub reach: Reach,
    /// The folder or location that paths are relative to, whatever the format of a list says.
    pub base: Option<PathBuf>,
    /// Whether names are kept for [`Check::added`].
    pub new: bool,
    /// Whether verdicts include the content of both sides.
    pub sides: bool,
    /// The number of lists that will be checked, as far as it is known.
    pub lists: usize,
    /// Threads, memory and devices to use.
    pub resources: Resources,
    /// Ends the check soon after it is set.
    pub cancel: Cancel,
}

/// A check in progress.
pub struct Check {
    job: CheckJob,
    plan: Plan,
    names: Option<Names>,
    live: Arc<Live>,
    stats: Stats,
    /// Whether [`CheckEvent::Long`] was reported.
    long: bool,
    /// The number of lists that were begun.
    lists: usize,
    /// Members of packages that should be listed there, and are not.
    unclaimed: Vec<Box<[u8]>>,
}

/// The maximum size in bytes of a small file: reading it takes no noticeable time.
const SMALL: u64 = 1 << 20;

/// A step of a check.
#[derive(Debug)]
pub enum CheckEvent<'a> {
    /// More than one small file is about to be read, so the check may take a while from here on. This is reported once.
    Long,
    /// The verdict on a claim (the path and digests of a line), in the order of the list; with the content of both
    /// sides, if that was requested and the claim is not right.
    Verdict(&'a Record, ClaimVerdict, Option<&'a Sides>),
    /// The same verdict as soon as it is known, in any order.
    Known(ClaimVerdict),
    /// A file could not be read.
    Failed(&'a hashmill_source::Error),
    /// A line could not be parsed; with the number of such lines so far.
    Malformed(&'a Malformed, u64),
    /// The list names a file without a digest that could be checked.
    Unchecked(&'a [u8], &'static str),
    /// The rest of the list can't be read.
    Torn(&'a Unusable),
    /// The kind of something that no list names and that is no file: a link, a FIFO or the like. [`CheckEvent::New`] follows.
    Other(&'a [u8], Skip),
    /// A file exists that no list names.
    New(&'a [u8]),
    /// A notice for the user.
    Notice(Notice<'a>),
}

/// The verdict on a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimVerdict {
    /// The file has the expected content.
    Right,
    /// At least one digest is right and none is wrong, but some digest is of an unknown algorithm.
    Partly,
    /// The file has other content.
    Wrong,
    /// Nothing names the algorithm of its digests, and no algorithm is guessed for their length.
    Unnamed,
    /// The file does not exist.
    Missing,
    /// The file could not be read.
    Unreadable,
    /// The algorithm can't be computed here.
    Unsupported,
}

impl ClaimVerdict {
    /// All verdicts.
    pub const ALL: [ClaimVerdict; 7] = [
        ClaimVerdict::Right,
        ClaimVerdict::Wrong,
        ClaimVerdict::Missing,
        ClaimVerdict::Unreadable,
        ClaimVerdict::Unsupported,
        ClaimVerdict::Partly,
        ClaimVerdict::Unnamed,
    ];

    /// Returns the machine-readable word, which is the same as in an audit.
    pub const fn word(self) -> &'static str {
        match self {
            ClaimVerdict::Right => Category::Matched.word(),
            ClaimVerdict::Wrong => Category::Changed.word(),
            ClaimVerdict::Missing => Category::Missing.word(),
            ClaimVerdict::Unreadable => Category::Unreadable.word(),
            ClaimVerdict::Unsupported => Incomparable::Unsupported.word(),
            ClaimVerdict::Partly => Incomparable::Partly.word(),
            ClaimVerdict::Unnamed => Incomparable::Unnamed.word(),
        }
    }
}

impl CheckJob {
    /// Prepares the check.
    ///
    /// # Errors
    /// If paths can't be relative to the base, the memory is too little for the threads, or the priority can't be
    /// lowered.
    pub fn start(mut self) -> Result<Check, Error> {
        if let Some(base) = self.base.as_deref().map(|base| names::path_bytes(base).into_owned())
            && self.resources.stores.is_location(&base)
        {
            self.resources.stores.check_base(&base, self.new)?;
            self.base = self.resources.stores.folder_here(&base).or(self.base);
        }
        let plan = Plan { cancel: self.cancel.clone(), ..self.resources.plan(Vec::new())? };
        self.resources.give_way()?;
        let names = self.new.then(|| Names::new(&self.resources.stores));
        Ok(Check {
            job: self,
            plan,
            names,
            live: Arc::default(),
            stats: Stats::default(),
            long: false,
            lists: 0,
            unclaimed: Vec::new(),
        })
    }
}

impl Check {
    /// Returns counters that are updated while the check runs.
    pub fn live(&self) -> Arc<Live> {
        Arc::clone(&self.live)
    }

    /// Returns the work done and the time it took.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Checks one list.
    ///
    /// # Errors
    /// If it is not a list, if it is signed and nothing names the algorithm of some digests, or if a key is missing.
    pub fn list(
        &mut self,
        name: &[u8],
        listing: Listing,
        observer: &mut dyn FnMut(CheckEvent<'_>) -> Flow,
    ) -> Result<CheckSummary, Error> {
        let signed = listing.is_signed();
        let CheckJob { algorithm, strict, base, resources, .. } = &self.job;
        let mut list = List::open(name, listing, *algorithm, *strict, base.as_deref(), &resources.stores)?;
        let (mut learner, mut summary) = (Learner::default(), CheckSummary::default());
        let mut is_first = true;
        self.lists += 1;
        self.names.iter_mut().for_each(|names| names.add_list(name));
        loop {
            let mut malformed = |line: &Malformed, number| {
                let _ = observer(CheckEvent::Malformed(line, number));
            };
            let mut window = match list.window(&mut malformed) {
                Ok(Some(window)) => window,
                Ok(None) => break,
                // If standard input can't be read because the check was cancelled, that is not an error.
                Err(_) if self.plan.cancel.is_set() => {
                    summary.interrupted = true;
                    break;
                }
                Err(error) => {
                    summary.torn = true;
                    let _ = observer(CheckEvent::Torn(&error));
                    break;
                }
            };
            if signed && window.claims.iter().flat_map(|claim| &claim.digests).any(|named| named.guessed) {
                return Err(Error::of_place(name, SIGNED_GUESS));
            }
            let mut named = window.claims.iter_mut().flat_map(|claim| &mut claim.digests);
            named.try_for_each(|named| self.job.resources.give_key(&mut named.algorithm))?;
            if let Some(names) = &mut self.names {
                names.add_all(&window);
                names.is_silent |= !list.has_others;
            }
            if is_first
                && let ([first, _, ..], Some((place, before))) = (&*window.claims, &window.remote)
                && let Some(why) = self.job.resources.stores.why_unreached(place, &first.path[*before..])
            {
                return Err(why.into());
            }
            is_first = false;
            self.count(&window, list.ended);
            let stopped = self.window(name, &window, &mut learner, &mut summary, observer);
            list.tell_lacking(&window, &mut |path, why| {
                let _ = observer(CheckEvent::Unchecked(path, why));
            });
            if stopped || self.plan.cancel.is_set() {
                summary.interrupted = true;
                break;
            }
        }
        if let Some(names) = &mut self.names {
            let (patterns, base) = list.patterns();
            names.leave_out(patterns, base);
        }
        summary.end(name, list, &learner, &self.job.resources.stores);
        Ok(summary)
    }

    /// Counts the files of a window while the check runs. The total is known at the last window of the last list.
    fn count(&self, window: &Window, is_last: bool) {
        if self.job.resources.counts && window.remote.is_none() {
            let paths: HashSet<&[u8]> = window.claims.iter().map(|claim| &*claim.path).collect();
            let paths = Paths::new(paths.into_iter(), self.job.reach.clone());
            self.live.count.more.store(!is_last || self.lists < self.job.lists, Ordering::Relaxed);
            counting::count(&self.live, move || Some(Box::new(paths)));
        }
    }

    /// Checks the lines of a window. Returns whether the observer wants no more events.
    fn window(
        &mut self,
        name: &[u8],
        window: &Window,
        learner: &mut Learner,
        summary: &mut CheckSummary,
        observer: &mut dyn FnMut(CheckEvent<'_>) -> Flow,
    ) -> bool {
        if !self.long && !is_short(window) {
            self.long = true;
            if observer(CheckEvent::Long).is_break() {
                return true;
            }
        }
        let lines = window.claims.iter().map(|claim| (claim, &*claim.path));
        let mut trying = |path: &[u8], size, algorithms: &[&'static Algorithm]| {
            let _ = observer(CheckEvent::Notice(Notice::Trying { list: name, path, size, algorithms }));
        };
        let mut told = LearningReports { live: &self.live, trying: &mut trying };
        let lesson = learn(learner, lines, &self.plan, &mut told);
        let files = window.files(learner);
        let reach = match window.remote {
            Some(_) => Reach::Remote(self.job.resources.stores.clone()),
            None => self.job.reach.clone(),
        };
        let known = window.claims.iter().map(|claim| without_digest(claim, &reach)).collect();
        let live = Arc::clone(&self.live);
        let mut stats = lesson.stats.clone();
        let actual = self.job.sides.then(HashMap::new);
        let mut verdicts = Verdicts {
            window,
            learner,
            reach,
            stores: &self.job.resources.stores,
            actual,
            summary,
            observer,
            known,
            given: 0,
            stopped: false,
            cancel: self.plan.cancel.clone(),
        };
        for (algorithms, wanted) in files.by_algorithms() {
            if verdicts.stopped {
                break;
            }
            let wanted = verdicts.take_known(&files, wanted, algorithms, &lesson, &mut stats);
            if wanted.is_empty() {
                continue;
            }
            let plan = Plan { algorithms: algorithms.clone(), ..self.plan.clone() };
            let run = verdicts.hash(&files, wanted, &plan, &live);
            stats.add(&run);
            stats.elapsed += run.elapsed;
        }
        verdicts.go_on();
        let stopped = verdicts.stopped;
        self.stats.elapsed += stats.elapsed;
        self.stats.add(&stats);
        stopped
    }

    /// Reports files that no list has named so far, below the folders of files that a list names, and members that a
    /// package brings without stating their digests.
    pub fn added(&mut self, own: &OwnFiles, observer: &mut dyn FnMut(CheckEvent<'_>) -> Flow) -> Added {
        let unclaimed = std::mem::take(&mut self.unclaimed);
        let told = unclaimed.iter().take_while(|path| observer(CheckEvent::New(path)).is_continue()).count();
        let names = self.names.take();
        let mut added = names.map_or(Added::default(), |names| names.report(own, observer));
        added.new += told as u64;
        added
    }

    /// Reports the remaining notices of all lists, and returns the statistics.
    pub fn finish(self, observer: &mut dyn FnMut(CheckEvent<'_>) -> Flow) -> Stats {
        for note in self.plan.reading.notes.take() {
            let _ = observer(CheckEvent::Notice(Notice::PageCache(&note)));
        }
        self.stats
    }
}

/// Returns whether a window names at most one file, which is small or does not exist.
fn is_short(window: &Window) -> bool {
    let small = |claim: &Record| {
        fs::metadata(path_of(&claim.path)).map_or(true, |meta| meta.is_file() && meta.len() <= SMALL)
    };
    match &window.claims[..] {
        [] => true,
        [only] => window.remote.is_none() && small(only),
        _ => false,
    }
}

/// The verdicts of a window, which are reported in the order of the list as they become known.
struct Verdicts<'a> {
    window: &'a Window,
    learner: &'a mut Learner,
    reach: Reach,
    stores: &'a Stores,
    /// The actual records for claims that are not right, if the content of both sides was requested.
    actual: Option<HashMap<usize, Box<Record>>>,
    summary: &'a mut CheckSummary,
    observer: &'a mut (dyn FnMut(CheckEvent<'_>) -> Flow + 'a),
    known: Vec<Option<ClaimVerdict>>,
    given: usize,
    /// Whether the observer wants no more events.
    stopped: bool,
    cancel: Cancel,
}

impl Verdicts<'_> {
    fn hash(&mut self, files: &Files, wanted: Vec<FileToCheck>, plan: &Plan, live: &Arc<Live>) -> Stats {
        let path = |file: &FileToCheck| self.window.claims[file.first as usize].path.clone();
        let paths: Vec<Box<[u8]>> = wanted.iter().map(path).collect();
        let reach = self.reach.clone();
        let entries: Entries = match &self.window.remote {
            Some((base, before)) => {
                self.stores.below(base, paths.iter().map(|path| path[*before..].into()).collect())
            }
            None => Box::new(paths.into_iter().map(move |path| named_file(&path, &reach))),
        };
        let mut wanted = wanted.into_iter();
        hashmill_engine::run(plan, entries, live, &mut |event| {
            let engine::EngineEvent::Done(outcome) = event else { return ControlFlow::Continue(()) };
            if let Some(file) = wanted.next() {
                self.take(files.claims(file), &outcome);
            }
            if self.stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    }

    /// Judges the files that were hashed while the algorithm was learnt. Returns the others.
    fn take_known(
        &mut self,
        files: &Files,
        mut wanted: Vec<FileToCheck>,
        algorithms: &[&'static Algorithm],
        lesson: &Lesson,
        stats: &mut Stats,
    ) -> Vec<FileToCheck> {
        wanted.retain(|file| {
            let path = &self.window.claims[file.first as usize].path;
            let known = lesson.outcome(path, algorithms);
            if let Some(outcome) = known {
                let bytes = outcome.record.size.unwrap_or(0);
                stats.add(&Stats { seen: 1, hashed: 1, bytes, ..Stats::default() });
                self.take(files.claims(*file), outcome);
            }
            known.is_none()
        });
        wanted
    }

    fn take(&mut self, claims: impl Iterator<Item = usize>, outcome: &EntryResult) {
        if let Some(Trouble::Failed(error)) = &outcome.trouble {
            self.tell(CheckEvent::Failed(error));
        }
        let window = self.window;
        for number in claims {
            let claim = &window.claims[number];
            let verdict = match verdict(self.learner, claim, outcome) {
                ClaimVerdict::Wrong => self.other_reading(claim, outcome),
                verdict => verdict,
            };
            if verdict == ClaimVerdict::Right {
                self.learner.learn(claim, &outcome.record);
            }
            self.tell(CheckEvent::Known(verdict));
            self.known[number] = Some(verdict);
            if let Some(actual) = self.actual.as_mut().filter(|_| verdict != ClaimVerdict::Right) {
                actual.insert(number, Box::new(outcome.record.clone()));
            }
        }
        self.go_on();
    }

    /// Judges a file once more that has other content than its claim: it may be an image, and the claim of its medium.
    fn other_reading(&mut self, claim: &Record, outcome: &EntryResult) -> ClaimVerdict {
        let place = match &self.window.remote {
            Some((base, before)) => [base, &claim.path[*before..]].concat().into(),
            None => Cow::Borrowed(&*claim.path),
        };
        let is_remote = self.window.remote.is_some() || self.reach.stores_for(&claim.path).is_some();
        let none = Stores::default();
        let stores = if is_remote { self.stores } else { &none };
        // To look at an object costs requests: one of this size has other content.
        let is_other = is_remote && claim.size.is_some() && claim.size == outcome.record.size;
        let may_be = !is_other && (claim.size.is_none() || is_of_medium(&place, claim.size, stores));
        let read = || read_otherwise(&place, &outcome.record, &Inside::default(), stores, &self.cancel);
        let Some((of, other)) = may_be.then(read).flatten() else { return ClaimVerdict::Wrong };
        let verdict = of_comparison(self.learner.compare(claim, &other));
        if verdict == ClaimVerdict::Right {
            self.learner.learn(claim, &other);
            self.tell(CheckEvent::Notice(Notice::OtherReading { path: &claim.path, of }));
        }
        verdict
    }

    /// Reports verdicts up to the first that is not known yet.
    fn go_on(&mut self) {
        while let Some(Some(verdict)) = self.known.get(self.given).filter(|_| !self.stopped) {
            let (claim, verdict) = (&self.window.claims[self.given], *verdict);
            self.summary.count(claim, verdict);
            let sides = self.sides(claim, verdict);
            self.tell(CheckEvent::Verdict(claim, verdict, sides.as_ref()));
            self.given += 1;
        }
    }

    /// Returns the content of both sides for the claim whose turn it is, unless the claim is right or the content was
    /// not requested.
    fn sides(&mut self, claim: &Record, verdict: ClaimVerdict) -> Option<Sides> {
        let actual = self.actual.as_mut().filter(|_| verdict != ClaimVerdict::Right)?.remove(&self.given);
        Some(sides(claim, actual.as_deref(), verdict))
    }

    fn tell(&mut self, event: CheckEvent<'_>) {
        self.stopped |= (self.observer)(event).is_break();
    }
}

/// Returns the content of both sides of a claim.
fn sides(claim: &Record, actual: Option<&Record>, verdict: ClaimVerdict) -> Sides {
    let reason = actual.and_then(|record| record.reason.clone());
    Sides {
        expected: Content::from_record(claim),
        actual: actual.and_then(Content::from_record),
        reason: reason.filter(|_| verdict == ClaimVerdict::Unreadable),
    }
}

fn verdict(learner: &Learner, claim: &Record, outcome: &EntryResult) -> ClaimVerdict {
    match &outcome.trouble {
        Some(Trouble::Failed(error)) if is_missing(error) => ClaimVerdict::Missing,
        Some(_) => ClaimVerdict::Unreadable,
        None => of_comparison(learner.compare(claim, &outcome.record)),
    }
}

fn of_comparison(outcome: audit::LineOutcome) -> ClaimVerdict {
    match outcome {
        audit::LineOutcome::Same => ClaimVerdict::Right,
        audit::LineOutcome::Partly => ClaimVerdict::Partly,
        audit::LineOutcome::Different | audit::LineOutcome::Apart => ClaimVerdict::Wrong,
        audit::LineOutcome::Unnamed => ClaimVerdict::Unnamed,
    }
}

/// Judges a claim whose digests can't be computed. It can still be found out that the file is missing or has another
/// size.
fn without_digest(claim: &Record, reach: &Reach) -> Option<ClaimVerdict> {
    if !claim.digests.iter().all(|named| named.guessed && guesses(named.digest.bits()).is_empty()) {
        return None;
    }
    let remote = reach.stores_for(&claim.path).is_some();
    let found = if remote { None } else { Some(fs::metadata(path_of(&claim.path))) };
    Some(match found {
        Some(Err(error)) if is_absent(&error) => ClaimVerdict::Missing,
        Some(Ok(meta))
            if claim.size.is_some_and(|size| meta.is_file() && size != meta.len())
                && !is_of_medium(&claim.path, claim.size, &Stores::default()) =>
        {
            ClaimVerdict::Wrong
        }
        _ if claim.digests.is_empty() => ClaimVerdict::Unsupported,
        _ => ClaimVerdict::Unnamed,
    })
}

/// Returns whether an error is about looking up or opening a file of this machine, and not about an object of a store.
pub fn is_of_file(error: &hashmill_source::Error) -> bool {
    let source = match &error.problem {
        Problem::Stat(source) | Problem::Open(source) => Some(source),
        _ => None,
    };
    source.is_some_and(|source| source.raw_os_error().is_some())
}

/// Returns whether a file could not be read because it does not exist.
pub fn is_missing(error: &hashmill_source::Error) -> bool {
    matches!(&error.problem, Problem::Stat(source) | Problem::Open(source) if is_absent(source))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
