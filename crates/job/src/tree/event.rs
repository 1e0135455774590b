//! What a run tells as it goes on, and what it came to.

use crate::notice::Notice;
use hashloom_engine::Stats;
use hashloom_tree::System;

/// One step of a run.
#[derive(Debug)]
pub enum Event<'a> {
    /// An entry could not be read, or changed meanwhile.
    Failed(&'a hashloom_source::Error),
    /// All entries are done.
    AllRead,
    /// Something that is worth a line.
    Notice(Notice<'a>),
}

/// Is told of each step.
pub type Observer<'o> = dyn FnMut(Event<'_>) + 'o;

/// The digest of the directory by one system.
#[derive(Debug)]
pub struct Found {
    /// The system.
    pub system: &'static System,
    /// Its digest, or why there is none.
    pub digest: Result<String, hashloom_tree::Error>,
}

/// What a run came to.
#[derive(Debug)]
pub struct Summary {
    /// A row for each system, in the order that they were asked for. None if an entry could not be read.
    pub found: Vec<Found>,
    /// Entries that could not be read.
    pub failed: u64,
    /// What was done, and where the time went.
    pub stats: Stats,
    /// It was cancelled: there are no digests.
    pub interrupted: bool,
}
