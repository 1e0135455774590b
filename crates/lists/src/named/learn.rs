//! Finds out the algorithm of digests for which a list names none. Some files of the list are hashed by every algorithm
//! that is possible, and a match decides. If there are only large files, each is hashed by the likeliest
//! algorithm first, and by the others only if that one does not match, because all of them together take many times as
//! long.
//!
//! If no algorithm can be learnt this way, each file is compared by all of them, in a check as in an audit.

use crate::distinct::distinct;
use crate::listed::Reach;
use crate::unsupported::others;
use hashmill_content::selection::{Bytes, path_of};
use hashmill_digest::{Algorithm, find, guesses};
use hashmill_engine::{EngineEvent, EntryResult, Live, Plan, Stats, run};
use hashmill_manifest::Record;
use hashmill_manifest::audit::{Learner, Unnamed};
use hashmill_source::{Entry, Origin, WalkItem};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::{fs, mem};

/// The maximum number of lines with digests of one length that are examined to find existing files.
pub const LOOKED_AT: usize = 4096;

/// The maximum number of files that are tried for digests of one length.
const TRIED: usize = 64;

/// The number of files that are tried first: the smallest ones.
const PROBES: usize = 4;

/// The size in bytes from which a file is hashed by few algorithms at a time, and at most [`PROBES`] files are tried.
const LARGE: u64 = 8 << 20;

/// The number of algorithms of the first try and of the second, before all others are tried.
const LIKELIEST: [usize; 2] = [1, 3];

/// The outcomes of files that were hashed while learning: they need not be hashed again.
#[derive(Default)]
pub struct Lesson {
    outcomes: Vec<EntryResult>,
    /// The time it took. Files and bytes are not counted here.
    pub stats: Stats,
}

/// Receives a file that is tried: its path, its size in bytes, and the algorithms.
pub type Trying<'a> = dyn FnMut(&[u8], u64, &[&'static Algorithm]) + 'a;

/// The receivers of reports while learning takes long.
pub struct LearningReports<'a> {
    /// Counters that are updated meanwhile.
    pub live: &'a Arc<Live>,
    /// Called when a large file is hashed by further algorithms because the likelier ones did not match.
    pub trying: &'a mut Trying<'a>,
}

/// A line of a list that can be learnt from, and the local path of its file.
pub type TrainingLine<'a> = (&'a Record, Bytes);

/// A file to be tried: its size, its line and its path.
type Probe<'a> = (u64, &'a Record, Bytes);

impl Lesson {
    /// Returns the outcome of a file, if it was hashed by all of these algorithms.
    pub fn outcome(&self, path: &[u8], algorithms: &[&'static Algorithm]) -> Option<&EntryResult> {
        let has_all = |outcome: &&EntryResult| {
            let mut wanted = algorithms.iter();
            outcome.trouble.is_none() && wanted.all(|wanted| outcome.record.digest(wanted).is_some())
        };
        self.outcomes.iter().filter(|outcome| *outcome.record.path == *path).find(has_all)
    }

    /// Takes the outcome of a file, joins it with an earlier one if the file has not changed since, and returns the
    /// result.
    fn take(&mut self, outcome: EntryResult) -> &EntryResult {
        let same = |known: &EntryResult| {
            let unchanged = known.meta.zip(outcome.meta).is_some_and(|(a, b)| a.same_content(&b));
            known.record.path == outcome.record.path && unchanged && known.trouble.is_none()
        };
        let known = self.outcomes.iter().position(same).filter(|_| outcome.trouble.is_none());
        let place = known.unwrap_or(self.outcomes.len());
        match known {
            Some(place) => {
                let digests = &mut self.outcomes[place].record.digests;
                let new = |named: &hashmill_manifest::Named| {
                    digests.iter().all(|old| old.algorithm != named.algorithm)
                };
                let new: Vec<_> = outcome.record.digests.iter().copied().filter(new).collect();
                digests.extend(new);
            }
            None => self.outcomes.push(outcome),
        }
        &self.outcomes[place]
    }
}

/// Learns the algorithms that are still unknown from lines of a list, each with the path of its file.
pub fn learn<'a>(
    learner: &mut Learner,
    lines: impl Iterator<Item = (&'a Record, &'a [u8])>,
    plan: &Plan,
    told: &mut LearningReports<'_>,
) -> Lesson {
    let mut lesson = Lesson::default();
    let sample = sample(learner, lines);
    let mut open: Vec<Unnamed> = sample.iter().flat_map(|(line, _)| learner.open(line)).collect();
    open.sort_unstable();
    open.dedup();
    for of in open.iter().copied().filter(|of| !guesses(of.bits).is_empty()) {
        let mut probes = probes(learner, &sample, of);
        if probes.first().is_some_and(|(size, ..)| *size >= LARGE) {
            probes.truncate(PROBES);
            for probe in probes {
                step_by_step(learner, of, probe, plan, told, &mut lesson);
            }
            continue;
        }
        let rest = probes.split_off(probes.len().min(PROBES));
        for probes in [probes, rest] {
            if learner.learnt(of.bits, of.place).is_none() && !plan.cancel.is_set() {
                try_all(learner, &probes, plan, &mut lesson);
            }
        }
    }
    open.into_iter().for_each(|of| find_hint(learner, &sample, of, plan));
    lesson
}

