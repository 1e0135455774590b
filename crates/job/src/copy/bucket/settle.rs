//! The end of a file that was read whole: it is compared with what is there, sent, and proved.

use super::super::answer::{Answer, Proof};
use super::super::back::Verify;
use super::super::message::CopiedEntry;
use super::super::room::Space;
use super::parts::Parts;
use super::proof::{Compared, compare};
use super::there::Known;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hashmill_manifest::Record;
use hashmill_manifest::stored::Strength;
use hashmill_store::{Cause, Error, Object, Replace, Store};
use std::sync::Arc;

/// The weakest evidence that a file is there already: anybody could make another file with the same checksum.
const THERE: Strength = Strength::Composite;

/// The weakest evidence that an object is what was sent: a checksum finds what goes wrong on the way.
const SENT: Strength = Strength::Crc;

/// The store of a destination, and how it is written to.
#[derive(Debug)]
pub(super) struct Bucket {
    pub(super) store: Store,
    pub(super) is_forced: bool,
    pub(super) verify: Verify,
}

/// A file that was read whole, with what was kept or sent of its bytes.
#[derive(Debug)]
pub(super) struct ReadFile {
    pub(super) key: Box<[u8]>,
    pub(super) entry: Arc<CopiedEntry>,
    pub(super) known: Known,
    pub(super) payload: Payload,
}

/// The bytes of a file.
#[derive(Debug)]
pub(super) enum Payload {
    /// None: something is there that stays in any case.
    Left,
    Whole(Vec<u8>, Space),
    Parts(Parts),
}

/// The result of an entry.
#[derive(Debug)]
pub(super) struct Settled {
    pub(super) answer: Answer,
    /// The object that is proved at the end of the run.
    pub(super) late: Option<Object>,
    /// Whether others fail for the same reason, which is told once.
    pub(super) is_common: bool,
}

impl From<Answer> for Settled {
    fn from(answer: Answer) -> Settled {
        Settled { answer, late: None, is_common: false }
    }
}

impl From<Error> for Settled {
    fn from(error: Error) -> Settled {
        let is_common = error.cause.is_of_store() || matches!(error.cause, Cause::Denied(_));
        Settled { answer: Answer::Failed(error.cause.to_string()), late: None, is_common }
    }
}

impl Payload {
    /// Gives up what was sent.
    pub(super) fn discard(self) {
        if let Payload::Parts(parts) = self {
            parts.abort();
        }
    }
}

impl Bucket {
    /// Settles a file.
    pub(super) fn settle(&self, job: ReadFile) -> Settled {
        let Some(file) = job.entry.file() else { return Answer::Nothing.into() };
        let ReadFile { key, known, payload, .. } = job;
        match self.settled(&key, known, payload, &file.record) {
            Ok(settled) => settled,
            Err(error) => error.into(),
        }
    }

    fn settled(&self, key: &[u8], known: Known, payload: Payload, record: &Record) -> Result<Settled, Error> {
        let there = match self.found(key, known) {
            Ok(there) => there,
            Err(error) => {
                payload.discard();
                return Err(error);
            }
        };
        let Some(object) = there else {
            let replace = if self.is_forced { Replace::Always } else { Replace::Never };
            return self.write(key, payload, record, replace);
        };
        match compare(&self.store, &object, record, THERE) {
            Ok(Compared::Other) if self.is_forced => self.write(key, payload, record, Replace::Always),
            compared => {
                payload.discard();
                Ok(match compared? {
                    Compared::Same(_) => Answer::Same.into(),
                    Compared::Other => Answer::Kept("an object with other content is there".into()).into(),
                })
            }
        }
    }

    /// Returns the object that is there.
    fn found(&self, key: &[u8], known: Known) -> Result<Option<Box<Object>>, Error> {
        match known {
            Known::Absent => Ok(None),
            Known::There(object) => Ok(Some(object)),
            Known::Unasked => match self.store.look(key) {
                Ok(object) => Ok(Some(Box::new(object))),
                Err(Error { cause: Cause::NotFound, .. }) => Ok(None),
                Err(error) => Err(error),
            },
        }
    }

    fn write(
        &self,
        key: &[u8],
        payload: Payload,
        record: &Record,
        replace: Replace,
    ) -> Result<Settled, Error> {
        let written = match payload {
            Payload::Left => return Ok(Answer::Failed("its bytes were not kept".into()).into()),
            Payload::Whole(bytes, _space) => self.store.put(key, bytes, sha256(record).as_deref(), replace),
            Payload::Parts(parts) => parts.complete(replace),
        };
        match written {
            Ok(object) => self.prove(object, record),
            // It came meanwhile; or it is this very one, and the answer to a request that was repeated got lost.
            Err(Error { cause: Cause::Changed | Cause::NotFound, .. }) => self.meanwhile(key, record),
            Err(error) => Err(error),
        }
    }

    /// Compares with an object that was not there before.
    fn meanwhile(&self, key: &[u8], record: &Record) -> Result<Settled, Error> {
        let object = self.store.look(key)?;
        Ok(match compare(&self.store, &object, record, THERE)? {
            Compared::Same(_) => Answer::Same.into(),
            Compared::Other => Answer::Kept("another object got its name meanwhile".into()).into(),
        })
    }

    fn prove(&self, object: Object, record: &Record) -> Result<Settled, Error> {
        match self.verify {
            Verify::AtOnce => Ok(self.proved(&object, record).into()),
            Verify::Later => Ok(Settled { late: Some(object), ..Settled::from(Answer::Copied(Proof::None)) }),
            Verify::No => Ok(Answer::Copied(Proof::None).into()),
        }
    }

    /// Proves that an object is what was read. Another one is removed, if it is still that.
    pub(super) fn proved(&self, object: &Object, record: &Record) -> Answer {
        match compare(&self.store, object, record, SENT) {
            Ok(Compared::Same(proof)) => Answer::Copied(proof),
            Ok(Compared::Other) => match self.store.remove(object) {
                Ok(()) => Answer::Differs,
                Err(error) => Answer::Failed(format!(
                    "it is not what was read from the source, and can't be removed: {}",
                    error.cause
                )),
            },
            Err(error) => Answer::Failed(format!("cannot be verified: {}", error.cause)),
        }
    }
}

/// Returns the SHA-256 of what was read, in base64.
fn sha256(record: &Record) -> Option<String> {
    let found = record.digests.iter().find(|named| named.algorithm.name == "sha256");
    found.map(|named| STANDARD.encode(named.digest.as_bytes()))
}
