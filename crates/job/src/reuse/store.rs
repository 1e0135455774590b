//! The entries of an earlier manifest in a temporary file, in ascending runs of blocks, which can be searched while
//! they are still being added.
//!
//! A manifest in the order of paths is one run. One with several operands has a run for each of them that comes before
//! its predecessor. The entries after too many runs are sorted, and become the last one. An entry that was found is the
//! first of its path, however far the manifest has been read; only for a path that isn't there the search waits until
//! it has been read to the end. So the answers don't depend on how fast it is read.

use crate::blocks::{BLOCK, EntryBlock, push_entry};
use hashmill_content::output::sort::Sorter;
use hashmill_content::output::{WriteError, scratch};
use hashmill_engine::Cancel;
use parking_lot::{Condvar, Mutex};
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// The most runs before what follows is sorted.
const RUNS: usize = 16;

/// The interval at which a search that waits checks for cancellation.
const CANCEL_CHECK: Duration = Duration::from_millis(50);

/// Adds entries.
pub(crate) struct Filler {
    shared: Arc<Shared>,
    block: Vec<u8>,
    /// The first key of the block, and the last one of the run.
    first: Vec<u8>,
    last: Vec<u8>,
    /// Takes what comes after the last run.
    sorter: Option<Sorter>,
    /// The memory of the sorter in bytes.
    memory: usize,
}

/// Searches entries by their keys.
pub(crate) struct Finder {
    shared: Arc<Shared>,
    cancel: Cancel,
    /// The block of each run that was searched last, with its place in the run.
    cached: Vec<Option<(usize, EntryBlock)>>,
}

struct Shared {
    state: Mutex<State>,
    /// There are more blocks, or no more will come.
    more: Condvar,
}

struct State {
    file: File,
    written: u64,
    runs: Vec<Vec<BlockStart>>,
    has_ended: bool,
}

/// The first key of a block, and its place in the file.
struct BlockStart {
    key: Box<[u8]>,
    place: Range<u64>,
}

/// Creates an empty store. Sorting takes about this many bytes of memory.
///
/// # Errors
/// If there is no room for the temporary file.
pub(crate) fn create(memory: usize, cancel: Cancel) -> Result<(Filler, Finder), WriteError> {
    let file = tempfile::tempfile().map_err(scratch::failed)?;
    let state = State { file, written: 0, runs: Vec::new(), has_ended: false };
    let shared = Arc::new(Shared { state: Mutex::new(state), more: Condvar::new() });
    let (block, first, last) = (Vec::new(), Vec::new(), Vec::new());
    let filler = Filler { shared: Arc::clone(&shared), block, first, last, sorter: None, memory };
    Ok((filler, Finder { shared, cancel, cached: Vec::new() }))
}

impl Filler {
    /// Adds an entry. Of entries with equal keys, the first counts.
    ///
    /// # Errors
    /// If there is no room for temporary files.
    pub(crate) fn push(&mut self, key: &[u8], rest: &[u8]) -> Result<(), WriteError> {
        if let Some(sorter) = &mut self.sorter {
            return sorter.push(key, &[rest]);
        }
        let has_run = !self.shared.state.lock().runs.is_empty();
        if has_run && *key == *self.last {
            return Ok(());
        }
        if !has_run || *key < *self.last {
            self.end_block()?;
            let mut state = self.shared.state.lock();
            if state.runs.len() == RUNS {
                drop(state);
                return self.sorter.insert(Sorter::new(self.memory)).push(key, &[rest]);
            }
            state.runs.push(Vec::new());
        }
        self.append(key, rest)
    }

    /// Adds an entry to the last run.
    fn append(&mut self, key: &[u8], rest: &[u8]) -> Result<(), WriteError> {
        if self.block.is_empty() {
            self.first.clear();
            self.first.extend_from_slice(key);
        }
        self.last.clear();
        self.last.extend_from_slice(key);
        push_entry(&mut self.block, key, &[rest]).map_err(scratch::failed)?;
        if self.block.len() >= BLOCK { self.end_block() } else { Ok(()) }
    }

    /// Makes the block visible to searches.
    fn end_block(&mut self) -> Result<(), WriteError> {
        if self.block.is_empty() {
            return Ok(());
        }
        let mut state = self.shared.state.lock();
        let at = state.written;
        // A search may have moved the place at which the file is written.
        let moved = state.file.seek(SeekFrom::Start(at));
        moved.and_then(|_| state.file.write_all(&self.block)).map_err(scratch::failed)?;
        state.written += self.block.len() as u64;
        let place = at..state.written;
        if let Some(run) = state.runs.last_mut() {
            run.push(BlockStart { key: self.first.as_slice().into(), place });
        }
        drop(state);
        self.block.clear();
        self.shared.more.notify_all();
        Ok(())
    }

    /// Adds the entries that had to be sorted, as the last run.
    ///
    /// # Errors
    /// If there is no room for temporary files, or they can't be read back.
    pub(crate) fn finish(mut self) -> Result<(), WriteError> {
        self.end_block()?;
        let Some(sorter) = self.sorter.take() else { return Ok(()) };
        let mut sorted = sorter.sorted()?;
        let mut is_first = true;
        while let Some((key, rest)) = sorted.next_entry()? {
            if std::mem::take(&mut is_first) {
                self.shared.state.lock().runs.push(Vec::new());
            } else if *key == *self.last {
                continue;
            }
            self.append(key, rest)?;
        }
        self.end_block()
    }
}

