//! What is told of a comparison, and what it came to.

use crate::audit::Counted;
use crate::flow::Flow;
use crate::notice::Notice;
use hashloom_engine::{Live, Stats};
use hashloom_manifest::audit::{Unjudged, Verdict};
use std::sync::Arc;

/// One step of a comparison.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The files of a folder are about to be read. The counters go up meanwhile.
    Reading(&'a Arc<Live>),
    /// An entry could not be read, or changed meanwhile.
    Failed(&'a hashloom_source::Error),
    /// All files of a folder were read.
    Read(&'a Stats),
    /// A file could not be read when its manifest was made.
    Unread(&'a [u8]),
    /// What became of a file or piece.
    Verdict(&'a Verdict),
    /// A file that can't be compared.
    Unjudged(&'a Unjudged),
    /// An operand that is not there.
    Stranger(&'a [u8]),
    /// All verdicts were given.
    AllJudged(&'a Counted),
    /// Something that is worth a line.
    Notice(Notice<'a>),
}

/// Hears of events.
pub type Observer<'a> = dyn FnMut(Event<'_>) -> Flow + 'a;

/// What a comparison came to.
#[derive(Debug, Default)]
pub struct Summary {
    /// It was cancelled: the numbers are not of all.
    pub interrupted: bool,
    /// How many files of each category there were, and how many of none.
    pub counted: Counted,
    /// Parts of manifests that can't be read.
    pub malformed: u64,
    /// Entries that could not be read, now or when their manifest was made.
    pub failed: u64,
    /// Operands that are not there.
    pub strangers: u64,
}

impl Summary {
    /// Whether everything of both sides was read and compared.
    pub fn is_complete(&self) -> bool {
        let lost = self.malformed + self.failed + self.strangers;
        !self.interrupted && lost == 0 && !self.counted.lacks()
    }
}
