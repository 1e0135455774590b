//! Builds the tree of a manifest: one thread reads records, another one hashes.

use crate::Error;
use crate::leaf::{self, SALT};
use crate::seal::{ORIGIN, Seal, algorithm};
use crate::secret::{OF_CASE, OF_FILE, Salter, Salts, sha256};
use crate::tree::{EarlierTree, FinishedTree, MerkleTree, Messages, Tracked, TreeHead};
use hashmill_digest::{Algorithm, Digest, MessageHasher};
use hashmill_manifest::Record;
use hashmill_manifest::case::{About, Case, line};
use hashmill_manifest::format::{Hint, open};
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

/// The number of leaves hashed together: enough to fill the lanes and to make whole subtrees.
const BATCH: usize = 1024;
/// The maximum number of work items queued between the threads.
const AHEAD: usize = 16;

/// Options for sealing a manifest.
#[derive(Debug, Clone)]
pub struct SealOptions<'a> {
    /// The algorithm of the tree.
    pub algorithm: &'static Algorithm,
    /// The name that the sealer chose, subject to [`check_origin`](crate::check_origin).
    pub origin: Box<str>,
    /// The source of salts, if leaves have some.
    pub salts: Option<Salts<'a>>,
    /// The number of records of an earlier manifest, for a proof that this one begins with it.
    pub earlier: Option<u64>,
}

/// A manifest's seal and the requested proofs.
#[derive(Debug)]
pub struct Built {
    /// The seal.
    pub seal: Seal,
    /// A proof for each selected record, in order.
    pub tracked: Vec<Tracked>,
    /// The requested earlier tree, if the tree has at least as many leaves.
    pub earlier: Option<EarlierTree>,
}

/// A message from the reading thread.
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

/// The result of the hashing thread.
struct Hashed {
    finished: FinishedTree,
    records: u64,
    file: Digest,
    salter: Option<Salter>,
}

/// The result of the reading thread.
struct Parsed {
    format: &'static str,
    case: Option<Digest>,
}

impl SealOptions<'static> {
    /// Returns options for this algorithm, without salts.
    ///
    /// # Errors
    /// If the algorithm is not suitable for seals.
    pub fn by(name: &str) -> Result<Self, Error> {
        let algorithm = algorithm(name).map_err(Error::Algorithm)?;
        Ok(SealOptions { algorithm, origin: ORIGIN.into(), salts: None, earlier: None })
    }
}

impl Default for SealOptions<'static> {
    fn default() -> Self {
        SealOptions::by("sha256").expect("the registry has SHA-256")
    }
}

/// Seals a manifest.
///
/// # Errors
/// If it is not a manifest, or has an unreadable line.
pub fn seal<'a>(manifest: Box<dyn Read + 'a>, options: &SealOptions<'_>) -> Result<Seal, Error> {
    build(manifest, options, &mut |_, _| false).map(|built| built.seal)
}

/// Like [`seal`], with proofs for the records that `wants` selects, which is called for each record with its number.
///
/// # Errors
/// As [`seal`].
pub fn build<'a>(
    manifest: Box<dyn Read + 'a>,
    options: &SealOptions<'_>,
    wants: &mut dyn FnMut(u64, &Record) -> bool,
) -> Result<Built, Error> {
    let (work, coming) = sync_channel(AHEAD);
    let (back, free) = channel();
    let salter = options.salts.as_ref().map(Salter::new).transpose()?;
    let tree = MerkleTree::since(options.algorithm, options.earlier);
    let file = MessageHasher::sha256();
    thread::scope(|scope| {
        let salted = salter.is_some();
        let hashing =
            thread::Builder::new().spawn_scoped(scope, move || hash(tree, salter, file, &coming, &back));
        let hashing = hashing.map_err(Error::Thread)?;
        let parsed = parse(manifest, salted, wants, work, &free);
        let hashed = hashing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let (parsed, Hashed { finished, records, file, mut salter }) = (parsed?, hashed);
        let whole = ManifestDigests { format: parsed.format, file, case: parsed.case };
        let tree = TreeHead { count: records, root: finished.root };
        let seal = whole.seal(options, tree, salter.as_mut());
        Ok(Built { seal, tracked: finished.tracked, earlier: finished.earlier })
    })
}

