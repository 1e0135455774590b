//! Labels from sets of known digests, added on the way from the engine to the manifest. Events are held back until
//! there are enough of them for parallel look-ups, or for a moment at most.

use crate::misfit::Misfit;
use hashmill_digest::{Algorithm, find};
use hashmill_engine::EngineEvent;
use hashmill_known::{About, Classifier, Sets};
use hashmill_lists::distinct::distinct;
use hashmill_manifest::format::Format;
use hashmill_manifest::{Label, Record, Status};
use hashmill_os::names;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The number of events that are labelled together.
const BATCH: usize = 256;

/// The time after which held-back events are released when the next event comes.
const PATIENCE: Duration = Duration::from_millis(200);

/// The records that are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Show {
    /// All records.
    All,
    /// All records except those of known good files.
    NotGood,
    /// Records of these categories, and of files that could not be hashed.
    Only(Vec<Box<str>>),
}

/// The purpose of labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Records of the run show the category.
    Record,
    /// Files are judged: a known bad file affects the exit code.
    Judge,
    /// Both: all records show the category, so that an interrupted run can be resumed, and files are judged.
    RecordAndJudge,
}

impl Purpose {
    /// Returns whether a known bad file affects the exit code.
    pub fn is_judging(self) -> bool {
        matches!(self, Purpose::Judge | Purpose::RecordAndJudge)
    }
}

/// A labeller that holds events back and labels their records together.
pub struct Labels {
    classifier: Classifier,
    show: Show,
    purpose: Purpose,
    held: Vec<EngineEvent>,
    since: Instant,
    counts: BTreeMap<Box<str>, u64>,
}

/// Returns the algorithms of the digests in a set.
fn held(about: &About) -> impl Iterator<Item = &'static Algorithm> {
    let names = about.tables.iter().flat_map(|table| table.algorithms.keys());
    names.filter_map(|name| find(name).ok())
}

/// Returns the algorithms of the digests in each set that has any.
pub fn algorithms_of_each(sets: &Sets) -> Vec<Vec<&'static Algorithm>> {
    let each = sets.indexes().iter().map(|index| held(index.about()).collect());
    each.filter(|held: &Vec<_>| !held.is_empty()).collect()
}

/// Returns the algorithms of the digests in all sets.
pub fn algorithms(sets: &Sets) -> Vec<&'static Algorithm> {
    distinct(sets.indexes().iter().flat_map(|index| held(index.about())))
}

