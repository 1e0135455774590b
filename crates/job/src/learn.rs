//! Finds the algorithm of digests for which a list names none: a few small files are hashed by every possible algorithm,
//! and the first match decides. If there are only large files, one of them is hashed by the likeliest algorithm first, and
//! by the others only if it does not match: all together take many times as long.

use crate::location::is_location;
use crate::selection::{Bytes, path_of};
use crate::stores;
use hashloom_digest::{Algorithm, of_bits};
use hashloom_engine::{Event, Live, Outcome, Plan, Stats, run};
use hashloom_manifest::audit::Learner;
use hashloom_manifest::{Named, Record};
use hashloom_source::{Entry, Found, Origin};
use std::collections::HashMap;
use std::fs;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The most files that are looked at to find small ones.
pub const LOOKED_AT: usize = 64;

/// The most files that are hashed by every possible algorithm.
const PROBES: usize = 4;

/// From this size on a file is hashed by few algorithms at a time.
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

impl Lesson {
    /// What became of a file, if it was hashed by all of these algorithms.
    pub fn of(&self, path: &[u8], algorithms: &[&'static Algorithm]) -> Option<&Outcome> {
        let has_all = |outcome: &&Outcome| {
            let mut wanted = algorithms.iter();
            outcome.trouble.is_none() && wanted.all(|wanted| outcome.record.digest(wanted).is_some())
        };
        self.outcomes.iter().filter(|outcome| *outcome.record.path == *path).find(has_all)
    }

    /// Takes an outcome of a file, and joins it with earlier ones if the file has not changed since.
    fn take(&mut self, outcome: Outcome) {
        let same = |known: &&mut Outcome| {
            let unchanged = known.meta.zip(outcome.meta).is_some_and(|(a, b)| a.same_content(&b));
            known.record.path == outcome.record.path && unchanged && known.trouble.is_none()
        };
        match self.outcomes.iter_mut().find(same).filter(|_| outcome.trouble.is_none()) {
            Some(known) => known.record.digests.extend(outcome.record.digests),
            None => self.outcomes.push(outcome),
        }
    }
}

/// Lines of a list that can be learnt from, each with the path of its file here.
pub type TrainingLine<'a> = (&'a Record, Bytes);

/// Learns from the lines with unnamed digests.
pub fn learn(lines: &[TrainingLine<'_>], plan: &Plan) -> Learner {
    let mut learner = Learner::default();
    for bits in lengths(lines) {
        let mut candidates = of_bits(bits);
        if let (Some(only), None) = (candidates.next(), candidates.next()) {
            learner.learn(only);
        }
    }
    let live = Arc::default();
    let mut told = Told { live: &live, trying: &mut |_, _, _| () };
    go_on(&mut learner, lines, plan, &mut told);
    learner
}

/// Learns from more lines of a list, each with its path, what was not learnt from those before.
pub fn learn_more<'a>(
    learner: &mut Learner,
    lines: impl Iterator<Item = (&'a Record, &'a [u8])>,
    plan: &Plan,
    told: &mut Told<'_>,
) -> Lesson {
    let unknown = |line: &Record| line.digests.iter().any(|named| is_unknown(learner, named));
    let mut seen: HashMap<u32, usize> = HashMap::new();
    let mut unnamed = Vec::new();
    for (line, path) in lines.filter(|(line, _)| unknown(line)) {
        let fresh = |named: &&Named| is_unknown(learner, named);
        let counts = line.digests.iter().filter(fresh).map(|named| named.digest.bits());
        let wanted = counts.fold(false, |wanted, bits| {
            let count = seen.entry(bits).or_default();
            *count += 1;
            wanted || *count <= LOOKED_AT
        });
        if wanted {
            unnamed.push((line, Bytes::from(path)));
        }
    }
    go_on(learner, &unnamed, plan, told)
}

