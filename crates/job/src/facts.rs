//! EntryFacts about entries inside of images beside their content, kept until their records are made.

use hashloom_manifest::{Metadata, Record};
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// The facts about entries that are on their way through the engine, by path. Several entries may have one path, as a
/// deleted file and its successor do; their results come in the order in which they were noted. Nothing is noted unless
/// somebody takes it.
#[derive(Debug, Clone, Default)]
pub struct EntryFacts(Option<Arc<Mutex<Noted>>>);

type Noted = HashMap<Box<[u8]>, VecDeque<Metadata>>;

impl EntryFacts {
    /// Creates facts that are taken as records are made.
    pub(crate) fn taken() -> EntryFacts {
        EntryFacts(Some(Arc::default()))
    }

    /// Notes the facts about an entry.
    #[cfg(feature = "images")]
    pub(crate) fn note(&self, path: &[u8], metadata: Metadata) {
        let Some(noted) = &self.0 else { return };
        noted.lock().entry(path.into()).or_default().push_back(metadata);
    }

    /// Moves the facts about a record's entry into the record, if there are some.
    pub(crate) fn give(&self, record: &mut Record) {
        let Some(noted) = &self.0 else { return };
        let mut known = noted.lock();
        if known.is_empty() {
            return;
        }
        let Some(waiting) = known.get_mut(&record.path) else { return };
        record.metadata = waiting.pop_front().map(Box::new);
        if waiting.is_empty() {
            known.remove(&record.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashloom_manifest::Status;

    #[test]
    fn entries_of_one_path_get_their_facts_in_order() {
        let facts = EntryFacts::taken();
        let note = |path: &str, inode| {
            facts.note(path.as_bytes(), Metadata { inode: Some(inode), ..Metadata::default() })
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
        assert!(facts.0.unwrap().lock().is_empty());
    }
}
