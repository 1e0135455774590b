//! The run: entries in, outcomes out.

use crate::{Live, Plan, Stats};
use hashloom_manifest::Record;
use hashloom_source::{Error, Found, Skip};
use std::ops::ControlFlow;

/// What became of one entry.
#[derive(Debug)]
pub struct Outcome {
    /// The entry's record: digests of the whole file, or the status that it has none.
    pub record: Record,
    /// The records of its pieces, in order, if the plan asks for pieces.
    pub pieces: Vec<Record>,
    /// Why the record has no digests.
    pub trouble: Option<Trouble>,
}

/// Why a record has no digests.
#[derive(Debug)]
pub enum Trouble {
    /// It was not to be read.
    Skipped(Skip),
    /// It could not be read, or changed.
    Failed(Error),
}

/// Hashes the entries and gives each outcome to `sink`, on the calling thread, in the plan's order. The
/// sink may stop the run.
///
/// `live` is updated as the run goes on.
pub fn run(
    plan: &Plan,
    entries: impl Iterator<Item = Found> + Send,
    live: &Live,
    sink: &mut dyn FnMut(Outcome) -> ControlFlow<()>,
) -> Stats {
    let _ = (plan, entries, live, sink);
    Stats::default()
}