fn is_unknown(learner: &Learner, named: &Named) -> bool {
    let bits = named.digest.bits();
    named.guessed && learner.learnt(bits).is_none() && of_bits(bits).nth(1).is_some()
}

fn go_on(learner: &mut Learner, lines: &[TrainingLine<'_>], plan: &Plan, told: &mut Told<'_>) -> Lesson {
    let mut lesson = Lesson::default();
    for bits in lengths(lines) {
        let mut left = likeliest_first(bits);
        if left.len() < 2 || learner.learnt(bits).is_some() {
            continue;
        }
        let mut probes = probes(lines, bits);
        let large = probes.first().map(|(size, _)| *size).filter(|size| *size >= LARGE);
        if large.is_some() {
            probes.truncate(1);
        }
        let mut steps = LIKELIEST.into_iter().filter(|_| large.is_some());
        while !left.is_empty() && learner.learnt(bits).is_none() && !plan.cancel.is_set() {
            let rest = left.split_off(steps.next().unwrap_or(usize::MAX).min(left.len()));
            let tried = std::mem::replace(&mut left, rest);
            if let (Some(size), false) = (large, tried.first().copied() == of_bits(bits).next()) {
                (told.trying)(&probes[0].1.1, size, &tried);
            }
            let live = if large.is_some() { Arc::clone(told.live) } else { Arc::default() };
            let plan = Plan { algorithms: tried, piece: None, whole: true, ..plan.clone() };
            for ((_, (line, _)), outcome) in probes.iter().zip(hash(&probes, &plan, &live, &mut lesson.stats))
            {
                learner.compare(line, &outcome.record);
                lesson.take(outcome);
            }
        }
    }
    lesson
}

/// The algorithms of a length: the usual one, then the cheapest ones first.
fn likeliest_first(bits: u32) -> Vec<&'static Algorithm> {
    let mut all: Vec<_> = of_bits(bits).collect();
    let cost = |algorithm: &&'static Algorithm| (algorithm.alone)().pace().alone;
    if let Some((_, rest)) = all.split_first_mut() {
        rest.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
    }
    all
}

/// Whether a line has a digest of this length that no algorithm is named for.
fn is_unnamed(line: &Record, bits: u32) -> bool {
    line.digests.iter().any(|named| named.guessed && named.digest.bits() == bits)
}

/// The lengths of unnamed digests.
fn lengths(lines: &[TrainingLine<'_>]) -> Vec<u32> {
    let digests = lines.iter().flat_map(|(line, _)| &line.digests).filter(|named| named.guessed);
    let mut lengths: Vec<u32> = digests.map(|named| named.digest.bits()).collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// The smallest of the first files with digests of this length, and their sizes.
fn probes<'a, 'b>(lines: &'a [TrainingLine<'b>], bits: u32) -> Vec<(u64, &'a TrainingLine<'b>)> {
    let sized = |line: &'a TrainingLine<'b>| {
        let meta = fs::metadata(path_of(&line.1)).ok().filter(fs::Metadata::is_file)?;
        Some((meta.len(), line))
    };
    let first = lines.iter().filter(|(line, _)| is_unnamed(line, bits)).take(LOOKED_AT);
    let mut found: Vec<_> = first.filter_map(sized).collect();
    found.sort_by_key(|(size, _)| *size);
    found.truncate(PROBES);
    found
}

/// What becomes of the files of some lines.
fn hash(
    probes: &[(u64, &TrainingLine<'_>)],
    plan: &Plan,
    live: &Arc<Live>,
    stats: &mut Stats,
) -> Vec<Outcome> {
    let entries: Vec<Found> = probes.iter().map(|(_, (_, path))| named_file(path)).collect();
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
pub fn named_file(path: &[u8]) -> Found {
    if is_location(path) {
        return stores::file(path);
    }
    let origin = if path == b"-" { Origin::Stdin } else { Origin::Listed };
    Found::File(Entry::new(path.into(), origin))
}
