//! Finds the algorithms of digests for which a list names none: some of its files are hashed by every algorithm that is
//! guessed, and one that matches decides. If there are only large files, each is hashed by the likeliest algorithm first,
//! and by the others only if it does not match: all together take many times as long.
//!
//! An algorithm that can't be learnt so stays open: then each file is compared by all of them, in a check as in an audit.

use crate::listed::Reach;
use crate::location::is_location;
use crate::selection::{Bytes, path_of};
use crate::stores;
use hashloom_digest::Algorithm;
use hashloom_engine::{Event, Live, Outcome, Plan, Stats, run};
use hashloom_manifest::Record;
use hashloom_manifest::audit::{Learner, Unnamed};
use hashloom_source::{Entry, Found, Origin};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::{fs, mem};

/// The most lines with digests of one length that are looked at to find files that are there.
pub const LOOKED_AT: usize = 4096;

/// The most files that are tried for digests of one length.
const TRIED: usize = 64;

/// How many of them are tried first: the smallest.
const PROBES: usize = 4;

/// From this size on a file is hashed by few algorithms at a time, and no more than [`PROBES`] files are tried.
const LARGE: u64 = 8 << 20;

/// The number of algorithms of the first try and of the second, before all others are tried.
const LIKELIEST: [usize; 2] = [1, 3];

/// What was found out of files while learning: they need not be hashed again.
#[derive(Default)]
pub struct Lesson {
    outcomes: Vec<Outcome>,
    /// Where the time went. Files and bytes are not counted here.
    pub stats: Stats,
}

/// Is told of a file that is tried: its path, its bytes, and the algorithms.
pub type Trying<'a> = dyn FnMut(&[u8], u64, &[&'static Algorithm]) + 'a;

/// What is told while learning takes long.
pub struct Told<'a> {
    /// Counters that go up meanwhile.
    pub live: &'a Arc<Live>,
    /// A large file of so many bytes is now hashed by these algorithms: likelier ones did not match.
    pub trying: &'a mut Trying<'a>,
}

/// A line of a list that can be learnt from, and the path of its file here.
pub type TrainingLine<'a> = (&'a Record, Bytes);

/// A file to be tried, its size, and its line.
type Probe<'a> = (u64, &'a Record, Bytes);

impl Lesson {
    /// What became of a file, if it was hashed by all of these algorithms.
    pub fn of(&self, path: &[u8], algorithms: &[&'static Algorithm]) -> Option<&Outcome> {
        let has_all = |outcome: &&Outcome| {
            let mut wanted = algorithms.iter();
            outcome.trouble.is_none() && wanted.all(|wanted| outcome.record.digest(wanted).is_some())
        };
        self.outcomes.iter().filter(|outcome| *outcome.record.path == *path).find(has_all)
    }

    /// Takes an outcome of a file, and joins it with earlier ones if the file has not changed since. Gives what is
    /// known of the file then.
    fn take(&mut self, outcome: Outcome) -> &Outcome {
        let same = |known: &Outcome| {
            let unchanged = known.meta.zip(outcome.meta).is_some_and(|(a, b)| a.same_content(&b));
            known.record.path == outcome.record.path && unchanged && known.trouble.is_none()
        };
        let known = self.outcomes.iter().position(same).filter(|_| outcome.trouble.is_none());
        let place = known.unwrap_or(self.outcomes.len());
        match known {
            Some(place) => {
                let digests = &mut self.outcomes[place].record.digests;
                let new = |named: &hashloom_manifest::Named| {
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

/// Learns from lines of a list, each with the path of its file, what was not learnt from those before.
pub fn learn<'a>(
    learner: &mut Learner,
    lines: impl Iterator<Item = (&'a Record, &'a [u8])>,
    plan: &Plan,
    told: &mut Told<'_>,
) -> Lesson {
    let mut lesson = Lesson::default();
    let sample = sample(learner, lines);
    let mut unsettled: Vec<Unnamed> = sample.iter().flat_map(|(line, _)| learner.unsettled(line)).collect();
    unsettled.sort_unstable();
    unsettled.dedup();
    for of in unsettled {
        let mut probes = probes(learner, &sample, of);
        if probes.first().is_some_and(|(size, ..)| *size >= LARGE) {
            probes.truncate(PROBES);
            for probe in probes {
                step_by_step(learner, (of, probe), plan, (told, &mut lesson));
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
    lesson
}

/// The first lines with unnamed digests of each length.
fn sample<'a>(
    learner: &Learner,
    lines: impl Iterator<Item = (&'a Record, &'a [u8])>,
) -> Vec<TrainingLine<'a>> {
    let mut seen: Vec<(Unnamed, usize)> = Vec::new();
    let mut sample = Vec::new();
    for (line, path) in lines.filter(|(line, _)| line.digests.iter().any(|named| named.guessed)) {
        let mut wanted = false;
        for of in learner.unsettled(line) {
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

/// The first files with such digests that are there and not empty, the smallest ones in front of the others. Of an empty
/// file the digest may be the same by several algorithms.
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

/// Hashes files by all algorithms that their lines may be of, and learns from those that match.
fn try_all(learner: &mut Learner, probes: &[Probe<'_>], plan: &Plan, lesson: &mut Lesson) {
    let mut algorithms: Vec<&'static Algorithm> = Vec::new();
    for algorithm in probes.iter().flat_map(|(_, line, _)| learner.candidates(line)) {
        if !algorithms.contains(&algorithm) {
            algorithms.push(algorithm);
        }
    }
    let plan = Plan { algorithms, piece: None, whole: true, ..plan.clone() };
    for ((_, line, _), outcome) in probes.iter().zip(hash(probes, &plan, &Arc::default(), &mut lesson.stats))
    {
        let known = lesson.take(outcome);
        if known.trouble.is_none() {
            learner.learn(line, &known.record);
        }
    }
}

/// Hashes a large file by ever more algorithms until one matches.
fn step_by_step(
    learner: &mut Learner,
    (of, probe): (Unnamed, Probe<'_>),
    plan: &Plan,
    (told, lesson): (&mut Told<'_>, &mut Lesson),
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

/// The usual algorithm, then the cheapest ones first.
fn likeliest_first(mut all: Vec<&'static Algorithm>) -> Vec<&'static Algorithm> {
    let cost = |algorithm: &&'static Algorithm| (algorithm.alone)().pace().alone;
    if let Some((_, rest)) = all.split_first_mut() {
        rest.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
    }
    all
}

/// Hashes files, and returns the outcomes.
fn hash(probes: &[Probe<'_>], plan: &Plan, live: &Arc<Live>, stats: &mut Stats) -> Vec<Outcome> {
    let entries: Vec<Found> = probes.iter().map(|(.., path)| named_file(path, Reach::Files)).collect();
    let mut outcomes = Vec::new();
    let mut sink = |event: Event| {
        if let Event::Done(outcome) = event {
            outcomes.push(outcome);
        }
        ControlFlow::Continue(())
    };
    let ran = run(plan, entries.into_iter(), live, &mut sink);
    stats.elapsed += ran.elapsed;
    stats.add(&Stats { seen: 0, hashed: 0, skipped: 0, failed: 0, bytes: 0, ..ran });
    outcomes
}

/// A file that a list names: a regular file or a block device, as a list can't ask to wait for a FIFO.
pub fn named_file(path: &[u8], reach: Reach) -> Found {
    if reach == Reach::Remote && is_location(path) {
        return stores::file(path);
    }
    let origin = if path == b"-" { Origin::Stdin } else { Origin::Listed };
    Found::File(Entry::new(path.into(), origin))
}