/// Finds out whether a few small files match by an algorithm that is not guessed, so that a message can name it.
fn find_hint(learner: &mut Learner, sample: &[TrainingLine<'_>], of: Unnamed, plan: &Plan) {
    // Files can be made that are their own digest by one of a cloud.
    let fixed = others(of.bits).filter(|row| row.of_entry.is_none() && !row.lacks_key && !row.of_cloud);
    let sized = ["blake3", "blake2b"].iter().filter_map(|name| find(&format!("{name}:{}", of.bits / 8)).ok());
    let is_new = |row: &&'static Algorithm| !guesses(of.bits).contains(row);
    let algorithms: Vec<&'static Algorithm> = fixed.chain(sized.filter(is_new)).collect();
    if algorithms.is_empty() || !learner.lacks_hint(of) || plan.cancel.is_set() {
        return;
    }
    let has = |line: &Record| learner.open(line).any(|open| open == of);
    let small = sample.iter().filter(|(line, _)| has(line)).filter_map(|(line, path)| {
        let size = fs::metadata(path_of(path)).ok().filter(fs::Metadata::is_file)?.len();
        (0 < size && size < LARGE).then(|| (size, *line, path.clone()))
    });
    let probes: Vec<Probe<'_>> = small.take(PROBES).collect();
    let plan = Plan { algorithms: algorithms.clone(), piece: None, whole: true, ..plan.clone() };
    let outcomes = hash(&probes, &plan, &Arc::default(), &mut Stats::default());
    let tried: Vec<_> =
        probes.iter().zip(outcomes).map(|((_, line, _), found)| (*line, found.record)).collect();
    learner.hint(of, &algorithms, &tried);
}

/// Returns the first lines with unnamed digests of each length.
fn sample<'a>(
    learner: &Learner,
    lines: impl Iterator<Item = (&'a Record, &'a [u8])>,
) -> Vec<TrainingLine<'a>> {
    let mut seen: Vec<(Unnamed, usize)> = Vec::new();
    let mut sample = Vec::new();
    for (line, path) in lines.filter(|(line, _)| line.digests.iter().any(|named| named.guessed)) {
        let mut wanted = false;
        for of in learner.open(line) {
            let place = seen.iter().position(|(known, _)| *known == of).unwrap_or_else(|| {
                seen.push((of, 0));
                seen.len() - 1
            });
            seen[place].1 += 1;
            wanted |= seen[place].1 <= LOOKED_AT;
        }
        if wanted {
            sample.push((line, Bytes::from(path)));
        }
    }
    sample
}

