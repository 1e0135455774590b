//! Verdicts on their way to the observer.

use hashmill_keep::{Kept, Verdict};
use hashmill_manifest::Piece;
use hashmill_source::Problem;

/// A verdict that is kept, but neither committed nor told yet.
pub(super) struct Pending {
    pub(super) kept: Kept,
    pub(super) from: Option<Box<[u8]>>,
    pub(super) bad: Box<[Piece]>,
    pub(super) failure: Option<hashmill_source::Error>,
}

impl Pending {
    /// Returns whether the content of the file is damaged, so that another copy of it helps.
    pub(super) fn is_damaged(&self) -> bool {
        let failed_reading =
            || matches!(&self.failure, Some(error) if matches!(error.problem, Problem::Read { .. }));
        match self.kept.verdict {
            Some(Verdict::Rot) => true,
            Some(Verdict::Differs) => self.kept.proposal.is_some(),
            Some(Verdict::Unreadable) => !self.bad.is_empty() || failed_reading(),
            _ => false,
        }
    }
}
