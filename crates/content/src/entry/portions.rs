//! Entries that a thread lists, on their way to the walk.

use crate::entry::facts::{EntryFact, EntryFacts};
use hashmill_engine::flow::{Entries, one};
use hashmill_manifest::Allocation;
use hashmill_source::{Entry, Error, Problem, WalkItem};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::{thread, vec};

/// An item of a listing, with what is known of it beside its content.
pub(crate) struct ListedItem {
    pub(crate) item: WalkItem,
    pub(crate) fact: Option<EntryFact>,
}

/// The sender of a listing: its items go in portions.
pub(crate) type Portions = SyncSender<Vec<ListedItem>>;

/// Items that arrive in portions. What is known of them is noted when they are passed on.
pub(crate) struct Arriving {
    receiver: Receiver<Vec<ListedItem>>,
    portion: vec::IntoIter<ListedItem>,
    facts: EntryFacts,
    /// The allocation of the file that they are inside of, if it was deleted: theirs is the same.
    allocation: Option<Allocation>,
}

impl Arriving {
    /// Starts a thread that lists what is inside of the file with this path. If the system can't start one, the only item
    /// says why.
    pub(crate) fn from_thread(
        path: &[u8],
        facts: EntryFacts,
        list: impl FnOnce(Portions) + Send + 'static,
    ) -> Entries {
        let (sender, receiver) = sync_channel(1);
        let allocation = facts.allocation(path);
        let started = thread::Builder::new().name("inside".into()).spawn(move || list(sender));
        match started {
            Ok(_) => Box::new(Arriving { receiver, portion: Vec::new().into_iter(), facts, allocation }),
            Err(error) => one(failed(path, "error", error.to_string())),
        }
    }
}

impl Iterator for Arriving {
    type Item = WalkItem;

    fn next(&mut self) -> Option<WalkItem> {
        loop {
            if let Some(ListedItem { item, fact }) = self.portion.next() {
                if let Some(mut fact) = fact {
                    fact.metadata.allocation = fact.metadata.allocation.or(self.allocation);
                    self.facts.note(path_of(&item), fact);
                }
                return Some(item);
            }
            self.portion = self.receiver.recv().ok()?.into_iter();
        }
    }
}

/// Returns the failure of an entry inside of another file.
pub fn failed(path: &[u8], word: &'static str, why: String) -> WalkItem {
    WalkItem::Failed(Error { path: path.into(), problem: Problem::Inside { word, why: why.into() } })
}

/// Returns the path of an item.
pub fn path_of(item: &WalkItem) -> &[u8] {
    match item {
        WalkItem::File(Entry { path, .. }) | WalkItem::Skipped { path, .. } => path,
        WalkItem::Failed(error) => &error.path,
    }
}