/// Returns the first files with such digests that exist and are not empty, the smallest ones first. The digest of an
/// empty file may be the same by several algorithms.
fn probes<'a>(learner: &mut Learner, sample: &[TrainingLine<'a>], of: Unnamed) -> Vec<Probe<'a>> {
    let mut found: Vec<Probe<'a>> = Vec::new();
    for (line, path) in sample {
        let has = learner.unsettled(line).any(|unnamed| unnamed == of);
        if !has || learner.tried(of) >= TRIED {
            continue;
        }
        let meta = fs::metadata(path_of(path)).ok().filter(|meta| meta.is_file() && meta.len() > 0);
        if let Some(meta) = meta {
            learner.count(of);
            found.push((meta.len(), *line, path.clone()));
        }
    }
    found.sort_by_key(|(size, ..)| *size);
    found
}

/// Hashes files by all algorithms that are possible for their lines, and learns from files that match.
fn try_all(learner: &mut Learner, probes: &[Probe<'_>], plan: &Plan, lesson: &mut Lesson) {
    let algorithms = distinct(probes.iter().flat_map(|(_, line, _)| learner.candidates(line)));
    let plan = Plan { algorithms, piece: None, whole: true, ..plan.clone() };
    for ((_, line, _), outcome) in probes.iter().zip(hash(probes, &plan, &Arc::default(), &mut lesson.stats))
    {
        let known = lesson.take(outcome);
        if known.trouble.is_none() {
            learner.learn(line, &known.record);
        }
    }
}

/// Hashes a large file by more and more algorithms until one matches.
fn step_by_step(
    learner: &mut Learner,
    of: Unnamed,
    probe: Probe<'_>,
    plan: &Plan,
    told: &mut LearningReports<'_>,
    lesson: &mut Lesson,
) {
    let (size, line, path) = &probe;
    let mut left = likeliest_first(learner.candidates(line));
    let mut steps = LIKELIEST.into_iter();
    let mut first = true;
    while !left.is_empty() && learner.learnt(of.bits, of.place).is_none() && !plan.cancel.is_set() {
        let rest = left.split_off(steps.next().unwrap_or(usize::MAX).min(left.len()));
        let tried = mem::replace(&mut left, rest);
        if !mem::take(&mut first) {
            (told.trying)(path, *size, &tried);
        }
        let plan = Plan { algorithms: tried, piece: None, whole: true, ..plan.clone() };
        for outcome in hash(std::slice::from_ref(&probe), &plan, told.live, &mut lesson.stats) {
            let known = lesson.take(outcome);
            if known.trouble.is_none() {
                learner.learn(line, &known.record);
            }
        }
    }
}

/// Orders algorithms: the usual one first, then the cheapest ones.
fn likeliest_first(mut all: Vec<&'static Algorithm>) -> Vec<&'static Algorithm> {
    let cost = |algorithm: &&'static Algorithm| (algorithm.alone)().pace().alone;
    if let Some((_, rest)) = all.split_first_mut() {
        rest.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
    }
    all
}

/// Hashes files, and returns the outcomes.
fn hash(probes: &[Probe<'_>], plan: &Plan, live: &Arc<Live>, stats: &mut Stats) -> Vec<EntryResult> {
    let entries: Vec<WalkItem> = probes.iter().map(|(.., path)| named_file(path, &Reach::Files)).collect();
    let mut outcomes = Vec::new();
    let mut sink = |event: EngineEvent| {
        if let EngineEvent::Done(outcome) = event {
            outcomes.push(outcome);
        }
        ControlFlow::Continue(())
    };
    let ran = run(plan, entries.into_iter(), live, &mut sink);
    stats.elapsed += ran.elapsed;
    stats.add(&Stats { seen: 0, hashed: 0, skipped: 0, failed: 0, bytes: 0, ..ran });
    outcomes
}

/// Returns the entry of a file that a list names. Only a regular file or a block device is read, because a list can't
/// ask to wait for a FIFO.
pub fn named_file(path: &[u8], reach: &Reach) -> WalkItem {
    if let Some(stores) = reach.stores_for(path) {
        return stores.file(path);
    }
    let origin = if path == b"-" { Origin::Stdin } else { Origin::Listed };
    WalkItem::File(Entry::new(path.into(), origin))
}
