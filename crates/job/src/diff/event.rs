//! What is told of a comparison.

use crate::audit::Counted;
use crate::flow::Flow;
use crate::history::Ignored;
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
    /// Files that the manifest does not list, and that its patterns leave out.
    Ignored(&'a Ignored),
    /// All verdicts were given.
    AllJudged(&'a Counted),
    /// Something that is worth a line.
    Notice(Notice<'a>),
}

/// Hears of events.
pub type Observer<'a> = dyn FnMut(Event<'_>) -> Flow + 'a;
