//! The states of a relay's hashers: restored at its start, and saved together from time to time. Hashers come to the end
//! of a chunk at different times, so a state waits for those of the others.

use super::consumer::Consumer;
use super::setup::{PieceMode, RelayFile, RelayHashers, Setup};
use crate::Plan;
use crate::hash::HashSpec;
use crate::plan::saving::{EVERY, ReadSoFar, Saver};
use hashmill_digest::{About, Saved};
use hashmill_source::{Entry, Meta};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Saves the states of a relay's hashers.
pub(super) struct Saves {
    saver: Arc<dyn Saver>,
    entry: Entry,
    size: u64,
    /// The number of hashers.
    count: usize,
    /// The number of chunks from one saved state to the next.
    every: u64,
    /// The states so far, by their number of bytes and their place in the record.
    waiting: Mutex<BTreeMap<u64, BTreeMap<usize, Saved>>>,
}

/// The hashers of a relay that saves their states.
pub(super) struct SavedHashers {
    pub(super) hashers: RelayHashers,
    pub(super) saves: Saves,
    /// The first chunk to read.
    pub(super) start: u64,
}

/// How hashers that can be saved are made.
struct Making<'a> {
    setup: &'a Setup,
    plan: &'a Plan,
    about: About<'a>,
    every: u64,
}

impl Saves {
    /// Makes the hashers of a file whose states are to be saved, and restores what was saved of it if that is possible.
    /// `None` if nothing is to be saved, or the state of a hasher can't be had.
    pub(super) fn begin(plan: &Plan, setup: &Setup, file: &RelayFile) -> Option<SavedHashers> {
        let (saver, entry, size) = (plan.saving.as_ref()?, file.entry.as_ref()?, setup.size?);
        let in_chunks = matches!(setup.mode, PieceMode::InOrder | PieceMode::WholeInChunks);
        if !in_chunks || !plan.saves(entry, size) {
            return None;
        }
        let chunk = setup.layout.chunk as u64;
        let every = (EVERY / chunk).max(1);
        let making = Making { setup, plan, about: About::file(&file.path, Some(size)), every };
        let begun = saver.begun(entry, file.reader.meta()).filter(|states| {
            let bytes = states.first().map_or(0, |state| state.bytes);
            bytes > 0 && bytes < size && bytes.is_multiple_of(chunk)
        });
        let restored = begun.and_then(|states| Some((making.restored(&states)?, states[0].bytes / chunk)));
        let (hashers, start) = restored.or_else(|| Some((making.unused()?, 0)))?;
        let count = hashers.consumers.len() + hashers.unordered.len();
        let (saver, entry) = (Arc::clone(saver), entry.clone());
        let saves = Saves { saver, entry, size, count, every, waiting: Mutex::default() };
        Some(SavedHashers { hashers, saves, start })
    }

    /// Whether states are saved after this many chunks.
    pub(super) fn is_due(&self, chunks: u64) -> bool {
        chunks.is_multiple_of(self.every)
    }

    /// Takes the state of a hasher. When all have come, they are kept.
    pub(super) fn take(&self, place: usize, state: Saved, read: &dyn Fn() -> (Meta, ReadSoFar)) {
        let bytes = state.bytes;
        // Nothing is left to read behind the end.
        if bytes >= self.size {
            return;
        }
        let mut waiting = self.waiting.lock();
        let states = waiting.entry(bytes).or_default();
        states.insert(place, state);
        if states.len() == self.count {
            let states: Vec<Saved> = std::mem::take(states).into_values().collect();
            // A hasher passes its chunks in order, so nothing earlier is still to come.
            waiting.retain(|other, _| *other > bytes);
            let (meta, read) = read();
            self.saver.keep(&self.entry, &meta, &states, &read);
        }
    }
}

impl Making<'_> {
    fn unused(&self) -> Option<RelayHashers> {
        self.hashers(&mut |_| None)
    }

    /// Returns hashers with these states; `None` if these are none of the plan's algorithms.
    fn restored(&self, states: &[Saved]) -> Option<RelayHashers> {
        let fits = states.len() == HashSpec::all(self.plan).count();
        if fits { self.hashers(&mut |place| Some(&states[place])) } else { None }
    }

    fn hashers<'s>(&self, state: &mut dyn FnMut(usize) -> Option<&'s Saved>) -> Option<RelayHashers> {
        let mut hashers = RelayHashers::default();
        let chunk = self.setup.layout.chunk;
        for (place, spec) in HashSpec::all(self.plan).enumerate() {
            let state = state(place);
            if state.is_some_and(|state| !spec.is_of(state.algorithm)) {
                return None;
            }
            match spec.unordered(chunk, &self.about) {
                Some(mut hasher) => {
                    let restored = state.is_none_or(|state| hasher.restore(state, chunk as u64));
                    (restored && hasher.save_every(self.every)).then_some(())?;
                    hashers.unordered.push((place, hasher));
                }
                None => hashers.consumers.push(Consumer::saving(place, spec, &self.about, state)?),
            }
        }
        Some(hashers)
    }
}
