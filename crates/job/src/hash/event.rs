//! What a job tells as it goes on, and what it came to.

use crate::history::next::Unlike;
use crate::notice::Notice;
use crate::stated::Difference;
use hashloom_engine::Stats;
use hashloom_manifest::Record;
use hashloom_source::Skip;
use std::collections::BTreeMap;
use std::io;

/// One step of a job. They come in the order that the job was asked for.
#[derive(Debug)]
pub enum Event<'a> {
    /// The digests of a piece. Its file follows, and may still fail.
    Piece(&'a Record),
    /// A file was hashed. What of it could not be read is in [`Record::bad_blocks`].
    Hashed(&'a Record),
    /// An entry could not be read, or changed meanwhile: why, and the record that says so.
    Failed(&'a hashloom_source::Error, &'a Record),
    /// An entry was not to be read.
    Skipped(&'a Record, Skip),
    /// A file is known to be bad. [`Event::Hashed`] follows for it.
    KnownBad(&'a Record),
    /// The image that holds an entry states another digest of it. [`Event::Hashed`] follows for it.
    Differs(&'a Record, &'a Difference),
    /// A digest of a file is not the one that its history has. [`Event::Hashed`] follows for it.
    Unlike(&'a Record, &'a Unlike),
    /// A file that the history has is not there, nor is anything else of that name. Its path is that of the history.
    Missing(&'a [u8]),
    /// All entries are done. What follows concludes the job.
    AllRead,
    /// Something that is worth a line.
    Notice(Notice<'a>),
}

/// What a job came to.
#[derive(Debug, Default)]
pub struct Summary {
    /// How the job ended.
    pub ended: Ended,
    /// What was done, and where the time went.
    pub stats: Stats,
    /// Files whose records were kept from interrupted runs.
    pub kept: u64,
    /// Entries that were not to be read, but for those that filters leave out and outputs of the job.
    pub skipped: BTreeMap<Skip, u64>,
    /// Files with zeros instead of what could not be read.
    pub damaged: u64,
    /// Digests that images state or histories have, and that are not the computed ones; and files of histories that are not
    /// there.
    pub differing: u64,
    /// Records that the manifest's format can't carry.
    pub refused: u64,
    /// A file was met that is known to be bad.
    pub met_bad: bool,
    /// The manifest is whole, but could not be signed.
    pub unsigned: bool,
    /// What ended the list of paths early.
    pub list_problem: Option<io::Error>,
}

/// How a job ended.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// All entries were done.
    #[default]
    Whole,
    /// It was cancelled.
    Interrupted {
        /// Whether a later run can go on where it stopped.
        resumable: bool,
    },
}

impl Summary {
    /// Whether every input was read, and is in the output.
    pub fn is_complete(&self) -> bool {
        let lost = self.stats.failed + self.damaged + self.refused;
        self.ended == Ended::Whole && lost == 0 && !self.unsigned && self.list_problem.is_none()
    }
}
