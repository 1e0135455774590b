//! Files of this machine, each read once for the digests that decide, and objects whose bytes have to decide.

use super::items::{Kind, Of};
use super::means::Means;
use super::side::Side;
use crate::error::Error;
use hashloom_digest::Algorithm;
use hashloom_engine::{self as engine, Plan, Stats, Trouble};
use hashloom_manifest::Status;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

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
            places.retain(|place| side.items.is_readable(*place));
            let plan = Plan { cancel: means.cancel.clone(), ..means.resources.plan(algorithms)? };
            let entries = side.entries(&places);
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
    if trouble.is_none() {
        if side.items.kind(place) != Kind::Object {
            side.items.set_size(place, record.size);
        }
        side.items.compute(place, &record.digests);
        return;
    }
    if let Some(Trouble::Failed(error)) = &trouble {
        failed(error);
    }
    let status = if record.status == Status::Hashed { Status::Unreadable } else { record.status };
    side.items.replace(place, Of::Unread(status));
}
