//! What a comparison tells.

use crate::audit::Counted;
use crate::flow::Flow;
use hashloom_manifest::audit::{Unjudged, Verdict};

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
