//! Redacted manifests: some records as they are, of the others only the hashes of their leaves. The root is
//! still that of the seal, so nothing shown was altered, added or put elsewhere, and what is hidden is counted.
//!
//! A redacted manifest is lines of JSON: a head; then for each record `{"hidden":"HASH"}`, or `{"shown":{…}}`
//! with its salt if it has one, and the record as a line of `jsonl`.

use crate::canonical::{self, Hex, is_guessed};
use crate::leaf::{self, SALT};
use crate::seal::{VERSION, algorithm, check_version, is_false};
use crate::tree::{Hasher, Messages, Tree};
use crate::{Error, Seal, Secret};
use hashloom_digest::{Algorithm, Digest};
use hashloom_manifest::Record;
use hashloom_manifest::format::{Hint, Lines, MAX_LIKENESS_LINE, open};
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};

/// How every redacted manifest begins.
pub const START: &[u8] = b"{\"hashloom_redacted\":";

/// Records that are held in memory.
const BATCH: usize = 256;

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    hashloom_redacted: u32,
    algorithm: Box<str>,
    root: Hex,
    records: u64,
    #[serde(default, skip_serializing_if = "is_false")]
    salted: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
enum Line {
    #[serde(rename = "hidden")]
    Hidden(Hex),
    #[serde(rename = "shown")]
    Shown(Shown),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shown {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    salt: Option<Hex>,
    #[serde(default, skip_serializing_if = "is_false")]
    guessed: bool,
}

/// How much of a redacted manifest can be seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Records.
    pub shown: u64,
    /// Hashes.
    pub hidden: u64,
}

/// Writes a manifest without the records of which `hides` says so.
///
/// # Errors
/// If the manifest is not the one that was sealed, or anything can't be read or written.
pub fn redact<'a>(
    manifest: Box<dyn Read + 'a>,
    (seal, secret): (&Seal, Option<&Secret>),
    hides: &mut dyn FnMut(&Record) -> bool,
    out: &mut dyn Write,
) -> Result<Counts, Error> {
    let how = seal.how(secret)?;
    let mut writing = Writing { tree: Tree::new(how.algorithm), secret, counts: Counts::default() };
    out.write_all(&canonical::line(&Head::of(seal))?)?;
    let mut held = Vec::new();
    for record in open(manifest, Hint::None).map_err(Error::Unusable)?.reader {
        let record = record.map_err(Error::Malformed)?;
        let hidden = hides(&record);
        held.push((record, hidden));
        if held.len() == BATCH {
            writing.write(&mut held, out)?;
        }
    }
    writing.write(&mut held, out)?;
    let records = writing.tree.count();
    let (root, _) = writing.tree.finish();
    if seal.root != Hex(root) || seal.records != records {
        return Err(Error::Differs("the records are not those that were sealed".into()));
    }
    Ok(writing.counts)
}

struct Writing<'a> {
    tree: Tree,
    secret: Option<&'a Secret>,
    counts: Counts,
}

impl Writing<'_> {
    fn write(&mut self, held: &mut Vec<(Record, bool)>, out: &mut dyn Write) -> Result<(), Error> {
        let mut salts = Hasher::new(crate::secret::sha256()?);
        let first = self.tree.count();
        let salts = self.secret.map(|secret| secret.salts(&mut salts, first, held.len()));
        let mut messages = Messages::default();
        for (at, (record, _)) in held.iter().enumerate() {
            let salt = salts.as_ref().map(|salts| salt_of(&salts[at])).transpose()?;
            leaf::message(record, salt.as_ref(), &mut messages.bytes);
            messages.end();
        }
        let leaves = self.tree.add(&mut messages, &[]);
        for (at, (record, hidden)) in held.drain(..).enumerate() {
            if hidden {
                self.counts.hidden += 1;
                out.write_all(&canonical::line(&Line::Hidden(Hex(leaves[at])))?)?;
            } else {
                self.counts.shown += 1;
                let salt = salts.as_ref().map(|salts| Hex(salts[at]));
                let shown = Line::Shown(Shown { salt, guessed: is_guessed(&record) });
                out.write_all(&canonical::line(&shown)?)?;
                out.write_all(&canonical::record_line(&record)?)?;
            }
        }
        Ok(())
    }
}

