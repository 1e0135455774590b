//! The verdicts of a list, counted.

use super::Verdict;
use super::list::List;
use crate::forgeable::Forgeable;
use crate::unsupported::{Tried, Unsupported};
use hashloom_manifest::Record;
use hashloom_manifest::audit::Learner;
use std::collections::BTreeSet;

/// What the check of a list came to.
#[derive(Debug, Default)]
pub struct Summary {
    /// Claims that are right.
    pub right: u64,
    /// Claims that are wrong.
    pub wrong: u64,
    /// Claims about files that are not there.
    pub missing: u64,
    /// Claims about files that could not be read.
    pub unreadable: u64,
    /// Claims by algorithms that are not here.
    pub unsupported: u64,
    /// Lines that were not understood.
    pub malformed: u64,
    /// Files without a digest that could be checked.
    pub unchecked: u64,
    /// The digests that can't be computed here.
    pub foreign: Unsupported,
    /// Lengths of digests whose algorithm nothing names, and by none of which a file matched.
    pub tried: Vec<Tried>,
    /// Checksums that unnamed digests were taken for, though they may be meant as more.
    pub forgeable: Vec<Forgeable>,
    /// The list could not be read to its end.
    pub torn: bool,
    /// The check was cancelled.
    pub interrupted: bool,
    /// Lengths in bits of digests whose algorithm nobody names and that were compared.
    unnamed: BTreeSet<u32>,
}

impl Summary {
    pub(super) fn count(&mut self, claim: &Record, verdict: Verdict) {
        let number = match verdict {
            Verdict::Right => &mut self.right,
            Verdict::Wrong => &mut self.wrong,
            Verdict::Missing => &mut self.missing,
            Verdict::Unreadable => &mut self.unreadable,
            Verdict::Unsupported => &mut self.unsupported,
        };
        *number += 1;
        if matches!(verdict, Verdict::Right | Verdict::Wrong) {
            let unnamed = claim.digests.iter().filter(|named| named.guessed);
            self.unnamed.extend(unnamed.map(|named| named.digest.bits()));
        }
    }

    pub(super) fn end(&mut self, list: List<'_>, learner: &Learner) {
        let List { malformed, unchecked, unsupported, .. } = list;
        (self.malformed, self.unchecked, self.foreign) = (malformed, unchecked, unsupported);
        let unlearnt = self.unnamed.iter().filter(|bits| learner.learnt(**bits).is_none());
        self.tried = unlearnt.filter_map(|bits| Tried::of(*bits)).collect();
        self.forgeable = self.unnamed.iter().filter_map(|bits| Forgeable::of(learner, *bits)).collect();
    }
}
