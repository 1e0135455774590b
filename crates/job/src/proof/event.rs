//! What a comparison tells, and what it came to.

use crate::audit::Counted;
use crate::flow::Flow;
use hashloom_engine::Stats;
use hashloom_manifest::audit::{Unjudged, Verdict};
use hashloom_store::Counts;

/// One step of a comparison.
#[derive(Debug)]
pub enum Event<'a> {
    /// What became of a file.
    Verdict(&'a Verdict),
    /// A file of which a store says too little.
    Unjudged(&'a Unjudged),
    /// A file or a folder that could not be read.
    Failed(&'a hashloom_source::Error),
    /// An object that could not be asked for or read.
    Refused(&'a hashloom_store::Error),
    /// All verdicts were given.
    AllJudged(&'a Counted),
}

/// Hears what happens.
pub type Observer<'a> = dyn FnMut(Event<'_>) -> Flow + 'a;

/// What a comparison came to.
#[derive(Debug, Default)]
pub struct Summary {
    /// It was cancelled: the numbers are not of all.
    pub interrupted: bool,
    /// How many files of each category there were, and how many of none.
    pub counted: Counted,
    /// Parts of manifests that were not understood.
    pub malformed: u64,
    /// Entries that could not be read.
    pub failed: u64,
    /// What was asked of stores.
    pub asked: Counts,
    /// What was read here.
    pub stats: Stats,
}
