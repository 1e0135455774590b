//! Counters of the verdicts on a list.

use super::ClaimVerdict;
use super::elsewhere::{Elsewhere, LOOKED_AT, ListBase};
use super::list::List;
use crate::account::{Account, Item, Outcome};
use hashmill_content::stores::Stores;
use hashmill_digest::Algorithm;
use hashmill_lists::unsupported::{Tried, Unsupported};
use hashmill_manifest::Record;
use hashmill_manifest::audit::Learner;
use hashmill_os::names;
use std::collections::BTreeSet;

/// The result of checking a list.
#[derive(Debug, Default)]
pub struct CheckSummary {
    /// Claims that are correct.
    pub right: u64,
    /// Claims whose comparable digests are correct, with at least one digest of an unknown algorithm.
    pub partly: u64,
    /// Claims by algorithms that nothing names and that are not guessed.
    pub unnamed: u64,
    /// Claims that are wrong.
    pub wrong: u64,
    /// Claims about files that don't exist.
    pub missing: u64,
    /// Claims about files that could not be read.
    pub unreadable: u64,
    /// Claims by algorithms that can't be computed here.
    pub unsupported: u64,
    /// Lines that could not be parsed.
    pub malformed: u64,
    /// Files without a digest that could be checked.
    pub unchecked: u64,
    /// Files whose whole content was checked, but not the digests of their pieces.
    pub in_pieces_too: u64,
    /// The digests that can't be computed here.
    pub foreign: Unsupported,
    /// Digests whose algorithm nothing names and no file revealed.
    pub tried: Vec<Tried>,
    /// The algorithms that were assumed for unnamed digests.
    pub guessed: Vec<&'static Algorithm>,
    /// The algorithm that was named for digests, if no digest of the list may be by it.
    pub unneeded: Option<&'static Algorithm>,
    /// Whether the list could not be read to its end.
    pub torn: bool,
    /// Whether the check was cancelled.
    pub interrupted: bool,
    /// The lengths in bits of digests whose algorithm nothing names and that did not match.
    open: BTreeSet<u32>,
    /// Whether a line with such digests has others, too.
    has_several: bool,
    /// The first files that do not exist.
    lost: Vec<Box<[u8]>>,
    /// The reason why files do not exist, or where they are, if that can be told.
    pub elsewhere: Option<Elsewhere>,
}

/// The meaning of listed files that don't exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingFiles {
    /// They differ from the list.
    Differ,
    /// They are as they should be.
    Ignored,
}

impl MissingFiles {
    /// Returns the number of missing files that count.
    fn counted(self, missing: u64) -> u64 {
        match self {
            MissingFiles::Differ => missing,
            MissingFiles::Ignored => 0,
        }
    }
}

impl CheckSummary {
    /// Makes the result of a check that ended before anything was compared.
    pub(super) fn interrupted() -> CheckSummary {
        CheckSummary { interrupted: true, ..CheckSummary::default() }
    }

    /// Returns the account of the list.
    pub fn account(&self, missing_files: MissingFiles) -> Account {
        if self.interrupted {
            return Account::interrupted();
        }
        let missing = missing_files.counted(self.missing);
        let CheckSummary {
            right, partly, wrong, unnamed, unreadable, unsupported, malformed, unchecked, ..
        } = *self;
        let is_idle = self.is_idle(missing_files);
        if is_idle && self.torn || self.names_nothing() {
            return Account::unusable(Item::List, 1);
        }
        let mut account = Account::done(Item::Record, right);
        account.count(Item::Record, Outcome::LeftOut, self.missing - missing);
        account.count(Item::Record, Outcome::Differs, wrong + missing);
        let failed = partly + unnamed + unreadable + unsupported + malformed + unchecked;
        account.count(Item::Record, Outcome::Failed, failed);
        account.count(Item::List, Outcome::Differs, is_idle.into());
        // Nobody knows whether a place that can't be listed has the files.
        let is_nowhere = matches!(self.elsewhere, Some(Elsewhere::NoPlace(_)));
        account.count(Item::Operand, Outcome::Failed, is_nowhere.into());
        // The lines before the tear are judged.
        account.count(Item::List, Outcome::Failed, self.torn.into());
        account
    }

    /// Returns whether no file was verified.
    pub fn is_idle(&self, missing_files: MissingFiles) -> bool {
        let missing = missing_files.counted(self.missing);
        let CheckSummary { right, partly, wrong, unnamed, unreadable, unsupported, .. } = *self;
        right + partly + wrong + missing + unreadable + unnamed + unsupported == 0
    }

    /// Returns whether the list was read to its end and names no file, as one with comments alone.
    pub fn names_nothing(&self) -> bool {
        let CheckSummary { missing, malformed, unchecked, torn, .. } = *self;
        self.is_idle(MissingFiles::Differ)
            && missing + malformed + unchecked == 0
            && !torn
            && !self.foreign.any()
    }

    /// Returns whether files are missing, and no other was there.
    fn found_nothing(&self) -> bool {
        let CheckSummary { right, partly, wrong, unnamed, unreadable, missing, .. } = *self;
        missing > 0 && right + partly + wrong + unnamed + unreadable == 0
    }

    pub(super) fn count(&mut self, claim: &Record, verdict: ClaimVerdict) {
        let number = match verdict {
            ClaimVerdict::Right => &mut self.right,
            ClaimVerdict::Partly => &mut self.partly,
            ClaimVerdict::Unnamed => &mut self.unnamed,
            ClaimVerdict::Wrong => &mut self.wrong,
            ClaimVerdict::Missing => &mut self.missing,
            ClaimVerdict::Unreadable => &mut self.unreadable,
            ClaimVerdict::Unsupported => &mut self.unsupported,
        };
        *number += 1;
        if verdict == ClaimVerdict::Missing && self.lost.len() < LOOKED_AT {
            self.lost.push(claim.path.clone());
        }
        if matches!(verdict, ClaimVerdict::Partly | ClaimVerdict::Wrong | ClaimVerdict::Unnamed) {
            self.has_several |= claim.digests.len() > 1;
            let unnamed = claim.digests.iter().filter(|named| named.guessed);
            self.open.extend(unnamed.map(|named| named.digest.bits()));
        }
    }

    pub(super) fn end(&mut self, name: &[u8], list: List<'_>, learner: &Learner, stores: &Stores) {
        let base = if list.patterns().1.is_some() { ListBase::Stated } else { ListBase::OwnFolder };
        self.unneeded = list.unneeded();
        self.elsewhere = match &list.remote {
            None => Elsewhere::find(&names::path_to_try(name), &self.lost, base),
            Some(place) if self.found_nothing() => stores.why_nothing(place).map(Elsewhere::NoPlace),
            Some(_) => None,
        };
        let List { malformed, unchecked, in_pieces_too, unsupported, .. } = list;
        (self.malformed, self.unchecked, self.foreign) = (malformed, unchecked, unsupported);
        self.in_pieces_too = in_pieces_too;
        let is_open = |bits: &&u32| self.partly > 0 || learner.learnt(**bits, 0).is_none();
        let tried =
            |bits: &u32| Tried { bits: *bits, fits: learner.hinted(*bits), has_several: self.has_several };
        self.tried = self.open.iter().filter(is_open).map(tried).collect();
        self.guessed = learner.all_learnt();
    }
}
