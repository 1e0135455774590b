//! The answers of a destination in a store, in the order of the walk; and what is proved when all is sent.

use super::super::answer::Answer;
use super::super::attributes::PropertySource;
use super::super::back::{LateFindings, LateProblem};
use super::super::later::{Late, Later};
use super::super::message::{CopiedEntry, Names};
use super::super::place::CopyRecords;
use super::MOST_REQUESTS;
use super::crew::Crew;
use super::keys::Keys;
use super::settle::{Bucket, Settled};
use hashmill_manifest::Record;
use hashmill_store::{Cause, Error, Object};
use std::collections::{HashSet, VecDeque};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

/// The text about files whose properties a store doesn't keep.
const PROPERTIES: &str = "times, permissions and other properties";

/// The text about second names that became objects of their own.
const SECOND_NAMES: &str = "second names";

/// The reporter of a destination.
pub(super) struct Reporter {
    pub(super) keys: Arc<Keys>,
    pub(super) bucket: Option<Arc<Bucket>>,
    pub(super) crew: Arc<Crew>,
    pub(super) later: Option<Later>,
    pub(super) listed: CopyRecords,
}

/// A copy that is proved when all is sent.
type Waiting = VecDeque<(Box<[u8]>, Record, Receiver<Answer>)>;

impl Reporter {
    /// Answers for all entries in their order. Returns what was found of those that were proved later.
    pub(super) fn run(
        mut self,
        settled: &Receiver<(Arc<CopiedEntry>, Receiver<Settled>)>,
        answers: &Sender<Answer>,
    ) -> LateFindings {
        let (mut findings, mut told) = (LateFindings::default(), HashSet::new());
        for (entry, settled) in settled {
            let early = || Answer::Failed("a thread ended early".into()).into();
            let settled = settled.recv().unwrap_or_else(|_| early());
            let answer = self.answer(&entry, settled, &mut told);
            if let Answer::Copied(_) = answer {
                note_lost(&mut findings, &entry);
            }
            if answers.send(answer).is_err() {
                break;
            }
        }
        self.prove_later(&mut findings);
        findings
    }

    /// Returns the answer for an entry. A reason that many have is told once.
    fn answer(&mut self, entry: &CopiedEntry, settled: Settled, told: &mut HashSet<String>) -> Answer {
        let Settled { answer, late, is_common } = settled;
        if let Answer::Failed(why) = &answer
            && is_common
            && !told.insert(why.clone())
        {
            return Answer::FailedLikewise;
        }
        if let (Some(later), Some(object), Some(file)) = (&mut self.later, late, entry.file())
            && let Err(error) = later.push(&address(&object), &file.record, false)
        {
            return Answer::Failed(error.to_string());
        }
        answer
    }

    /// Proves the copies that are there already, side by side. One that differs is removed.
    fn prove_later(&mut self, findings: &mut LateFindings) {
        let (Some(later), Some(bucket)) = (self.later.take(), self.bucket.clone()) else { return };
        let late = match later.read() {
            Ok(late) => late,
            Err(error) => {
                findings.problems.push(LateProblem::of_list(&error));
                return;
            }
        };
        let mut waiting = Waiting::new();
        for late in late {
            match self.begin_late(late, &bucket) {
                Ok(begun) => waiting.push_back(begun),
                Err(error) => findings.problems.push(LateProblem::of_list(&error)),
            }
            if waiting.len() > 2 * MOST_REQUESTS {
                self.take_late(&mut waiting, findings);
            }
        }
        while !waiting.is_empty() {
            self.take_late(&mut waiting, findings);
        }
    }

    fn begin_late(
        &self,
        late: io::Result<Late>,
        bucket: &Arc<Bucket>,
    ) -> io::Result<(Box<[u8]>, Record, Receiver<Answer>)> {
        let record = late?.record;
        let object = object(&record.path, record.size);
        let path = self.keys.typed(&object.key);
        let (bucket, of) = (Arc::clone(bucket), record.clone());
        let answer = self.crew.give(move || prove(&bucket, &object, &of));
        Ok((path, record, answer))
    }

    fn take_late(&self, waiting: &mut Waiting, findings: &mut LateFindings) {
        let Some((path, record, answer)) = waiting.pop_front() else { return };
        let early = |_| Answer::Failed("a thread ended early".into());
        match answer.recv().unwrap_or_else(early) {
            Answer::Copied(proof) => findings.prove(proof, Record { path, ..record }, self.listed.as_ref()),
            answer => findings.problems.push(LateProblem { path, answer, is_link: false }),
        }
    }
}

/// Counts what an object lacks of its file.
fn note_lost(findings: &mut LateFindings, entry: &CopiedEntry) {
    let Some(file) = entry.file() else { return };
    let mut note = |what: &str| *findings.lost.entry(what.into()).or_insert(0) += 1;
    if let PropertySource::File(..) = file.origin {
        note(PROPERTIES);
    }
    if let Names::Second(_) | Names::Unlinked = file.names {
        note(SECOND_NAMES);
    }
}

/// Proves a copy by what the store says of it now.
fn prove(bucket: &Bucket, written: &Object, record: &Record) -> Answer {
    match bucket.store.look(&written.key) {
        Ok(now) if now.etag == written.etag => {
            bucket.proved(&Object { version: written.version.clone(), ..now }, record)
        }
        Ok(_) | Err(Error { cause: Cause::NotFound, .. }) => {
            Answer::Failed("it was replaced or removed after it was written".into())
        }
        Err(error) => Answer::Failed(format!("cannot be verified: {}", error.cause)),
    }
}

/// Returns the key of an object and what tells it from others of that key, as one text. No key has a byte 0.
fn address(object: &Object) -> Vec<u8> {
    let word = |word: &Option<Box<str>>| word.as_deref().unwrap_or_default().as_bytes().to_vec();
    [&*object.key, &word(&object.etag), &word(&object.version)].join(&0)
}

/// Returns the object with an address.
fn object(address: &[u8], size: Option<u64>) -> Object {
    let mut parts = address.split(|byte| *byte == 0);
    let key = parts.next().unwrap_or_default().into();
    let mut word = || {
        let word = parts.next().filter(|word| !word.is_empty());
        word.map(|word| String::from_utf8_lossy(word).into())
    };
    Object { key, size: size.unwrap_or(0), etag: word(), version: word(), ..Object::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_they_were_written() {
        for (etag, version) in
            [(Some("\"e\""), Some("v")), (Some("e"), None), (None, Some("7")), (None, None)]
        {
            let one = Object {
                key: b"a/b".as_slice().into(),
                size: 7,
                etag: etag.map(Box::from),
                version: version.map(Box::from),
                ..Object::default()
            };
            assert_eq!(object(&address(&one), Some(7)), one);
        }
    }
}
