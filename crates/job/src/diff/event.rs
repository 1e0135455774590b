//! Events that are reported by a comparison.

use crate::audit::AuditSummary;
use crate::notice::Notice;
use hashmill_engine::flow::Flow;
use hashmill_engine::{Live, Stats};
use hashmill_lists::history::Ignored;
use hashmill_manifest::audit::{Unjudged, Verdict};
use std::sync::Arc;

/// A step of a comparison.
#[derive(Debug)]
#[non_exhaustive]
pub enum DiffEvent<'a> {
    /// Reading of a folder's files begins. The counters are updated from now on.
    Reading(&'a Arc<Live>),
    /// An entry could not be read, or changed in the meantime.
    Failed(&'a hashmill_source::Error),
    /// All files of a folder were read.
    Read(&'a Stats),
    /// A file could not be read when its manifest was made.
    Unread(&'a [u8]),
    /// The verdict on a file or piece.
    Verdict(&'a Verdict),
    /// The kind of a path that is new and no file: a link, a FIFO or the like. The verdict follows.
    Other(&'a [u8], &'a str),
    /// A file could not be compared.
    Unjudged(&'a Unjudged),
    /// An operand does not exist.
    Stranger(&'a [u8]),
    /// Files that the manifest does not list and that its patterns exclude.
    Ignored(&'a Ignored),
    /// All verdicts were given.
    AllJudged(&'a AuditSummary),
    /// A notice for the user.
    Notice(Notice<'a>),
}

/// Receives events.
pub type DiffObserver<'a> = dyn FnMut(DiffEvent<'_>) -> Flow + 'a;
