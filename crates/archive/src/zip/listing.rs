//! The members of a directory in its order.

use super::end::End;
use super::entry::{Entries, ZipEntry};
use super::stored::StoredMember;
use super::survey::{Survey, Trouble};
use crate::{DirectoryMember, Limits, Medium, Problem};
use std::collections::HashSet;
use std::sync::Arc;

/// The members of a directory, and at its end what it does not say.
pub(super) struct Listing<'a> {
    medium: &'a Arc<dyn Medium>,
    limits: Limits,
    end: &'a End,
    survey: Arc<Survey>,
    entries: Entries,
    /// The hashes of names that come again and were met.
    met: HashSet<u64>,
    count: u64,
    is_done: bool,
}

impl<'a> Listing<'a> {
    pub(super) fn new(
        medium: &'a Arc<dyn Medium>,
        limits: Limits,
        end: &'a End,
        survey: &Arc<Survey>,
    ) -> Listing<'a> {
        let entries = Entries::new(Arc::clone(medium), end);
        let survey = Arc::clone(survey);
        Listing { medium, limits, end, survey, entries, met: HashSet::new(), count: 0, is_done: false }
    }

    fn listed(&mut self, entry: ZipEntry) -> DirectoryMember {
        self.count += 1;
        let is_met = self.survey.repeated(&entry.path).is_some_and(|hash| !self.met.insert(hash));
        let (medium, survey) = (Arc::clone(self.medium), Some(Arc::clone(&self.survey)));
        let mut listed = StoredMember { medium, limits: self.limits, entry, survey }.listed();
        if is_met {
            let what = "an earlier member has the same name";
            listed.member.problem.get_or_insert(Problem::Ambiguous(what.into()));
        }
        listed
    }

    /// Returns the problem of the archive as a whole, if there is one.
    fn verdict(&self) -> Option<Problem> {
        if let Some(doubt) = &self.end.doubt {
            return Some(Problem::Ambiguous(doubt.clone()));
        }
        // Without 64 bits, some programs let the number begin again at 0.
        let counted = if self.end.is_wide { self.count } else { self.count & u64::from(u16::MAX) };
        if counted != self.end.count {
            let (stated, count) = (self.end.count, self.count);
            let what = format!("the end record states {stated} members, the directory has {count}");
            return Some(Problem::Ambiguous(what.into()));
        }
        self.survey.trouble.map(Trouble::problem)
    }
}

impl Iterator for Listing<'_> {
    type Item = Result<DirectoryMember, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        match self.entries.next() {
            Some(Ok(entry)) => Some(Ok(self.listed(entry))),
            Some(Err(problem)) => {
                self.is_done = true;
                Some(Err(problem))
            }
            None => {
                self.is_done = true;
                self.verdict().map(Err)
            }
        }
    }
}
