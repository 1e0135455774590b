//! Which algorithm a list's unnamed digests are of: a few small files are hashed by every algorithm that
//! comes into question, and the first match tells.

use crate::selection::{Bytes, path_of};
use hashloom_digest::of_bits;
use hashloom_engine::{Event, Live, Plan, run};
use hashloom_manifest::Record;
use hashloom_manifest::audit::Learner;
use hashloom_source::{Entry, Found, Origin};
use std::fs;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Files that are looked at for small ones to learn from.
pub const LOOKED_AT: usize = 64;

/// Files that are hashed by every algorithm that comes into question.
const PROBES: usize = 4;

/// Lines of a list that may teach, each with the path of its file here.
pub type Lesson<'a> = (&'a Record, Bytes);

/// Learns from the lines with unnamed digests.
pub fn learn(lessons: &[Lesson<'_>], plan: &Plan) -> Learner {
    let mut learner = Learner::default();
    for bits in lengths(lessons) {
        let algorithms: Vec<_> = of_bits(bits).collect();
        if algorithms.len() < 2 {
            algorithms.into_iter().for_each(|only| learner.learn(only));
            continue;
        }
        let probes = probes(lessons, bits);
        let observed = hash(&probes, &Plan { algorithms, piece: None, whole: true, ..plan.clone() });
        for ((line, _), observed) in probes.iter().zip(&observed) {
            learner.compare(line, observed);
        }
    }
    learner
}

/// Whether a line has a digest of this length that no algorithm is named for.
fn is_unnamed(line: &Record, bits: u32) -> bool {
    line.digests.iter().any(|named| named.guessed && named.digest.bits() == bits)
}

/// The lengths of unnamed digests.
fn lengths(lessons: &[Lesson<'_>]) -> Vec<u32> {
    let digests = lessons.iter().flat_map(|(line, _)| &line.digests).filter(|named| named.guessed);
    let mut lengths: Vec<u32> = digests.map(|named| named.digest.bits()).collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// The smallest of the first files that teach about this length.
fn probes<'a, 'b>(lessons: &'a [Lesson<'b>], bits: u32) -> Vec<&'a Lesson<'b>> {
    let sized = |lesson: &'a Lesson<'b>| {
        let meta = fs::metadata(path_of(&lesson.1)).ok().filter(fs::Metadata::is_file)?;
        Some((meta.len(), lesson))
    };
    let first = lessons.iter().filter(|(line, _)| is_unnamed(line, bits)).take(LOOKED_AT);
    let mut found: Vec<_> = first.filter_map(sized).collect();
    found.sort_by_key(|(size, _)| *size);
    found.into_iter().take(PROBES).map(|(_, lesson)| lesson).collect()
}

fn hash(probes: &[&Lesson<'_>], plan: &Plan) -> Vec<Record> {
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
