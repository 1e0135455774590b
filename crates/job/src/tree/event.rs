//! Events and results of a run.

use crate::notice::Notice;
use hashmill_engine::Stats;
use hashmill_tree::System;

/// One step of a run.
#[derive(Debug)]
pub enum TreeEvent<'a> {
    /// An entry could not be read, or changed meanwhile.
    Failed(&'a hashmill_source::Error),
    /// All entries are done.
    AllRead,
    /// A notice for the user.
    Notice(Notice<'a>),
}

/// A callback for events.
pub type TreeObserver<'o> = dyn FnMut(TreeEvent<'_>) + 'o;

/// The digest of the directory by one system.
#[derive(Debug)]
pub struct TreeDigest {
    /// The system.
    pub system: &'static System,
    /// Its digest, or the reason why there is none.
    pub digest: Result<String, hashmill_tree::Error>,
}

/// The result of a run.
#[derive(Debug)]
pub struct TreeSummary {
    /// One row for each system, in the order of the request. Empty if an entry could not be read.
    pub found: Vec<TreeDigest>,
    /// Number of entries that could not be read.
    pub failed: u64,
    /// Counters and times of the run.
    pub stats: Stats,
    /// Whether the run was cancelled: there are no digests.
    pub interrupted: bool,
}