/// The parts of a manifest that are sealed in addition to its records.
pub(crate) struct ManifestDigests {
    /// The format of the manifest.
    pub format: &'static str,
    /// The digest of the manifest's bytes.
    pub file: Digest,
    /// The digest of the case data.
    pub case: Option<Digest>,
}

impl ManifestDigests {
    /// Returns the seal of the manifest with this tree.
    pub fn seal(self, options: &SealOptions<'_>, tree: TreeHead, mut salter: Option<&mut Salter>) -> Seal {
        let mut hidden = |index, digest: Digest| match &mut salter {
            Some(salter) => salter.hide(index, &digest),
            None => digest,
        };
        Seal {
            origin: options.origin.clone(),
            records: tree.count,
            root: tree.root,
            algorithm: options.algorithm,
            format: self.format.into(),
            manifest: hidden(OF_FILE, self.file),
            case: self.case.map(|case| hidden(OF_CASE, case)),
            nonces: options.salts.as_ref().map(|salts| salts.nonces.clone()).unwrap_or_default(),
        }
    }
}

/// Computes the digest of case data: of its objects as hashmill writes them, each followed by a line feed.
pub(crate) fn case_digest(case: &Case) -> Result<Option<Digest>, Error> {
    let Case { start, end } = case.clone();
    let abouts = [start.map(About::Start), end.map(About::End)];
    let mut text = Vec::new();
    for about in abouts.iter().flatten() {
        text.extend(line::json(about)?);
        text.push(b'\n');
    }
    Ok((!text.is_empty()).then_some(hashmill_digest::hash(sha256(), &text)))
}

/// Reads records and the other sealed parts.
fn parse<'a>(
    manifest: Box<dyn Read + 'a>,
    salted: bool,
    wants: &mut dyn FnMut(u64, &Record) -> bool,
    work: SyncSender<Work>,
    free: &Receiver<Batch>,
) -> Result<Parsed, Error> {
    let tee = Tee { input: manifest, work: work.clone() };
    // The file's name must not affect its meaning, so there is no hint.
    let mut opened = open(Box::new(tee), Hint::None).map_err(Error::Unusable)?;
    let room = salted.then_some([0; SALT]);
    let mut batch = Batch::default();
    for (index, record) in (0..).zip(&mut opened.reader) {
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
    Ok(Parsed { format: opened.format.name, case: case_digest(opened.reader.case())? })
}

fn hand_on(work: &SyncSender<Work>, part: Work) -> io::Result<()> {
    work.send(part).map_err(|_| io::Error::other("the hashing thread is gone"))
}

fn hash(
    mut tree: MerkleTree,
    mut salter: Option<Salter>,
    mut file: MessageHasher,
    coming: &Receiver<Work>,
    back: &Sender<Batch>,
) -> Hashed {
    while let Ok(work) = coming.recv() {
        match work {
            Work::Bytes(part) => file.update(&part),
            Work::Leaves(mut batch) => {
                if let Some(salter) = &mut salter {
                    salt(salter, tree.count(), &mut batch.messages);
                }
                tree.add(&mut batch.messages, &batch.wanted);
                batch.wanted.clear();
                // The reading thread may have ended.
                let _ = back.send(batch);
            }
        }
    }
    let records = tree.count();
    Hashed { finished: tree.finish(), records, file: file.finish(), salter }
}

/// Fills in the salts of leaves, starting with leaf `first`.
fn salt(salter: &mut Salter, first: u64, messages: &mut Messages) {
    let salts = salter.salts(first, messages.len());
    let starts = std::iter::once(0).chain(messages.ends.iter().copied());
    for (start, salt) in starts.zip(&salts) {
        // The salt follows the two bytes of the leaf's head.
        messages.bytes[start + 2..][..SALT].copy_from_slice(salt.as_bytes());
    }
}

/// Sends a copy of all bytes that are read to the hashing thread.
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