/// A redacted manifest whose hashes were checked against its own head.
#[derive(Debug)]
pub struct Verified {
    head: Head,
    /// The algorithm of the tree.
    pub algorithm: &'static Algorithm,
    /// What can be seen.
    pub counts: Counts,
}

/// Verifies that all lines lead to the root in the head; gives the records that are shown to `each`.
///
/// # Errors
/// If it is no redacted manifest, or they do not.
pub fn verify<'a>(input: Box<dyn Read + 'a>, each: &mut dyn FnMut(Record)) -> Result<Verified, Error> {
    let mut lines = Lines::bounded(input, MAX_LIKENESS_LINE);
    let head: Head = match lines.next() {
        Some(line) => canonical::parse(line.map_err(Error::Malformed)?.1, 1)?,
        None => return Err(Error::Foreign(1, "is empty".into())),
    };
    check_version(head.hashloom_redacted)?;
    let algorithm = algorithm(&head.algorithm)?;
    let hasher = Hasher::new(algorithm);
    let (mut tree, mut counts) = (Tree::new(algorithm), Counts::default());
    while let Some(line) = lines.next() {
        let (number, line) = line.map_err(Error::Malformed)?;
        let shown = match canonical::parse(line, number)? {
            Line::Hidden(Hex(hash)) if !hasher.gives(&hash) => {
                return Err(Error::Foreign(number, "a hash of another length".into()));
            }
            Line::Hidden(Hex(hash)) => {
                counts.hidden += 1;
                tree.add_hashes(&[hash], &[]);
                continue;
            }
            Line::Shown(shown) => shown,
        };
        let salt = shown.salt.map(|Hex(salt)| salt_of(&salt)).transpose()?;
        if salt.is_some() != head.salted {
            return Err(Error::Foreign(number, "a salt is missing or too much".into()));
        }
        let (number, line) = match lines.next() {
            Some(line) => line.map_err(Error::Malformed)?,
            None => return Err(Error::Foreign(number, "a record must follow".into())),
        };
        let record = canonical::parse_record(line, shown.guessed, number)?;
        if is_guessed(&record) != shown.guessed {
            return Err(Error::Foreign(number, "nothing was guessed".into()));
        }
        let mut message = Vec::new();
        leaf::message(&record, salt.as_ref(), &mut message);
        tree.add_hashes(&[hasher.one(&message)], &[]);
        counts.shown += 1;
        each(record);
    }
    let records = tree.count();
    let (root, _) = tree.finish();
    if head.root != Hex(root) || head.records != records {
        return Err(Error::Differs("the records do not lead to the root".into()));
    }
    Ok(Verified { head, algorithm, counts })
}

impl Verified {
    /// The root that all lines lead to.
    pub fn root(&self) -> Digest {
        self.head.root.0
    }

    /// Verifies that it is of this seal.
    ///
    /// # Errors
    /// If the seal is another.
    pub fn verify_seal(&self, seal: &Seal) -> Result<(), Error> {
        let same = self.head == Head::of(seal);
        if same { Ok(()) } else { Err(Error::Differs("the redacted manifest is of another root".into())) }
    }
}

impl Head {
    fn of(seal: &Seal) -> Head {
        Head {
            hashloom_redacted: VERSION,
            algorithm: seal.algorithm.clone(),
            root: seal.root,
            records: seal.records,
            salted: seal.salted,
        }
    }
}

fn salt_of(digest: &Digest) -> Result<[u8; SALT], Error> {
    digest.as_bytes().try_into().map_err(|_| Error::Foreign(0, "a salt has 32 bytes".into()))
}