/// Checks that each set has digests by one of these algorithms. Otherwise every file would look unknown.
///
/// # Errors
/// If a set has digests of none of them.
pub fn check(sets: &Sets, algorithms: &[&'static Algorithm]) -> Result<(), Misfit> {
    for index in sets.indexes() {
        let held: Vec<&Algorithm> = held(index.about()).collect();
        if !held.iter().any(|algorithm| algorithms.contains(algorithm)) {
            let set = names::path_bytes(index.path()).into();
            let held = held.iter().map(|algorithm| algorithm.name).collect();
            return Err(Misfit::OtherAlgorithms { set, held });
        }
    }
    Ok(())
}

/// A set with entries that have no digest by any algorithm of a run.
#[derive(Debug)]
pub struct PartlyHeld {
    /// The path of the index.
    pub set: Box<[u8]>,
    /// The number of such entries, at least.
    pub without: u64,
    /// The number of all entries.
    pub entries: u64,
}

/// Returns the sets with entries that digests by these algorithms don't find: files that they are of look unknown.
pub fn partly_held(sets: &Sets, algorithms: &[&'static Algorithm]) -> Vec<PartlyHeld> {
    let lacking = sets.indexes().iter().filter_map(|index| {
        let about = index.about();
        let entries: u64 = about.sources.iter().map(|source| source.records).sum();
        let counts = about.tables.iter().flat_map(|table| &table.algorithms);
        let is_computed = |name: &str| find(name).is_ok_and(|algorithm| algorithms.contains(&algorithm));
        let found: u64 = counts.filter(|(name, _)| is_computed(name)).map(|(_, count)| count).sum();
        let set = names::path_bytes(index.path()).into();
        (found < entries).then(|| PartlyHeld { set, without: entries - found, entries })
    });
    lacking.collect()
}

impl Show {
    /// Returns whether a record with its label is shown. Files that could not be hashed always are.
    pub fn takes(&self, record: &Record) -> bool {
        let category = record.label.as_deref().map(|label| &label.category);
        match (self, category) {
            (Show::All, _) => true,
            (Show::NotGood, category) => category.is_none_or(|category| &**category != "good"),
            (Show::Only(categories), Some(category)) => categories.contains(category),
            (Show::Only(_), None) => self.takes_skipped() || record.status != Status::Skipped,
        }
    }

    /// Returns whether records of entries that are not to be hashed are shown.
    pub fn takes_skipped(&self) -> bool {
        !matches!(self, Show::Only(_))
    }

    /// Returns whether all records that are shown are unknown, so that a format needs no place for categories.
    pub fn is_unknown_only(&self) -> bool {
        matches!(self, Show::Only(categories) if categories.iter().all(|category| &**category == Label::UNKNOWN))
    }
}

impl Labels {
    /// Makes a labeller with these sets.
    pub fn new(sets: Sets, show: Show, purpose: Purpose) -> Labels {
        let (classifier, held, since) = (Classifier::new(sets), Vec::with_capacity(BATCH), Instant::now());
        Labels { classifier, show, purpose, held, since, counts: BTreeMap::new() }
    }

    /// Returns the purpose of the labels.
    pub fn purpose(&self) -> Purpose {
        self.purpose
    }

    /// Returns which records are shown.
    pub fn show(&self) -> &Show {
        &self.show
    }

    /// Returns the sets.
    pub fn sets(&self) -> &Sets {
        self.classifier.sets()
    }

    /// Holds an event back. Returns `true` if it is time for [`Labels::release`].
    pub fn hold(&mut self, event: EngineEvent) -> bool {
        if self.held.is_empty() {
            self.since = Instant::now();
        }
        self.held.push(event);
        self.held.len() >= BATCH || self.since.elapsed() > PATIENCE
    }

    /// Labels the events that were held back, and returns them.
    ///
    /// # Errors
    /// If an index turns out to be damaged.
    pub fn release(&mut self) -> Result<Vec<EngineEvent>, hashmill_known::Error> {
        let mut events = std::mem::replace(&mut self.held, Vec::with_capacity(BATCH));
        let records = events.iter_mut().filter_map(|event| match event {
            EngineEvent::Done(outcome) => Some(&mut outcome.record),
            EngineEvent::Piece(_) => None,
        });
        self.label(&mut records.collect::<Vec<_>>())?;
        Ok(events)
    }

    /// Adds labels to records.
    ///
    /// # Errors
    /// If an index turns out to be damaged.
    pub fn label(&mut self, records: &mut [&mut Record]) -> Result<(), hashmill_known::Error> {
        self.classifier.label(records)?;
        records.iter().for_each(|record| self.count(record));
        Ok(())
    }

    /// Counts a record that has its label.
    pub(crate) fn count(&mut self, record: &Record) {
        let Some(label) = record.label.as_deref() else { return };
        match self.counts.get_mut(&label.category) {
            Some(count) => *count += 1,
            None => drop(self.counts.insert(label.category.clone(), 1)),
        }
    }

    /// Returns the number of files of each category that was met.
    pub fn counts(&self) -> &BTreeMap<Box<str>, u64> {
        &self.counts
    }

    /// Returns whether a known bad file was met.
    pub fn met_bad(&self) -> bool {
        self.counts.contains_key("bad")
    }

    /// Checks that no category is lost in this format: it has a place for categories, or all records that are shown are
    /// unknown.
    ///
    /// # Errors
    /// If the format has no place for categories, and records may have different ones.
    pub fn fits(&self, format: &'static Format) -> Result<(), Misfit> {
        let fits = format.carries.labels || self.show.is_unknown_only();
        if fits { Ok(()) } else { Err(Misfit::Labels(format)) }
    }

    /// Returns a text that identifies the sets and the filter, to compare runs by.
    pub(crate) fn identity(&self) -> String {
        let filter = self.sets().filter();
        let identities = self.sets().indexes().iter().map(|index| index.identity());
        let sets = identities.collect::<Vec<_>>().join(" ");
        format!("{sets} --exclude-type {:?} --only-type {:?}", filter.exclude_types, filter.only_types)
    }
}
