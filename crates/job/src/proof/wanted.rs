//! Files of this machine, each read once for the digests that decide, and objects whose bytes have to decide.

use super::Means;
use super::side::{Of, Side};
use crate::error::Error;
use hashloom_digest::Algorithm;
use hashloom_engine::{self as engine, Plan, Stats, Trouble};
use hashloom_manifest::Status;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// How many files are read in one run, with so much memory for their data: each takes some two hundred bytes on its way.
fn at_once(memory: usize) -> usize {
    (memory / 4096).clamp(64, 1 << 15)
}

/// Which digests of which files are wanted: the files by their place, for each list of algorithms.
#[derive(Default)]
pub(super) struct Wanted(BTreeMap<Vec<&'static str>, (Vec<&'static Algorithm>, Vec<usize>)>);

impl Wanted {
    /// Adds the file at this place.
    pub fn add(&mut self, place: usize, algorithms: Vec<&'static Algorithm>) {
        let names = algorithms.iter().map(|algorithm| algorithm.name).collect();
        let (_, places) = self.0.entry(names).or_insert_with(|| (algorithms, Vec::new()));
        if places.last() != Some(&place) {
            places.push(place);
        }
    }

    /// Whether nothing is wanted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads the files, all that want the same digests together.
    ///
    /// # Errors
    /// If the memory is too little for the threads.
    pub fn hash(
        self,
        means: &Means,
        side: &mut Side,
        stats: &mut Stats,
        failed: &mut dyn FnMut(&hashloom_source::Error),
    ) -> Result<(), Error> {
        for (algorithms, mut places) in self.0.into_values() {
            places.sort_unstable();
            places.dedup();
            // What failed for other digests is read no more.
            places.retain(|place| matches!(side.items[*place].of, Of::File(_) | Of::Object(_)));
            let plan = Plan { cancel: means.cancel.clone(), ..means.resources.plan(algorithms)? };
            for places in places.chunks(at_once(plan.memory)) {
                let entries = side.entries(places);
                let mut done = places.iter();
                let run = engine::run(&plan, entries.into_iter(), &means.live, &mut |event| {
                    if let (engine::Event::Done(outcome), Some(place)) = (event, done.next()) {
                        take(side, *place, outcome, failed);
                    }
                    ControlFlow::Continue(())
                });
                stats.elapsed += run.elapsed;
                stats.add(&run);
            }
        }
        Ok(())
    }
}

/// Takes what came of reading a file.
fn take(
    side: &mut Side,
    place: usize,
    outcome: engine::Outcome,
    failed: &mut dyn FnMut(&hashloom_source::Error),
) {
    let engine::Outcome { record, trouble, .. } = outcome;
    let item = &mut side.items[place];
    match (&mut item.of, trouble) {
        (Of::Object(_), None) => {
            side.read.insert(place, record.digests);
        }
        (Of::File(file), None) => {
            item.size = record.size;
            file.1.reserve_exact(record.digests.len());
            file.1.extend(record.digests);
        }
        (of, trouble) => {
            if let Some(Trouble::Failed(error)) = &trouble {
                failed(error);
            }
            let status = if record.status == Status::Hashed { Status::Unreadable } else { record.status };
            *of = Of::Unread(status);
        }
    }
}
