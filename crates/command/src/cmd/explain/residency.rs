//! A sample of the files below a path: which are in memory already.

use hashmill_source::{Cached, Entry, Error, Origin, Reader, Reading, WalkItem, WalkOptions, walk};
use serde::Serialize;

/// The number of files to look at.
const FILES: usize = 64;

/// The most entries of the walk to visit for that.
const ENTRIES: usize = 4096;

/// The number of files of a sample that are in memory.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct Sample {
    /// The number of files looked at: the first ones of the walk.
    pub files: usize,
    pub wholly: usize,
    pub partly: usize,
    pub not: usize,
    /// The number of files for which the system does not say.
    pub unknown: usize,
}

impl Sample {
    /// Returns a sample of the files below a path, and the entries that could not be looked at. Standard input and
    /// other streams are left out: opening one would wait for its writer.
    pub fn below(path: &[u8]) -> (Sample, Vec<Error>) {
        let mut sample = Sample::default();
        let mut failures = Vec::new();
        for found in walk([path.into()].into_iter(), WalkOptions::default()).take(ENTRIES) {
            match found {
                WalkItem::File(entry) if is_regular(&entry) => {
                    match Reader::open(&entry, &Reading::default()) {
                        Ok(reader) => sample.add(reader.cached()),
                        Err(error) => failures.push(error),
                    }
                }
                WalkItem::Failed(error) => failures.push(error),
                WalkItem::File(_) | WalkItem::Skipped { .. } => {}
            }
            if sample.files == FILES {
                break;
            }
        }
        (sample, failures)
    }

    fn add(&mut self, cached: Cached) {
        self.files += 1;
        match cached {
            Cached::Yes => self.wholly += 1,
            Cached::Partly => self.partly += 1,
            Cached::No => self.not += 1,
            Cached::Unknown => self.unknown += 1,
        }
    }

    /// Returns whether all files of the sample are in memory.
    pub fn all_cached(&self) -> bool {
        self.files > 0 && self.wholly == self.files
    }
}

/// Returns whether an entry is a regular file: one below an operand, or an operand whose size the walk knows.
fn is_regular(entry: &Entry) -> bool {
    entry.origin == Origin::Path || entry.size.is_some()
}
