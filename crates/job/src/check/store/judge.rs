//! Verdicts on the files of a store.

use super::Rounds;
use super::event::{ObjectVerdict, StoreEvent, StoreObserver, StoreSummary};
use super::packs::{self, PackFindings, Packs};
use super::place::joined;
use super::wanted::Wanted;
use hashmill_content::selection::{Bytes, below};
use hashmill_digest::{Algorithm, Digest};
use hashmill_engine::{EntryResult, Stats, Trouble};
use hashmill_manifest::Named;
use hashmill_manifest::audit::{Content, Sides};
use hashmill_objects::{Claim, ObjectClaim, Role};
use hashmill_source::{Error, OperandDirectory, Problem, Skip};
use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The judge of a store: takes the outcome of each file in the order of the walk.
pub(super) struct Judge<'a> {
    walk: &'a Rounds,
    wanted: Wanted,
    packs: Packs,
    /// Whether damaged objects are reported with the content of both sides.
    sides: bool,
    observer: &'a mut (dyn FnMut(StoreEvent<'_>) -> hashmill_engine::flow::Flow + 'a),
    summary: StoreSummary,
    /// Whether the walk met objects of another algorithm than that of its round.
    pub others: Arc<AtomicBool>,
    /// Files and folders that could not be read: what is in such a folder is not known to be missing.
    unread: HashSet<Bytes>,
    pub stopped: bool,
}

