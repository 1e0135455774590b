//! From a manifest to its tree: one thread reads records, another one hashes.

use crate::canonical::Hex;
use crate::leaf::{self, SALT};
use crate::seal::{Manifest, Seal, VERSION};
use crate::secret::{self, Secret};
use crate::tree::{Hasher, Messages, Tracked, Tree};
use crate::{Error, seal::algorithm};
use hashloom_digest::{Algorithm, Digest, Part};
use hashloom_manifest::Record;
use hashloom_manifest::format::{Hint, open};
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

/// Leaves that are hashed together: enough to fill the lanes and to make whole subtrees.
const BATCH: usize = 1024;
/// Parts of work between the threads.
const AHEAD: usize = 16;

/// How a manifest is sealed.
#[derive(Debug, Clone, Copy)]
pub struct How<'a> {
    /// The algorithm of the tree.
    pub algorithm: &'static Algorithm,
    /// Where salts come from, if leaves have some.
    pub secret: Option<&'a Secret>,
}

/// A manifest's seal, and the proofs that were wanted.
#[derive(Debug)]
pub struct Built {
    /// The seal.
    pub seal: Seal,
    /// A proof for each record that was wanted, in order.
    pub tracked: Vec<Tracked>,
}

/// What the reading thread hands on.
enum Work {
    /// The next bytes of the file.
    Bytes(Vec<u8>),
    /// The next leaves.
    Leaves(Batch),
}

#[derive(Default)]
struct Batch {
    messages: Messages,
    wanted: Vec<usize>,
}

/// What the hashing thread found.
struct Hashed {
    root: Digest,
    records: u64,
    tracked: Vec<Tracked>,
    sha256: Digest,
    bytes: u64,
}

impl How<'static> {
    /// By this algorithm, without salts.
    ///
    /// # Errors
    /// If the algorithm is not fit for seals.
    pub fn by(name: &str) -> Result<Self, Error> {
        Ok(How { algorithm: algorithm(name)?, secret: None })
    }
}

impl Default for How<'static> {
    fn default() -> Self {
        How::by("sha256").expect("the registry has SHA-256")
    }
}

/// The seal of a manifest.
///
/// # Errors
/// If it is none, or has a line that can't be understood.
pub fn seal<'a>(manifest: Box<dyn Read + 'a>, how: &How<'_>) -> Result<Seal, Error> {
    build(manifest, how, &mut |_, _| false).map(|built| built.seal)
}

/// As [`seal`], with proofs for the records of which `wants` says so. It is asked for each, with its number.
///
/// # Errors
/// As [`seal`].
pub fn build<'a>(
    manifest: Box<dyn Read + 'a>,
    how: &How<'_>,
    wants: &mut dyn FnMut(u64, &Record) -> bool,
) -> Result<Built, Error> {
    let (work, coming) = sync_channel(AHEAD);
    let (back, free) = channel();
    let sha256 = secret::sha256()?;
    thread::scope(|scope| {
        let how = *how;
        let hashing = scope.spawn(move || hash(&how, sha256, &coming, &back));
        let format = parse(manifest, how.secret.is_some(), wants, (work, &free));
        let hashed = hashing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let Hashed { root, records, tracked, sha256, bytes } = hashed;
        let manifest = Manifest { format: format?.into(), bytes, sha256: Hex(sha256) };
        let (algorithm, salted) = (how.algorithm.name.into(), how.secret.is_some());
        let seal = Seal { hashloom_seal: VERSION, algorithm, root: Hex(root), records, salted, manifest };
        Ok(Built { seal, tracked })
    })
}

/// Reads records, and says the name of their format.
fn parse<'a>(
    manifest: Box<dyn Read + 'a>,
    salted: bool,
    wants: &mut dyn FnMut(u64, &Record) -> bool,
    (work, free): (SyncSender<Work>, &Receiver<Batch>),
) -> Result<&'static str, Error> {
    let tee = Tee { input: manifest, work: work.clone() };
    // What a file is called must not change what it says: no hint.
    let opened = open(Box::new(tee), Hint::None).map_err(Error::Unusable)?;
    let room = salted.then_some([0; SALT]);
    let mut batch = Batch::default();
    for (index, record) in (0..).zip(opened.reader) {
        let record = record.map_err(Error::Malformed)?;
        if wants(index, &record) {
            batch.wanted.push(batch.messages.len());
        }
        leaf::message(&record, room.as_ref(), &mut batch.messages.bytes);
        batch.messages.end();
        if batch.messages.len() == BATCH {
            let next = free.try_recv().unwrap_or_default();
            hand_on(&work, Work::Leaves(std::mem::replace(&mut batch, next)))?;
        }
    }
    hand_on(&work, Work::Leaves(batch))?;
    Ok(opened.format.name)
}

fn hand_on(work: &SyncSender<Work>, part: Work) -> io::Result<()> {
    work.send(part).map_err(|_| io::Error::other("the hashing thread is gone"))
}

fn hash(how: &How<'_>, sha256: &'static Algorithm, coming: &Receiver<Work>, back: &Sender<Batch>) -> Hashed {
    let mut tree = Tree::new(how.algorithm);
    let mut salts = Hasher::new(sha256);
    let mut file = (sha256.alone)();
    let (slot, mut bytes) = (file.open(), 0);
    while let Ok(work) = coming.recv() {
        match work {
            Work::Bytes(part) => {
                file.update(&[Part { slot, bytes: &part, last: false }]);
                bytes += part.len() as u64;
            }
            Work::Leaves(mut batch) => {
                if let Some(secret) = how.secret {
                    salt(secret, &mut salts, tree.count(), &mut batch.messages);
                }
                tree.add(&mut batch.messages, &batch.wanted);
                batch.wanted.clear();
                // Nobody may be left to take it.
                let _ = back.send(batch);
            }
        }
    }
    file.update(&[Part { slot, bytes: &[], last: true }]);
    let records = tree.count();
    let (root, tracked) = tree.finish();
    Hashed { root, records, tracked, sha256: file.close(slot), bytes }
}

/// Fills in the salts of leaves from this one on.
pub(crate) fn salt(secret: &Secret, hasher: &mut Hasher, first: u64, messages: &mut Messages) {
    let salts = secret.salts(hasher, first, messages.len());
    let starts = std::iter::once(0).chain(messages.ends.iter().copied());
    for (start, salt) in starts.zip(&salts) {
        // Behind the two bytes of the leaf's head.
        messages.bytes[start + 2..][..SALT].copy_from_slice(salt.as_bytes());
    }
}

/// Hands on what is read.
struct Tee<'a> {
    input: Box<dyn Read + 'a>,
    work: SyncSender<Work>,
}

impl Read for Tee<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        if read > 0 {
            hand_on(&self.work, Work::Bytes(buffer[..read].to_vec()))?;
        }
        Ok(read)
    }
}
