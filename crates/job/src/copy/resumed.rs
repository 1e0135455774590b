//! Files that an interrupted run has copied and verified. What shows a change, of a file or a copy, is as it was then: they are
//! not read again.

use super::naming::Naming;
use super::site::CopySite;
use super::state::{BELIEVED, CopyState, LockedState, key};
use crate::reuse::facts::{Comparison, FileFacts};
use crate::reuse::now;
use crate::reuse::store::{self, Finder};
use hashmill_content::selection::path_of;
use hashmill_digest::Algorithm;
use hashmill_engine::flow::Entries;
use hashmill_engine::{Cancel, EntryResult, RunItem};
use hashmill_manifest::Time;
use hashmill_os::{Links, facts_at};
use hashmill_source::{Entry, Meta, ParentCache, WalkItem};
use std::io;
use std::sync::Arc;

/// The state of an interrupted run, and what its entries are of.
pub(super) struct Resumed {
    finder: Finder,
    naming: Naming,
    sites: Vec<Arc<dyn CopySite>>,
    algorithms: Vec<&'static Algorithm>,
}

impl Resumed {
    /// Reads the state that this run goes on with. Sorting its entries takes about so many bytes of memory.
    ///
    /// # Errors
    /// If it can't be read or written.
    pub(super) fn read(
        locked: LockedState,
        memory: usize,
        naming: Naming,
        algorithms: Vec<&'static Algorithm>,
    ) -> io::Result<(CopyState, Resumed)> {
        let (mut filler, finder) = store::create(memory, Cancel::default()).map_err(io::Error::other)?;
        let state =
            locked.read(&mut |entry| filler.push(&entry.key, &entry.known).map_err(io::Error::other))?;
        filler.finish().map_err(io::Error::other)?;
        Ok((state, Resumed { finder, naming, sites: Vec::new(), algorithms }))
    }

    /// Returns it for these destinations.
    pub(super) fn at(self, sites: Vec<Arc<dyn CopySite>>) -> Resumed {
        Resumed { sites, ..self }
    }

    /// Puts the results of files that were copied in their place.
    fn replace(mut self, entries: Entries) -> Box<dyn Iterator<Item = RunItem> + Send> {
        let mut parents = ParentCache::default();
        Box::new(entries.map(move |found| match found {
            WalkItem::File(entry) => match self.known(&entry, &mut parents) {
                Some(result) => RunItem::Known(Box::new(result)),
                None => RunItem::Walked(WalkItem::File(entry)),
            },
            found => RunItem::Walked(found),
        }))
    }

    /// Returns the result of a file, if it and its copies are unchanged.
    fn known(&mut self, entry: &Entry, parents: &mut ParentCache) -> Option<EntryResult> {
        if entry.content.is_some() {
            return None;
        }
        let (name, meta, now) = (self.naming.name(&entry.path)?, parents.meta(entry).ok()?, now()?);
        let mut record = None;
        for (place, site) in (0..).zip(&self.sites) {
            // A file without an entry that can be read is compared by its content.
            let known = self.finder.find(&key(place, &entry.path)).ok()??;
            let (facts, rest) = FileFacts::from_bytes(known)?;
            let (copy, digests) = FileFacts::from_bytes(rest)?;
            let there = Meta::at(&site.path(&name)).ok()?;
            if !is_same(&facts, &meta, now) || !is_same(&copy, &there, now) {
                return None;
            }
            record = Some(facts.record(&entry.path, &self.algorithms, digests));
        }
        let record = record.filter(|_| !has_other_names(entry))?;
        Some(EntryResult { record, meta: Some(meta), opened: None, is_fresh: false, trouble: None })
    }
}

/// Returns the inputs of a run: entries of the walk, and results in place of those that were copied.
pub(super) fn items(entries: Entries, resumed: Option<Resumed>) -> Box<dyn Iterator<Item = RunItem> + Send> {
    match resumed {
        Some(resumed) => resumed.replace(entries),
        None => Box::new(entries.map(RunItem::Walked)),
    }
}

/// Returns whether a file is as it was, not too long ago. A disk may have another number after it was plugged in again.
fn is_same(facts: &FileFacts, meta: &Meta, now: Time) -> bool {
    facts.is_younger(BELIEVED, now)
        && matches!(facts.compare(meta, now), Comparison::Same | Comparison::OtherDevice)
}

/// Returns whether a file has several names: which of them are links of each other is decided anew.
fn has_other_names(entry: &Entry) -> bool {
    !facts_at(&path_of(&entry.path), Links::Follow).is_ok_and(|facts| facts.links == 1)
}