impl Drop for Filler {
    fn drop(&mut self) {
        self.shared.state.lock().has_ended = true;
        self.shared.more.notify_all();
    }
}

impl Finder {
    /// Returns the rest of the entry with this key. Waits until it is there, or no more entries will come. A cancelled
    /// search finds nothing.
    ///
    /// # Errors
    /// If the temporary file can't be read back.
    pub(crate) fn find(&mut self, key: &[u8]) -> io::Result<Option<&[u8]>> {
        let shared = Arc::clone(&self.shared);
        let mut state = shared.state.lock();
        // The blocks that can't have it: the one that was searched in each run.
        let mut searched: Vec<Option<usize>> = Vec::new();
        loop {
            self.cached.resize_with(state.runs.len(), || None);
            searched.resize(state.runs.len(), None);
            for (run, searched) in searched.iter_mut().enumerate() {
                let place = state.runs[run].partition_point(|start| *start.key <= *key).checked_sub(1);
                if place.is_none() || place == *searched {
                    continue;
                }
                *searched = place;
                if let Some(found) = self.search(&state, run, place.unwrap_or(0), key)? {
                    drop(state);
                    return Ok(self.cached[run].as_ref().map(|(_, block)| block.rest(found)));
                }
            }
            if state.has_ended || self.cancel.is_set() {
                return Ok(None);
            }
            shared.more.wait_for(&mut state, CANCEL_CHECK);
        }
    }

    /// Returns the key of the first entry whose rest is the wanted one, once all entries are there. Reads all of them.
    ///
    /// # Errors
    /// If the temporary file can't be read back.
    pub(crate) fn find_key(&self, is_wanted: impl Fn(&[u8]) -> bool) -> io::Result<Option<Box<[u8]>>> {
        let mut state = self.shared.state.lock();
        while !state.has_ended && !self.cancel.is_set() {
            self.shared.more.wait_for(&mut state, CANCEL_CHECK);
        }
        for start in state.runs.iter().flatten().take_while(|_| !self.cancel.is_set()) {
            let block = EntryBlock::read(&state.file, start.place.clone())?;
            if let Some(found) = (0..block.len()).find(|place| is_wanted(block.rest(*place))) {
                return Ok(Some(block.key(found).into()));
            }
        }
        Ok(None)
    }

    /// Returns the place of a key in a block of a run.
    fn search(&mut self, state: &State, run: usize, place: usize, key: &[u8]) -> io::Result<Option<usize>> {
        let slot = &mut self.cached[run];
        let (_, block) = match slot.take() {
            Some(cached) if cached.0 == place => slot.insert(cached),
            _ => slot.insert((place, EntryBlock::read(&state.file, state.runs[run][place].place.clone())?)),
        };
        Ok(block.find(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_testing::{Random, cases};
    use std::collections::HashMap;
    use std::thread;

    /// Fills a store with these entries on another thread, and returns what it finds for each of these keys.
    fn found(entries: Vec<(Vec<u8>, Vec<u8>)>, keys: &[Vec<u8>]) -> Vec<Option<Vec<u8>>> {
        let (mut filler, mut finder) = create(1000, Cancel::default()).unwrap();
        let filling = thread::spawn(move || {
            entries.iter().for_each(|(key, rest)| filler.push(key, rest).unwrap());
            filler.finish().unwrap();
        });
        let all = keys.iter().map(|key| finder.find(key).unwrap().map(<[u8]>::to_vec)).collect();
        filling.join().unwrap();
        all
    }

    #[test]
    fn a_store_finds_the_first_entry_of_every_key() {
        let mut random = Random(7);
        for round in 0..cases(40) {
            let count = random.below(300);
            // Few keys are there twice, or in runs, or in no order at all.
            let mut entries: Vec<(Vec<u8>, Vec<u8>)> = (0..count)
                .map(|number| {
                    let key = format!("{:04}", random.below(400)).into_bytes();
                    (key, number.to_string().into_bytes())
                })
                .collect();
            match round % 3 {
                0 => entries.sort(),
                1 => entries.chunks_mut(64).for_each(<[_]>::sort),
                _ => {}
            }
            let mut known: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
            for (key, rest) in &entries {
                known.entry(key.clone()).or_insert_with(|| rest.clone());
            }
            let mut keys: Vec<Vec<u8>> = (0..400).map(|key| format!("{key:04}").into_bytes()).collect();
            if round % 2 == 0 {
                keys.reverse();
            }
            let wanted: Vec<_> = keys.iter().map(|key| known.get(key).cloned()).collect();
            assert_eq!(found(entries, &keys), wanted, "round {round}");
        }
    }

    #[test]
    fn a_search_ends_with_the_filler_or_when_it_is_cancelled() {
        let cancel = Cancel::default();
        let (filler, mut finder) = create(1000, cancel.clone()).unwrap();
        cancel.set();
        assert_eq!(finder.find(b"a").unwrap(), None);
        drop(filler);
        let (filler, mut finder) = create(1000, Cancel::default()).unwrap();
        drop(filler);
        assert_eq!(finder.find(b"a").unwrap(), None);
    }
}