impl<'a> Judge<'a> {
    pub fn new(
        walk: &'a Rounds,
        wanted: Wanted,
        packs: Packs,
        sides: bool,
        observer: &'a mut StoreObserver<'_>,
    ) -> Judge<'a> {
        let (summary, others, unread) = (StoreSummary::default(), Arc::default(), HashSet::new());
        Judge { walk, wanted, packs, sides, observer, summary, others, unread, stopped: false }
    }

    /// Returns whether there are objects of another algorithm than the first.
    pub fn has_others(&self) -> bool {
        self.others.load(Ordering::Relaxed)
    }

    pub fn add(&mut self, stats: &Stats) {
        self.summary.stats.elapsed += stats.elapsed;
        self.summary.stats.add(stats);
    }

    /// Judges a file.
    pub fn take(&mut self, outcome: &EntryResult) {
        let path = &*outcome.record.path;
        let inside = below(path, &self.walk.root);
        match (&outcome.trouble, self.walk.role(inside)) {
            (Some(Trouble::Skipped(why)), role) => self.skipped(path, *why, role),
            (Some(Trouble::Failed(error)), Role::Object(_)) if is_damage(error) => self.damaged(path, error),
            (Some(Trouble::Failed(error)), _) => self.failed(path, error),
            (None, Role::Object(object)) => self.object(path, &object, outcome),
            (None, _) => self.verdict(path, ObjectVerdict::Superfluous),
        }
    }

    /// Returns whether anything names the object at a path, and remembers that it was met.
    fn meet(&mut self, path: &[u8]) -> bool {
        let named = self.walk.layout.named(below(path, &self.walk.root));
        self.wanted.meet(&named)
    }

    /// Judges an object that was hashed.
    fn object(&mut self, path: &[u8], object: &ObjectClaim, outcome: &EntryResult) {
        let inside = below(path, &self.walk.root);
        let is_named = self.meet(path);
        let claimed = match object.digest {
            Claim::Name(digest) => Some(digest),
            Claim::Trailer => self.walk.trailers.lock().remove(path),
        };
        let actual = outcome.record.digest(object.algorithm).copied();
        let is_superfluous = self.walk.layout.is_complete() && self.wanted.is_whole() && !is_named;
        match (claimed, actual) {
            (Some(claimed), Some(actual)) if claimed != actual => {
                let sides = self.sides.then(|| Sides {
                    expected: Some(content(object.algorithm, claimed, None)),
                    actual: Some(content(object.algorithm, actual, outcome.record.size)),
                    reason: None,
                });
                self.tell_verdict(path, ObjectVerdict::Damaged, sides.as_ref());
                let found = self.packs.take(inside);
                found.iter().for_each(|found| self.packed(path, found));
            }
            (Some(_), Some(_)) => match self.wanted.problem(inside).map(str::to_owned) {
                Some(why) => self.because(path, &why, ObjectVerdict::Unreadable),
                None if is_superfluous => self.because(path, "nothing names it", ObjectVerdict::Superfluous),
                None => match self.other_size(inside, outcome.record.size) {
                    Some(why) => self.because(path, &why, ObjectVerdict::Damaged),
                    None => self.right(path, inside, object.algorithm),
                },
            },
            _ => self.because(path, "has no digest to compare", ObjectVerdict::Unsupported),
        }
    }

    /// Returns the reason why an object has not the size that is said of it; none if it has.
    fn other_size(&self, inside: &[u8], size: Option<u64>) -> Option<String> {
        let size = size?;
        let (said, by) = self.wanted.other_size(&self.walk.layout.named(inside), size)?;
        Some(format!("has {size} bytes, and {} says {said}", hashmill_terminal::Shown(by)))
    }

    /// Judges a file whose digest is right. With the index of a pack, the objects in the pack are checked.
    fn right(&mut self, path: &[u8], inside: &[u8], algorithm: &'static Algorithm) {
        if let Some(pack) = self.walk.layout.pack_of_index(inside) {
            match self.packs.check(&self.walk.root, inside, &pack, algorithm) {
                Ok(()) => self.verdict(path, ObjectVerdict::Right),
                Err(fault) => self.because(path, &fault.to_string(), packs::verdict(&fault)),
            }
        } else if let Some(found) = self.packs.take(inside).filter(|found| !found.reason().is_empty()) {
            self.because(path, &found.reason(), found.verdict());
            self.packed(path, &found);
        } else {
            self.verdict(path, ObjectVerdict::Right);
        }
    }

    /// Tells the objects of a pack that are not right.
    fn packed(&mut self, pack: &[u8], found: &PackFindings) {
        for (name, fault) in &found.objects {
            if self.stopped {
                break;
            }
            let path = [pack, b"!/", name.to_string().as_bytes()].concat();
            self.because(&path, &fault.to_string(), packs::verdict(fault));
        }
    }

    /// Judges an object whose stored bytes don't make sense.
    fn damaged(&mut self, path: &[u8], error: &Error) {
        self.meet(path);
        self.walk.trailers.lock().remove(path);
        let why = source(error).map(io::Error::to_string).unwrap_or_default();
        self.because(path, &why, ObjectVerdict::Damaged);
    }

    fn failed(&mut self, path: &[u8], error: &Error) {
        self.meet(path);
        self.walk.trailers.lock().remove(path);
        if !self.unread.insert(below(path, &self.walk.root).into()) {
            return;
        }
        self.tell(StoreEvent::Failed(error));
        self.verdict(path, ObjectVerdict::Unreadable);
    }

    /// Judges an entry that is not hashed.
    fn skipped(&mut self, path: &[u8], why: Skip, role: Role) {
        let inside: Bytes = below(path, &self.walk.root).into();
        if why == Skip::Filtered {
            self.meet(path);
        }
        self.wanted.meet_folders(&inside);
        match (why, role) {
            // An output of this run, which is no part of the store.
            (Skip::Output, _) => {}
            (Skip::Link, role) => self.link(path, &inside, &role),
            (Skip::Filtered, Role::Apart) => match self.wanted.problem(&inside).map(str::to_owned) {
                Some(problem) => self.because(path, &problem, ObjectVerdict::Unreadable),
                None => self.verdict(path, ObjectVerdict::Apart),
            },
            (Skip::Filtered, Role::Unsupported(why)) => self.because(path, why, ObjectVerdict::Unsupported),
            (Skip::Filtered, _) => self.verdict(path, ObjectVerdict::Superfluous),
            (why, Role::Stranger) => self.because(path, why.reason(), ObjectVerdict::Superfluous),
            (why, _) => {
                self.meet(path);
                self.because(path, why.reason(), ObjectVerdict::Unreadable);
            }
        }
    }

    /// Judges a symbolic link. One that leads to an object has the verdict of that.
    fn link(&mut self, path: &[u8], inside: &[u8], role: &Role) {
        if !self.walk.layout.has_links() {
            match role {
                Role::Stranger | Role::Apart => {
                    self.because(path, "symbolic link", ObjectVerdict::Superfluous)
                }
                _ => {
                    self.meet(path);
                    self.because(path, "symbolic link, which is not followed", ObjectVerdict::Unreadable);
                }
            }
            return;
        }
        let text = OperandDirectory::open(&self.walk.root).and_then(|operand| operand.read_link(path));
        match text {
            Ok(text) if self.walk.layout.link(inside, &text).is_some() => {}
            Ok(_) => {
                let why = "is a link that does not lead to an object of the store, and is not followed";
                self.because(path, why, ObjectVerdict::Unsupported);
            }
            Err(source) => self.failed(path, &Error { path: path.into(), problem: Problem::Stat(source) }),
        }
    }

    /// Reports the objects that were not met.
    pub fn end(&mut self) {
        let own = |(path, by): (&[u8], &[u8])| -> (Bytes, Bytes) { (path.into(), by.into()) };
        let missing: Vec<_> = self.wanted.missing().map(own).map(|named| (named, true)).collect();
        let elsewhere: Vec<_> = self.wanted.elsewhere().map(own).map(|named| (named, false)).collect();
        for ((path, by), is_missing) in missing.into_iter().chain(elsewhere) {
            if self.stopped {
                break;
            }
            let mut above = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
            if above.any(|(end, _)| self.unread.contains(&path[..end])) {
                continue;
            }
            let path = if self.walk.is_remote() { path } else { joined(&self.walk.root, &path) };
            let by = hashmill_terminal::Shown(&by);
            if is_missing {
                self.because(&path, &format!("is not there, and {by} names it"), ObjectVerdict::Missing);
            } else {
                let why = format!("is not there, and was not checked: {by} says that it is elsewhere");
                self.because(&path, &why, ObjectVerdict::Unsupported);
            }
        }
    }

    /// Returns the result.
    pub fn finish(mut self, interrupted: bool) -> StoreSummary {
        self.summary.interrupted = interrupted || self.stopped;
        self.summary.packed = self.packs.right;
        self.summary
    }

    /// Tells that a file of which the objects are named could not be read.
    pub fn unreadable(&mut self, path: &[u8], why: &str) {
        self.because(path, why, ObjectVerdict::Unreadable);
    }

    fn because(&mut self, path: &[u8], why: &str, verdict: ObjectVerdict) {
        self.tell(StoreEvent::Reason(path, why));
        self.verdict(path, verdict);
    }

    fn verdict(&mut self, path: &[u8], verdict: ObjectVerdict) {
        self.tell_verdict(path, verdict, None);
    }

    fn tell_verdict(&mut self, path: &[u8], verdict: ObjectVerdict, sides: Option<&Sides>) {
        self.summary.add(verdict);
        self.tell(StoreEvent::Verdict(path, verdict, sides));
    }

    /// Passes an event on.
    pub fn tell(&mut self, event: StoreEvent<'_>) {
        self.stopped |= (self.observer)(event).is_break();
    }
}

fn content(algorithm: &'static Algorithm, digest: Digest, size: Option<u64>) -> Content {
    Content { size, mtime: None, digests: vec![Named { algorithm, digest, guessed: false }] }
}

/// Returns whether the stored bytes could be read and don't make sense.
fn is_damage(error: &Error) -> bool {
    source(error).is_some_and(|source| source.kind() == io::ErrorKind::InvalidData)
}

fn source(error: &Error) -> Option<&io::Error> {
    match &error.problem {
        Problem::Stat(source) | Problem::Open(source) | Problem::Read { source, .. } => Some(source),
        _ => None,
    }
}
