//! Events of a comparison.

use crate::audit::AuditSummary;
use hashmill_engine::flow::Flow;
use hashmill_manifest::audit::{Unjudged, Verdict};

/// One step of a comparison.
#[derive(Debug)]
pub enum EvidenceEvent<'a> {
    /// The verdict on a path.
    Verdict(&'a Verdict),
    /// A file that a store has too little evidence of.
    Unjudged(&'a Unjudged),
    /// A file or a folder that could not be read.
    Failed(&'a hashmill_source::Error),
    /// An object that could not be looked up or read.
    Refused(&'a hashmill_store::Error),
    /// All verdicts were given.
    AllJudged(&'a AuditSummary),
}

/// A callback for events.
pub type EvidenceObserver<'a> = dyn FnMut(EvidenceEvent<'_>) -> Flow + 'a;
