//! What sets of known digests say of files, on the way from the engine to the manifest: events are held
//! back until there are enough for look-ups side by side, or for a moment at most.

use crate::exit::Exit;
use crate::options::known::Types;
use anyhow::ensure;
use hashloom_digest::{Algorithm, find};
use hashloom_engine::Event;
use hashloom_known::{About, Classifier, Sets};
use hashloom_manifest::{Label, Record};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Events that are labelled together.
const BATCH: usize = 256;

/// How long an event is held back, if another comes then.
const PATIENCE: Duration = Duration::from_millis(200);

/// Which records are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Show {
    /// All.
    All,
    /// All but known good ones.
    NotGood,
    /// Those of these categories, and those without any because they could not be hashed.
    Only(Vec<Box<str>>),
}

/// What for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To write it into records.
    Record,
    /// To judge: a bad file shows in the exit code.
    Judge,
}

/// Labels for records.
pub struct Labels {
    classifier: Classifier,
    show: Show,
    purpose: Purpose,
    held: Vec<Event>,
    since: Instant,
    met_bad: bool,
}

/// Opens indexes.
///
/// # Errors
/// If one is not usable.
pub fn open(known: &[PathBuf], types: &Types) -> anyhow::Result<Sets> {
    Ok(Sets::open(known, types.filter())?)
}

/// The algorithms whose digests a set holds.
fn held(about: &About) -> impl Iterator<Item = &'static Algorithm> {
    let names = about.tables.iter().flat_map(|table| table.algorithms.keys());
    names.filter_map(|name| find(name).ok())
}

/// The algorithms whose digests any of the sets holds.
pub fn algorithms(sets: &Sets) -> Vec<&'static Algorithm> {
    let mut all: Vec<&'static Algorithm> = Vec::new();
    for algorithm in sets.indexes().iter().flat_map(|index| held(index.about())) {
        if !all.contains(&algorithm) {
            all.push(algorithm);
        }
    }
    all
}

/// Sees to it that these algorithms can find something in each set: else everything would look unknown.
///
/// # Errors
/// If a set has digests of none of them.
pub fn check(sets: &Sets, algorithms: &[&'static Algorithm]) -> anyhow::Result<()> {
    for index in sets.indexes() {
        let held: Vec<&Algorithm> = held(index.about()).collect();
        ensure!(
            held.iter().any(|algorithm| algorithms.contains(algorithm)),
            "{}: has digests of {} only; choose among them by -c",
            index.path().display(),
            held.iter().map(|algorithm| algorithm.name).collect::<Vec<_>>().join(", ")
        );
    }
    Ok(())
}

impl Show {
    /// Whether a record of this label is shown.
    pub fn takes(&self, label: Option<&Label>) -> bool {
        let Some(label) = label else { return true };
        match self {
            Show::All => true,
            Show::NotGood => &*label.category != "good",
            Show::Only(categories) => categories.contains(&label.category),
        }
    }

    /// Whether all records that are shown say the same, so that a format needs no place for it.
    pub fn is_unknown_only(&self) -> bool {
        matches!(self, Show::Only(categories) if categories.iter().all(|category| &**category == Label::UNKNOWN))
    }
}

impl Labels {
    /// Labels by these sets.
    pub fn new(sets: Sets, show: Show, purpose: Purpose) -> Labels {
        let (classifier, held, since) = (Classifier::new(sets), Vec::with_capacity(BATCH), Instant::now());
        Labels { classifier, show, purpose, held, since, met_bad: false }
    }

    /// What they are for.
    pub fn purpose(&self) -> Purpose {
        self.purpose
    }

    /// Which records are shown.
    pub fn show(&self) -> &Show {
        &self.show
    }

    /// The sets.
    pub fn sets(&self) -> &Sets {
        self.classifier.sets()
    }

    /// Holds an event back; true if it is time to [`Labels::release`] all.
    pub fn hold(&mut self, event: Event) -> bool {
        if self.held.is_empty() {
            self.since = Instant::now();
        }
        self.held.push(event);
        self.held.len() >= BATCH || self.since.elapsed() > PATIENCE
    }

    /// The events that were held back, with their labels.
    ///
    /// # Errors
    /// If an index turns out to be damaged.
    pub fn release(&mut self) -> Result<Vec<Event>, hashloom_known::Error> {
        let mut events = std::mem::replace(&mut self.held, Vec::with_capacity(BATCH));
        let records = events.iter_mut().filter_map(|event| match event {
            Event::Done(outcome) => Some(&mut outcome.record),
            Event::Piece(_) => None,
        });
        self.label(&mut records.collect::<Vec<_>>())?;
        Ok(events)
    }

    /// Labels records.
    ///
    /// # Errors
    /// If an index turns out to be damaged.
    pub fn label(&mut self, records: &mut [&mut Record]) -> Result<(), hashloom_known::Error> {
        self.classifier.label(records)?;
        let is_bad = |label: &Label| &*label.category == "bad";
        self.met_bad |= records.iter().any(|record| record.label.as_deref().is_some_and(is_bad));
        self.exit();
        Ok(())
    }

    /// What was met, as an exit code.
    pub fn exit(&self) -> Exit {
        Exit::Differs.when(self.met_bad && self.purpose == Purpose::Judge)
    }
}
