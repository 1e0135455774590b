//! The members of an archive without a directory, by the headers before them.

use super::descriptor;
use super::local::{LOCAL, LocalHeader};
use super::stored::StoredMember;
use crate::{DirectoryMember, Limits, Medium, Problem};
use std::sync::Arc;

/// Members one after the other, and at their end that there is no directory.
pub(super) struct Bare<'a> {
    medium: &'a Arc<dyn Medium>,
    limits: Limits,
    at: Option<u64>,
}

impl<'a> Bare<'a> {
    /// Creates a list of members from a place on.
    pub(super) fn new(medium: &'a Arc<dyn Medium>, limits: Limits, at: u64) -> Bare<'a> {
        Bare { medium, limits, at: Some(at) }
    }

    /// Reads the member at a place, and sets the place of the next one.
    fn member(&mut self, at: u64) -> Result<DirectoryMember, Problem> {
        if super::end::read(&**self.medium, at).is_some_and(|signature| signature != LOCAL) {
            return Err(Problem::Truncated);
        }
        let header = LocalHeader::read(&**self.medium, at)?;
        let is_deferred = header.is_deferred();
        let mut entry = header.entry;
        let mut end = header.data.checked_add(entry.packed.unwrap_or(0));
        if is_deferred && entry.crc == Some(0) {
            let found = descriptor::search(Arc::clone(self.medium), header.data)?;
            entry.crc = found.map(|found| found.crc);
            entry.packed = found.map(|found| found.packed);
            entry.size = found.map(|found| found.size);
            end = found.and_then(|found| header.data.checked_add(found.packed)?.checked_add(found.length));
        } else if is_deferred {
            end = end.map(|end| end.saturating_add(self.descriptor_length(end)));
        }
        self.at = Some(end.unwrap_or(u64::MAX));
        let medium = Arc::clone(self.medium);
        Ok(StoredMember { medium, limits: self.limits, entry, survey: None }.listed())
    }

    /// Returns the length of a descriptor whose numbers are known already.
    fn descriptor_length(&self, end: u64) -> u64 {
        let begins = |at: u64| super::end::read::<2>(&**self.medium, at) == Some(*b"PK");
        [0, 12, 16, 20, 24].into_iter().rev().find(|length| begins(end.saturating_add(*length))).unwrap_or(0)
    }
}

impl Iterator for Bare<'_> {
    type Item = Result<DirectoryMember, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at.take()?;
        Some(self.member(at))
    }
}
