//! Which algorithm a list's unnamed digests are of: a few small files are hashed by every algorithm that
//! comes into question, and the first match tells.

use crate::selection::{Bytes, path_of};
use hashloom_digest::of_bits;
use hashloom_engine::{Event, Live, Plan, run};
use hashloom_manifest::audit::Learner;
use hashloom_manifest::{Named, Record};
use hashloom_source::{Entry, Found, Origin};
use std::collections::HashMap;
use std::fs;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Files that are looked at for small ones to learn from.
pub const LOOKED_AT: usize = 64;

/// Files that are hashed by every algorithm that comes into question.
const PROBES: usize = 4;

/// Lines of a list that may teach, each with the path of its file here.
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
    go_on(&mut learner, lines, plan);
    learner
}

/// Learns from more lines of a list, each with its path, what was not learnt from those before.
pub fn learn_more<'a>(
    learner: &mut Learner,
    lines: impl Iterator<Item = (&'a Record, &'a [u8])>,
    plan: &Plan,
) {
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
    go_on(learner, &unnamed, plan);
}

fn is_unknown(learner: &Learner, named: &Named) -> bool {
    let bits = named.digest.bits();
    named.guessed && learner.learnt(bits).is_none() && of_bits(bits).nth(1).is_some()
}

fn go_on(learner: &mut Learner, lines: &[TrainingLine<'_>], plan: &Plan) {
    for bits in lengths(lines) {
        let algorithms: Vec<_> = of_bits(bits).collect();
        if algorithms.len() < 2 || learner.learnt(bits).is_some() {
            continue;
        }
        let probes = probes(lines, bits);
        let observed = hash(&probes, &Plan { algorithms, piece: None, whole: true, ..plan.clone() });
        for ((line, _), observed) in probes.iter().zip(&observed) {
            learner.compare(line, observed);
        }
    }
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

/// The smallest of the first files that teach about this length.
fn probes<'a, 'b>(lines: &'a [TrainingLine<'b>], bits: u32) -> Vec<&'a TrainingLine<'b>> {
    let sized = |line: &'a TrainingLine<'b>| {
        let meta = fs::metadata(path_of(&line.1)).ok().filter(fs::Metadata::is_file)?;
        Some((meta.len(), line))
    };
    let first = lines.iter().filter(|(line, _)| is_unnamed(line, bits)).take(LOOKED_AT);
    let mut found: Vec<_> = first.filter_map(sized).collect();
    found.sort_by_key(|(size, _)| *size);
    found.into_iter().take(PROBES).map(|(_, line)| line).collect()
}

fn hash(probes: &[&TrainingLine<'_>], plan: &Plan) -> Vec<Record> {
    let entries: Vec<Found> = probes.iter().map(|(_, path)| named_file(path)).collect();
    let mut records = Vec::new();
    let mut sink = |event: Event| {
        if let Event::Done(outcome) = event {
            records.push(outcome.record);
        }
        ControlFlow::Continue(())
    };
    run(plan, entries.into_iter(), &Arc::new(Live::default()), &mut sink);
    records
}

/// A file that a list names: a regular file or a block device, as a list can't ask to wait for a FIFO.
pub fn named_file(path: &[u8]) -> Found {
    let origin = if path == b"-" { Origin::Stdin } else { Origin::Listed };
    Found::File(Entry::new(path.into(), origin))
}
