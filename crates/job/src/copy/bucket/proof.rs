//! Comparing an object with what was read: by what the store says of it, or else by reading it.

use super::super::answer::Proof;
use super::parts::TAG;
use hashmill_digest::hashes::Hashes;
use hashmill_digest::{About, Class};
use hashmill_evidence::{EntityTag, Evidence, Judged};
use hashmill_manifest::stored::Strength;
use hashmill_manifest::{Named, Record};
use hashmill_store::{Error, Object, Store};

/// The most requests for evidence at once. Where more are needed, reading the object is as cheap.
const MOST_QUESTIONS: usize = 16;

/// The bytes that are read at once.
const AT_ONCE: usize = 1 << 20;

/// The result of a comparison.
#[derive(Debug)]
pub(super) enum Compared {
    Same(Proof),
    Other,
}

/// Compares an object with the record of what was read. Evidence decides if it is at least so strong.
///
/// # Errors
/// If the object can't be looked up or read.
pub(super) fn compare(
    store: &Store,
    object: &Object,
    record: &Record,
    least: Strength,
) -> Result<Compared, Error> {
    if record.size.is_some_and(|size| size != object.size) {
        return Ok(Compared::Other);
    }
    match by_evidence(store, object, record, least)? {
        Some(true) => Ok(Compared::Same(Proof::Evidence)),
        Some(false) => Ok(Compared::Other),
        None => match is_same(store, object, record)? {
            true => Ok(Compared::Same(Proof::Medium)),
            false => Ok(Compared::Other),
        },
    }
}

/// Returns whether the store's evidence shows an object to be the same; `None` if it doesn't decide.
fn by_evidence(
    store: &Store,
    object: &Object,
    record: &Record,
    least: Strength,
) -> Result<Option<bool>, Error> {
    if has_tag(object, record) {
        return Ok(Some(true));
    }
    let mut evidence = Evidence::listed(store.location(), object);
    loop {
        let judged = evidence.judge(&record.digests);
        match judged {
            Judged::Same(strength) if strength >= least => return Ok(Some(true)),
            Judged::Different => return Ok(Some(false)),
            _ => {}
        }
        let tag = if matches!(judged, Judged::Same(_)) { EntityTag::Accepted } else { EntityTag::Doubted };
        let questions = evidence.questions(tag);
        if questions.is_empty() || questions.len() > MOST_QUESTIONS {
            return Ok((judged == Judged::OtherTag).then_some(false));
        }
        for question in questions {
            evidence.answer(question, store.send(&question.request(&object.key)))?;
        }
    }
}

/// Returns whether the ETag is the one of what was read in parts as copies have them. That of a single part is the same for parts
/// of any length, which evidence alone can't tell.
fn has_tag(object: &Object, record: &Record) -> bool {
    let wanted = record.digests.iter().find(|named| named.algorithm.name == TAG);
    let tag = object.etag.as_deref().map(|etag| etag.trim_matches('"'));
    wanted.is_some_and(|wanted| tag == Some(&*wanted.algorithm.format(&wanted.digest)))
}

/// Reads an object, and returns whether it has the digest of what was read.
fn is_same(store: &Store, object: &Object, record: &Record) -> Result<bool, Error> {
    let proving =
        |named: &&Named| named.algorithm.class == Class::Cryptographic && named.algorithm.leaves.is_none();
    let Some(known) = record.digests.iter().find(proving) else { return Ok(false) };
    let mut hashes = Hashes::new(&[known.algorithm], &About::file(&object.key, Some(object.size)));
    let (opened, mut buffer, mut at) = (store.open(object.clone()), vec![0; AT_ONCE], 0);
    loop {
        let read = opened.read_at(at, &mut buffer)?;
        if read == 0 {
            break;
        }
        hashes.update(&buffer[..read]);
        at += read as u64;
    }
    Ok(at == object.size && hashes.end().first() == Some(&known.digest))
}
