//! Facts about entries inside of images beside their content, kept until their records are made; and sums of what covers
//! their media.

use hashmill_manifest::{Allocation, Metadata, Record, Time};
use hashmill_terminal::Shown;
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;

/// The facts about entries that are on their way through the engine, by path. Several entries may have one path, as a
/// deleted file and its successor do; their results come in the order in which they were noted. Nothing is noted unless
/// somebody takes it.
#[derive(Debug, Clone, Default)]
pub struct EntryFacts {
    noted: Option<Arc<Mutex<Noted>>>,
    sums: Arc<Mutex<Vec<Coverage>>>,
}

type Noted = HashMap<Box<[u8]>, VecDeque<EntryFact>>;

/// The facts about one entry.
#[derive(Debug, Clone)]
pub(crate) struct EntryFact {
    pub metadata: Metadata,
    /// The time of its last modification, if its file system knows one.
    pub mtime: Option<Time>,
}

/// The bytes of a file system, or of a whole medium, by their use. Each byte is counted once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coverage {
    /// The path of its root.
    pub path: Box<[u8]>,
    /// Its size.
    pub size: u64,
    /// Bytes of files.
    pub files: u64,
    /// Bytes behind the ends of files, in places that are theirs.
    pub slack: u64,
    /// Bytes of the file system itself.
    pub metadata: u64,
    /// Bytes that nothing uses.
    pub unallocated: u64,
    /// Bytes that belong to several files, or to files and to nothing: the file system contradicts itself.
    pub contradictory: u64,
    /// Whether not all of it could be read, so that the rest counts as metadata.
    pub is_partial: bool,
}

impl EntryFacts {
    /// Creates facts that are taken as records are made.
    pub fn taken() -> EntryFacts {
        EntryFacts { noted: Some(Arc::default()), sums: Arc::default() }
    }

    /// Notes the facts about an entry.
    pub(crate) fn note(&self, path: &[u8], fact: EntryFact) {
        let Some(noted) = &self.noted else { return };
        // Nearly all paths have one entry, and many wait at a time: four times the room was most of what a run took.
        noted.lock().entry(path.into()).or_insert_with(|| VecDeque::with_capacity(1)).push_back(fact);
    }

    /// Moves the facts about a record's entry into the record, if there are some.
    pub fn give(&self, record: &mut Record) {
        let Some(noted) = &self.noted else { return };
        let mut known = noted.lock();
        if known.is_empty() {
            return;
        }
        let Some(waiting) = known.get_mut(&record.path) else { return };
        if let Some(EntryFact { metadata, mtime }) = waiting.pop_front() {
            record.metadata = Some(Box::new(metadata));
            record.mtime = mtime;
        }
        if waiting.is_empty() {
            known.remove(&record.path);
        }
    }

    /// Returns what is left of the entry with this path that was noted last, if it was deleted.
    pub fn allocation(&self, path: &[u8]) -> Option<Allocation> {
        self.noted.as_ref()?.lock().get(path)?.back()?.metadata.allocation
    }

    /// Drops the facts about an entry that were noted last, as no record will be made of it.
    pub fn drop_last(&self, path: &[u8]) {
        let Some(noted) = &self.noted else { return };
        let mut known = noted.lock();
        let Some(waiting) = known.get_mut(path) else { return };
        waiting.pop_back();
        if waiting.is_empty() {
            known.remove(path);
        }
    }

    /// Notes a sum.
    pub(crate) fn add(&self, sum: Coverage) {
        self.sums.lock().push(sum);
    }

    /// Returns the sums.
    pub fn sums(&self) -> Vec<Coverage> {
        std::mem::take(&mut self.sums.lock())
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Coverage { path, size, files, slack, metadata, unallocated, contradictory, is_partial } = self;
        write!(
            f,
            "{}: {size} bytes = {files} in files + {slack} slack + {metadata} metadata + {unallocated} unallocated",
            Shown(path)
        )?;
        if *contradictory > 0 {
            write!(f, "; {contradictory} of them have several uses")?;
        }
        if *is_partial {
            f.write_str("; not all could be read, and what is unknown counts as metadata")
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_manifest::Status;

    #[test]
    fn entries_of_one_path_get_their_facts_in_order() {
        let facts = EntryFacts::taken();
        let note = |path: &str, inode| {
            let metadata = Metadata { inode: Some(inode), ..Metadata::default() };
            facts.note(path.as_bytes(), EntryFact { metadata, mtime: None });
        };
        note("a", 1);
        note("b", 2);
        note("a", 3);
        let inode = |path: &str| {
            let mut record = Record::bare(path.as_bytes().into(), Status::Hashed);
            facts.give(&mut record);
            record.metadata.and_then(|metadata| metadata.inode)
        };
        assert_eq!([inode("a"), inode("b"), inode("a"), inode("a")], [Some(1), Some(2), Some(3), None]);
        assert!(facts.noted.unwrap().lock().is_empty());
    }

    #[test]
    fn the_facts_of_one_entry_take_the_room_of_one() {
        let facts = EntryFacts::taken();
        facts.note(b"a", EntryFact { metadata: Metadata::default(), mtime: None });
        assert_eq!(facts.noted.unwrap().lock()[&b"a"[..]].capacity(), 1);
    }
}
