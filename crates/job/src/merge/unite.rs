//! Uniting of the records of a path, as far as they agree.

use super::sorted::Merged;
use crate::convert::{Contradiction, ConvertEvent, RecordSource, Survey, Teller, join};
use crate::error::Error;
use hashmill_manifest::{Record, Status};
use std::cmp::Ordering;
use std::collections::VecDeque;
use std::mem;

/// The records of all manifests, united.
pub(super) struct Groups<'a, 't> {
    merged: Merged<'t>,
    /// The names of the manifests.
    names: Vec<&'a [u8]>,
    teller: &'a Teller<'t>,
    /// The first record of the next group.
    next: Option<(usize, Record)>,
    ready: VecDeque<(usize, Record)>,
    /// The manifest of the record that was returned last.
    last: usize,
    pub(super) contradictions: u64,
}

impl<'a, 't> Groups<'a, 't> {
    /// Unites merged records.
    pub(super) fn new(merged: Merged<'t>, names: Vec<&'a [u8]>, teller: &'a Teller<'t>) -> Groups<'a, 't> {
        Groups { merged, names, teller, next: None, ready: VecDeque::new(), last: 0, contradictions: 0 }
    }

    /// Unites the next group of records.
    fn group(&mut self) -> Result<(), Error> {
        let first = match self.next.take() {
            Some(first) => Some(first),
            None => self.merged.next().transpose()?,
        };
        let Some(first) = first else { return Ok(()) };
        let (mut kept, mut contradicts) = (vec![first], false);
        while let Some((number, record)) = self.merged.next().transpose()? {
            if Survey::order(&kept[0].1, &record) != Ordering::Equal {
                self.next = Some((number, record));
                break;
            }
            contradicts |= self.add(&mut kept, number, record);
        }
        self.contradictions += u64::from(contradicts);
        self.ready.extend(kept);
        Ok(())
    }

    /// Adds a record to those of its path; returns whether it contradicts them.
    fn add(&mut self, kept: &mut Vec<(usize, Record)>, number: usize, record: Record) -> bool {
        for known in kept.iter_mut() {
            match compare(&known.1, &record) {
                Said::Same => join(&mut known.1, &record),
                Said::Less => {}
                Said::More => {
                    let (before, record) = mem::replace(known, (number, record));
                    self.merged.give_back(before, record);
                    return false;
                }
                Said::Contrary(_) => continue,
            }
            self.merged.give_back(number, record);
            return false;
        }
        if let Said::Contrary(what) = compare(&kept[0].1, &record) {
            let (one, other) = (self.names[kept[0].0], self.names[number]);
            self.teller.tell(ConvertEvent::Contradiction(&record.path, Contradiction { one, other, what }));
        }
        kept.push((number, record));
        true
    }
}

impl Iterator for Groups<'_, '_> {
    type Item = Result<Record, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ready.is_empty()
            && let Err(error) = self.group()
        {
            return Some(Err(error));
        }
        let (number, record) = self.ready.pop_front()?;
        self.last = number;
        Some(Ok(record))
    }
}

impl RecordSource for Groups<'_, '_> {
    fn give_back(&mut self, record: Record) {
        self.merged.give_back(self.last, record);
    }
}

/// A comparison of a record with another of the same path.
enum Said {
    Same,
    /// The file was not read, or not completely.
    Less,
    /// The other record's file was not read, or not completely.
    More,
    /// This property differs.
    Contrary(&'static str),
}

fn compare(known: &Record, record: &Record) -> Said {
    let hashed = |record: &Record| record.status == Status::Hashed;
    match (known.is_sound(), record.is_sound()) {
        (true, false) => return Said::Less,
        (false, true) => return Said::More,
        (false, false) if hashed(known) != hashed(record) => {
            return if hashed(known) { Said::Less } else { Said::More };
        }
        // Both are incomplete, with different gaps.
        (false, false) if known.bad_blocks != record.bad_blocks => return Said::Less,
        _ => {}
    }
    if known.size.zip(record.size).is_some_and(|(one, other)| one != other) {
        return Said::Contrary("size");
    }
    for named in &record.digests {
        if known.digest(named.algorithm).is_some_and(|digest| *digest != named.digest) {
            return Said::Contrary(named.algorithm.name);
        }
    }
    Said::Same
}
