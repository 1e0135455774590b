//! The events and the result of a job.

use super::scan::ScanCounts;
use crate::account::{self, Account, Item, Outcome};
use crate::notice::Notice;
use hashmill_content::entry::stated::Difference;
use hashmill_engine::Stats;
use hashmill_lists::history::Rename;
use hashmill_lists::history::next::Unlike;
use hashmill_manifest::Record;
use hashmill_source::Skip;
use std::collections::BTreeMap;
use std::io;

/// A step of a job. Events come in the order that the job asks for.
#[derive(Debug)]
pub enum HashEvent<'a> {
    /// A piece was hashed. Its file follows, and may still fail.
    Piece(&'a Record),
    /// A file was hashed. The parts that could not be read are in [`Record::bad_blocks`].
    Hashed(&'a Record),
    /// An entry could not be read, or changed meanwhile; with the record that states so.
    Failed(&'a hashmill_source::Error, &'a Record),
    /// An entry was skipped.
    Skipped(&'a Record, Skip),
    /// A file that is judged is known to be bad. [`HashEvent::Hashed`] follows for it.
    KnownBad(&'a Record),
    /// The image that contains an entry states another digest of it. [`HashEvent::Hashed`] follows for it.
    Differs(&'a Record, &'a Difference),
    /// A digest of a file differs from the one in its history. [`HashEvent::Hashed`] follows for it.
    Unlike(&'a Record, &'a Unlike),
    /// A file of the history has a new name.
    Renamed(&'a Rename),
    /// A file of the history does not exist, nor does anything else of that name. Its path is that of the history.
    Missing(&'a [u8]),
    /// All entries are done. The events that follow conclude the job.
    AllRead,
    /// A notice for the user.
    Notice(Notice<'a>),
}

/// The result of a job.
#[derive(Debug, Default)]
pub struct HashSummary {
    /// The outcome of the job.
    pub ended: Ended,
    /// The work done and the time it took.
    pub stats: Stats,
    /// Files whose records were taken over from interrupted runs.
    pub kept: u64,
    /// Entries that were skipped, by reason, except those that filters leave out and outputs of the job.
    pub skipped: BTreeMap<Skip, u64>,
    /// Files that were hashed with zeros in place of the parts that could not be read.
    pub damaged: u64,
    /// Digests in images or histories that differ from the computed ones, and files of histories that do not exist.
    pub differing: u64,
    /// Files that rules match, or that were not scanned.
    pub scans: ScanCounts,
    /// Files that are known to be bad, if they are judged.
    pub known_bad: u64,
    /// Records that the manifest's format can't represent.
    pub refused: u64,
    /// The number of files of each category of the sets.
    pub categories: BTreeMap<Box<str>, u64>,
    /// Whether the manifest is complete, but could not be signed.
    pub unsigned: bool,
    /// The error that ended the list of paths early.
    pub list_problem: Option<io::Error>,
}

/// The outcome of a job.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// All entries were done.
    #[default]
    Whole,
    /// The job was cancelled.
    Interrupted {
        /// Whether a later run can resume the job where it stopped.
        resumable: bool,
    },
}

impl HashSummary {
    /// Returns the account of what was met.
    pub fn account(&self) -> Account {
        let mut account = account::of_entries(&self.stats, &self.skipped, self.damaged);
        account.count(Item::Entry, Outcome::Done, self.kept);
        account.turn(Item::Entry, Outcome::Differs, self.known_bad + self.scans.matching);
        account.turn(Item::Entry, Outcome::NotLookedInto, self.scans.unscanned);
        account.count(Item::Record, Outcome::Differs, self.differing);
        account.count(Item::Record, Outcome::Failed, self.refused);
        account.count(Item::Output, Outcome::Failed, self.unsigned.into());
        account.count(Item::List, Outcome::Incomplete, self.list_problem.is_some().into());
        account.is_interrupted = self.ended != Ended::Whole;
        account
    }
}
