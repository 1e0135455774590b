//! The events and the result of a copy.

use super::answer::{Answer, Proof};
use super::back::{LateFindings, LateProblem};
use super::bagged::CopiedBag;
use crate::account::{Account, Item, Outcome};
use hashmill_engine::{Live, Stats};
use hashmill_manifest::Record;
use hashmill_source::Skip;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// A step of a copy. Those of entries come in the order of the walk.
#[derive(Debug)]
#[non_exhaustive]
pub enum CopyEvent<'a> {
    /// Reading begins; the counters, and those of the destinations, are updated from now on.
    Reading(&'a Arc<Live>, &'a [Arc<PlaceProgress>]),
    /// A file was read whole, and this became of it at each destination.
    Copied(&'a Record, &'a [Answer]),
    /// A link of this path, and what became of it at each destination.
    Linked(&'a [u8], &'a [Answer]),
    /// An entry could not be read, or changed meanwhile. It is not copied.
    Failed(&'a hashmill_source::Error),
    /// An entry is not copied, for this reason.
    Skipped(&'a [u8], Skip),
    /// The copy at this path was read back after all were written, and this became of it.
    FoundLater(&'a [u8], &'a Answer),
    /// The names of a destination may not all survive a power cut, or its folders lack properties.
    Unsettled(&'a Path, &'a io::Error),
    /// A file that was read a second time, for the source to be verified, had other content then, or could not be read.
    SourceDiffers(&'a [u8], &'a str),
    /// Something about the manifest of a destination.
    Remark(&'a str),
    /// The entry of this path can't be in a bag, for this reason. Nothing is copied.
    Unfit(&'a [u8], &'a str),
}

/// The work of a destination so far.
#[derive(Debug, Default)]
pub struct PlaceProgress {
    /// The bytes that were written there.
    pub written: AtomicU64,
    /// The reading back.
    pub back: Arc<Live>,
}

impl PlaceProgress {
    /// Returns the number of bytes that were written, and of those that were read back.
    pub fn bytes(&self) -> (u64, u64) {
        (self.written.load(Relaxed), self.back.bytes_done.load(Relaxed))
    }
}

/// The result of a copy.
#[derive(Debug, Default)]
pub struct CopySummary {
    /// The work of reading the sources, and the time it took.
    pub stats: Stats,
    /// The entries that were skipped, by reason, except those that filters leave out.
    pub skipped: BTreeMap<Skip, u64>,
    /// The results of the entries, for each destination.
    pub places: Vec<PlaceSummary>,
    /// Files whose content was another one when they were read a second time.
    pub unstable: u64,
    /// Files that could not be read a second time.
    pub unread: u64,
    /// The error that ended the list of paths early.
    pub list_problem: Option<io::Error>,
    /// Files that an interrupted run has copied and verified, and that were not read again.
    pub resumed: u64,
    /// Whether the job was cancelled.
    pub is_interrupted: bool,
}

/// The results of the entries at a destination.
#[derive(Debug, Default, Clone)]
pub struct PlaceSummary {
    /// Files that were copied, with their bytes.
    pub copied: u64,
    /// The bytes of these files.
    pub bytes: u64,
    /// Those of them that were read back from the medium.
    pub verified: u64,
    /// Those of them that were read back, but only the page cache could be read.
    pub cached: u64,
    /// Those of them that are proved by what a store says of them.
    pub proved: u64,
    /// Links and second names that were made.
    pub links: u64,
    /// Files and links that were there already.
    pub same: u64,
    /// Files that were not copied, as something else is there.
    pub kept: u64,
    /// Copies that were not what was read.
    pub differing: u64,
    /// Entries that could not be written or read back.
    pub failed: u64,
    /// RecordSender that the manifest lacks, and signatures.
    pub unlisted: u64,
    /// The number of copies that lack a property of their source.
    pub lost: BTreeMap<String, u64>,
    /// The number of entries of each kind that the destination can't hold.
    pub omitted: BTreeMap<&'static str, u64>,
    /// Whether the names of all copies are known to survive a power cut.
    pub is_unsettled: bool,
    /// The bag, if the destination is to be one.
    pub bag: Option<CopiedBag>,
}

/// The text about folders that became one with another, as names in other letters are the same there.
const MERGED: &str = "own folders";

impl PlaceSummary {
    /// Returns the summary of a destination where so many folders become one with another.
    pub(super) fn with_merged(merged: u64) -> PlaceSummary {
        let lost = Some((MERGED.to_string(), merged)).filter(|_| merged > 0);
        PlaceSummary { lost: lost.into_iter().collect(), ..PlaceSummary::default() }
    }

    /// Returns the object that stands for it in JSON, without the path.
    pub fn to_json(&self) -> Value {
        let mut object = json!({
            "copied": self.copied,
            "bytes": self.bytes,
            "verified": self.verified,
            "only_from_cache": self.cached,
            "links": self.links,
            "same": self.same,
            "kept": self.kept,
            "differing": self.differing,
            "failed": self.failed,
            "lost": self.lost,
        });
        // Only stores give evidence, and only they lack kinds of entries.
        if self.proved > 0 {
            object["proved_by_store"] = self.proved.into();
        }
        if !self.omitted.is_empty() {
            object["omitted"] = json!(self.omitted);
        }
        if let Some(bag) = self.bag {
            object["bag"] = bag.word().into();
        }
        object
    }

    /// Counts what became of an entry of this size.
    pub(super) fn count(&mut self, size: u64, answer: &Answer) {
        match answer {
            Answer::Copied(proof) => {
                self.copied += 1;
                self.bytes += size;
                self.prove(*proof, 1);
            }
            Answer::Linked => self.links += 1,
            Answer::Same => self.same += 1,
            Answer::Kept(_) => self.kept += 1,
            Answer::Differs => self.differing += 1,
            Answer::Failed(_) | Answer::FailedLikewise => self.failed += 1,
            Answer::Omitted(kind) => *self.omitted.entry(kind).or_insert(0) += 1,
            Answer::Nothing => {}
        }
    }

    /// Counts copies with this proof.
    fn prove(&mut self, proof: Proof, number: u64) {
        match proof {
            Proof::None => {}
            Proof::Medium => self.verified += number,
            Proof::Cache => self.cached += number,
            Proof::Evidence => self.proved += number,
        }
    }

    /// Counts what was found of copies that were read back later.
    pub(super) fn find(&mut self, found: &LateFindings) {
        found.proofs.iter().for_each(|(proof, number)| self.prove(*proof, *number));
        for LateProblem { answer, is_link, .. } in &found.problems {
            let done = if *is_link { &mut self.links } else { &mut self.copied };
            *done = done.saturating_sub(1);
            self.count(0, answer);
        }
    }
}

impl CopySummary {
    /// Returns the account of what was met.
    pub fn account(&self) -> Account {
        let mut account = crate::account::of_entries(&self.stats, &self.skipped, 0);
        for place in &self.places {
            account.count(Item::Output, Outcome::Done, place.copied + place.links + place.same);
            account.count(Item::Output, Outcome::NoBytes, place.omitted.values().sum());
            account.count(Item::Output, Outcome::Differs, place.kept + place.differing);
            // A copy that could only be read from the page cache is not proven to be on the medium.
            account.count(Item::Output, Outcome::Failed, place.failed + u64::from(place.is_unsettled));
            account.count(Item::Record, Outcome::Failed, place.unlisted + place.cached);
            if let Some(bag) = place.bag {
                account.count(Item::List, outcome(bag, place.kept + place.differing + self.unstable), 1);
            }
        }
        account.count(Item::Record, Outcome::Differs, self.unstable);
        account.count(Item::Record, Outcome::Failed, self.unread);
        account.count(Item::List, Outcome::Incomplete, self.list_problem.is_some().into());
        account.is_interrupted = self.is_interrupted;
        account
    }
}

/// Returns the outcome of a bag. One that is not made because of other content in the place of a copy is no failure of its own.
fn outcome(bag: CopiedBag, differing: u64) -> Outcome {
    match bag {
        CopiedBag::Made | CopiedBag::Valid => Outcome::Done,
        CopiedBag::Differs => Outcome::Differs,
        CopiedBag::Unmade if differing > 0 => Outcome::Differs,
        CopiedBag::Unread | CopiedBag::Unmade => Outcome::Failed,
    }
}
