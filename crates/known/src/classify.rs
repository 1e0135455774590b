//! Labels for many files at once, for runs that classify while they hash.
//!
//! A label needs only the verdict, so each detail is read once: a batch of files costs little more than its lookups.

use crate::{Claim, Error, Hit, Sets};
use hashbrown::HashMap;
use hashmill_digest::Digest;
use hashmill_manifest::{Label, Record};
use std::sync::Arc;

/// Labels records.
#[derive(Debug)]
pub struct Classifier {
    sets: Sets,
    /// For each index, the verdict on each detail found so far; `None` if the filter leaves no claim.
    met: Vec<HashMap<u32, Option<usize>>>,
    verdicts: Vec<(Claim, Arc<Label>)>,
    unknown: Arc<Label>,
}

impl Classifier {
    /// Creates a classifier with these sets.
    pub fn new(sets: Sets) -> Self {
        let met = sets.indexes().iter().map(|_| HashMap::new()).collect();
        let unknown = Arc::new(Label { category: Label::UNKNOWN.into(), set: Box::default() });
        Classifier { sets, met, verdicts: Vec::new(), unknown }
    }

    /// Returns the sets.
    pub fn sets(&self) -> &Sets {
        &self.sets
    }

    /// Labels each record of a completely hashed file with the weightiest verdict on any of its digests. Other records
    /// are unchanged, since their digests are not those of a file.
    ///
    /// # Errors
    /// If an index turns out to be damaged.
    pub fn label(&mut self, records: &mut [&mut Record]) -> Result<(), Error> {
        let digests: Vec<Digest> = records.iter().flat_map(|record| digests(record)).collect();
        let hits = self.sets.find_all(&digests)?;
        let mut first = 0;
        let mut labelled = Ok(());
        for record in records {
            let count = digests_of(record);
            let best = match self.best(&hits, first..first + count) {
                Ok(best) => best,
                Err(error) => {
                    labelled = Err(error);
                    break;
                }
            };
            first += count;
            if count > 0 {
                let label = best.map_or(&self.unknown, |number| &self.verdicts[number].1);
                record.label = Some(Arc::clone(label));
            }
        }
        // If the file was truncated, that is the error to report.
        self.sets.check().and(labelled)
    }

    /// Returns the verdict on the file with these digests, if it has one.
    fn best(
        &mut self,
        hits: &[Vec<Option<Hit>>],
        digests: std::ops::Range<usize>,
    ) -> Result<Option<usize>, Error> {
        let mut best: Option<usize> = None;
        for (index, hits) in hits.iter().enumerate() {
            for hit in hits[digests.clone()].iter().flatten() {
                let found = self.verdict(index, *hit)?;
                best = match (best, found) {
                    (Some(a), Some(b)) => Some(if self.verdicts[b].0 < self.verdicts[a].0 { b } else { a }),
                    (a, b) => a.or(b),
                };
            }
        }
        Ok(best)
    }

    fn verdict(&mut self, index: usize, hit: Hit) -> Result<Option<usize>, Error> {
        let number = self.sets.indexes()[index].detail_number(hit);
        if let Some(known) = self.met[index].get(&number) {
            return Ok(*known);
        }
        let claim = self.sets.claim(index, hit)?;
        let verdict = claim.map(|claim| self.intern(claim));
        self.met[index].insert(number, verdict);
        Ok(verdict)
    }

    fn intern(&mut self, claim: Claim) -> usize {
        let known = self.verdicts.iter().position(|(known, _)| *known == claim);
        known.unwrap_or_else(|| {
            let label = Label { category: claim.category.word().into(), set: claim.set.clone() };
            self.verdicts.push((claim, Arc::new(label)));
            self.verdicts.len() - 1
        })
    }
}

/// Returns the digests by which a record can be classified.
fn digests(record: &Record) -> impl Iterator<Item = Digest> {
    record.digests[..digests_of(record)].iter().map(|named| named.digest)
}

fn digests_of(record: &Record) -> usize {
    let whole = record.piece.is_none() && record.is_sound();
    if whole { record.digests.len() } else { 0 }
}
