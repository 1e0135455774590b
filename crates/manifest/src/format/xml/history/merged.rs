//! The union of the generations of a history.

use super::{GenerationFolder, GenerationPart};
use crate::{Named, Record};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

/// The union of the generations of a history: all digests of each file in any generation, except those that failed.
#[derive(Debug, Clone, Default)]
pub struct Merged {
    records: Vec<Record>,
    places: HashMap<Box<[u8]>, usize>,
    patterns: Vec<Box<[u8]>>,
    references: Vec<Record>,
    /// The newest content digests of each folder.
    folders: BTreeMap<Box<[u8]>, Vec<Named>>,
}

impl Merged {
    /// Takes a part of a generation. Generations must come in order.
    pub fn take(&mut self, part: GenerationPart) {
        match part {
            GenerationPart::File(record, before) => {
                if let Some(before) = before {
                    self.rename(&before, &record.path);
                }
                self.add(*record);
            }
            // The newest generation has all patterns of the older ones, and new ones.
            GenerationPart::Patterns(patterns) => self.patterns = patterns,
            GenerationPart::Reference(record) => self.references.push(*record),
            GenerationPart::Folder(folder) => {
                let GenerationFolder { path, content, before, .. } = *folder;
                before.iter().for_each(|before| drop(self.folders.remove(before)));
                self.folders.insert(path, content);
            }
        }
    }

    fn rename(&mut self, before: &[u8], path: &[u8]) {
        let Some(place) = self.places.remove(before) else { return };
        match self.places.entry(path.into()) {
            Entry::Vacant(new) => {
                self.records[place].path = path.into();
                new.insert(place);
            }
            // A file with this path is already known, so the two are merged.
            Entry::Occupied(known) => {
                let known = *known.get();
                let digests = std::mem::take(&mut self.records[place].digests);
                self.records[place].path = Box::default();
                unite(&mut self.records[known].digests, &digests);
            }
        }
    }

    fn add(&mut self, record: Record) {
        match self.places.entry(record.path.clone()) {
            Entry::Vacant(new) => {
                new.insert(self.records.len());
                self.records.push(record);
            }
            Entry::Occupied(known) => {
                let known = &mut self.records[*known.get()];
                if known.digests.is_empty() {
                    *known = record;
                } else {
                    // The size of a file that failed belongs to other content.
                    unite(&mut known.digests, &record.digests);
                }
            }
        }
    }

    /// Returns the known digests of a file, the oldest first, including those of generations that contradict each
    /// other.
    pub fn digests(&self, path: &[u8]) -> &[Named] {
        self.places.get(path).map_or(&[], |place| &self.records[*place].digests)
    }

    /// Returns the merged record of each file, in the order of the generations.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.records.iter().filter(|record| !record.path.is_empty())
    }

    /// Converts into the merged records.
    pub fn into_records(self) -> impl Iterator<Item = Record> {
        self.records.into_iter().filter(|record| !record.path.is_empty())
    }

    /// Returns the newest content digests of each folder, by its path; that of the whole tree is empty.
    pub fn folders(&self) -> &BTreeMap<Box<[u8]>, Vec<Named>> {
        &self.folders
    }

    /// Returns the newest generation's exclusion patterns.
    pub fn patterns(&self) -> &[Box<[u8]>] {
        &self.patterns
    }

    /// Returns the manifests of nested histories that generations refer to.
    pub fn references(&self) -> &[Record] {
        &self.references
    }
}

fn unite(known: &mut Vec<Named>, more: &[Named]) {
    more.iter().for_each(|named| {
        if !known.contains(named) {
            known.push(*named);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::xml::history::Parts;

    fn merged(generations: &[&str]) -> Merged {
        let mut merged = Merged::default();
        for text in generations {
            let text = format!("<hashlist>{text}</hashlist>");
            Parts::new(Box::new(text.as_bytes())).for_each(|part| merged.take(part.unwrap()));
        }
        merged
    }

    fn file(path: &str, digest: u8, action: &str, more: &str) -> String {
        let digest = format!("{digest:02x}").repeat(16);
        format!("<hash><path>{path}</path><md5 action=\"{action}\">{digest}</md5>{more}</hash>")
    }

    fn known(merged: &Merged) -> Vec<String> {
        let text = |record: &Record| {
            let path = String::from_utf8_lossy(&record.path).into_owned();
            record
                .digests
                .iter()
                .fold(path, |text, named| format!("{text} {}", &named.digest.to_string()[..2]))
        };
        merged.records().map(text).collect()
    }

    #[test]
    fn what_failed_does_not_count_and_what_was_renamed_keeps_its_digest() {
        let renamed = file("b", 1, "verified", "<previousPath>a</previousPath>");
        let all = merged(&[
            &[file("a", 1, "original", ""), file("c", 3, "original", "")].concat(),
            &[renamed, file("c", 9, "failed", ""), file("d", 4, "original", "")].concat(),
        ]);
        assert_eq!(known(&all), ["b 01", "c 03", "d 04"]);
        assert_eq!(known(&merged(&[&file("c", 9, "failed", ""), &file("c", 3, "original", "")])), ["c 03"]);
    }

    #[test]
    fn generations_that_contradict_each_other_both_count() {
        let all = merged(&[&file("a", 1, "original", ""), &file("a", 2, "verified", "")]);
        assert_eq!(known(&all), ["a 01 02"]);
    }

    #[test]
    fn the_newest_patterns_count() {
        let pattern =
            |text: &str| format!("<processinfo><ignore><pattern>{text}</pattern></ignore></processinfo>");
        let all = merged(&[&pattern("*.a"), &pattern("*.b"), ""]);
        assert_eq!(all.patterns(), [Box::from(b"*.b".as_slice())]);
    }
}
