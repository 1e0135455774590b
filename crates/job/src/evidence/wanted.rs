//! Reading of files and objects for the digests that decide: each file is read once for the same digests.

use super::items::{ItemDescription, ItemKind};
use super::means::EvidenceSettings;
use super::side::Side;
use crate::error::Error;
use hashmill_digest::Algorithm;
use hashmill_engine::{self as engine, Plan, Stats, Trouble};
use hashmill_manifest::Status;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// The wanted digests: for each list of algorithms, the places of the files.
#[derive(Default)]
pub(super) struct DigestsToCompute(BTreeMap<Vec<&'static str>, (Vec<&'static Algorithm>, Vec<usize>)>);

impl DigestsToCompute {
    /// Adds an item.
    pub fn add(&mut self, place: usize, algorithms: Vec<&'static Algorithm>) {
        let names = algorithms.iter().map(|algorithm| algorithm.name).collect();
        let (_, places) = self.0.entry(names).or_insert_with(|| (algorithms, Vec::new()));
        if places.last() != Some(&place) {
            places.push(place);
        }
    }

    /// Returns whether no digests are wanted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Computes the digests. Files that need the same ones are read together.
    ///
    /// # Errors
    /// If the memory is too little for the threads.
    pub fn hash(
        self,
        means: &EvidenceSettings,
        side: &mut Side,
        stats: &mut Stats,
        failed: &mut dyn FnMut(&hashmill_source::Error),
    ) -> Result<(), Error> {
        for (algorithms, mut places) in self.0.into_values() {
            places.sort_unstable();
            places.dedup();
            // A file that failed for other digests is not read again.
            places.retain(|place| side.items.is_readable(*place));
            let plan = Plan { cancel: means.cancel.clone(), ..means.resources.plan(algorithms)? };
            let entries = side.entries(&places);
            let mut done = places.iter();
            let run = engine::run(&plan, entries.into_iter(), &means.live, &mut |event| {
                if let (engine::EngineEvent::Done(outcome), Some(place)) = (event, done.next()) {
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

/// Stores the result of reading a file.
fn take(
    side: &mut Side,
    place: usize,
    outcome: engine::EntryResult,
    failed: &mut dyn FnMut(&hashmill_source::Error),
) {
    let engine::EntryResult { record, trouble, .. } = outcome;
    if trouble.is_none() {
        if side.items.kind(place) != ItemKind::Object {
            side.items.set_size(place, record.size);
        }
        side.items.compute(place, &record.digests);
        return;
    }
    if let Some(Trouble::Failed(error)) = &trouble {
        failed(error);
    }
    let status = if record.status == Status::Hashed { Status::Unreadable } else { record.status };
    side.items.replace(place, ItemDescription::Unread(status));
}
