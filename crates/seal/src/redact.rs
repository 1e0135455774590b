//! Redacted manifests: some records in full, and only the leaf hashes of the others. The root is still that of the
//! seal, so that no shown record was changed, added or moved, and the number of hidden ones is known.
//!
//! A redacted manifest consists of lines of JSON: a head with the seal; then for each record `{"hidden":"HASH"}`, or
//! `{"shown":{…}}` with its salt if there is one, followed by the record as a line of `jsonl`.

use crate::error::{EMPTY, Error, GUESSED, SALT_LENGTH, differs, invalid};
use crate::leaf::{self, SALT};
use crate::limits::VERSION;
use crate::seal::build::{ManifestDigests, case_digest};
use crate::seal::canonical;
use crate::seal::canonical::{Hex, RECORD_MISSING, is_false, is_guessed};
use crate::seal::{check_head, fits};
use crate::secret::Salter;
use crate::tree::{Hasher, MerkleTree, Messages, TreeHead};
use crate::{Seal, Secret};
use hashmill_digest::{Digest, MessageHasher};
use hashmill_manifest::Record;
use hashmill_manifest::format::{Hint, Lines, MAX_LIKENESS_LINE, open};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::io::{self, Read, Write};

/// The start of every redacted manifest.
pub const START: &[u8] = b"{\"hashmill_redacted\":";

/// The number of records held in memory.
const BATCH: usize = 256;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    hashmill_redacted: u32,
    seal: Box<str>,
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

/// The numbers of shown and hidden records in a redacted manifest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of shown records.
    pub shown: u64,
    /// The number of hidden records.
    pub hidden: u64,
}

/// Writes a manifest without the records that `hides` selects. It is read once, so that the output comes from the same
/// bytes that were compared with the seal.
///
/// # Errors
/// If the manifest is not the sealed one, or reading or writing fails. Then the output is invalid.
pub fn redact<'a>(
    manifest: Box<dyn Read + 'a>,
    seal: &Seal,
    secret: Option<&Secret>,
    hides: &mut dyn FnMut(&Record) -> bool,
    out: &mut dyn Write,
) -> Result<Counts, Error> {
    let options = seal.options(secret)?;
    let salter = options.salts.as_ref().map(Salter::new).transpose()?;
    let mut writing =
        Redactor { tree: MerkleTree::new(options.algorithm), salter, counts: Counts::default() };
    let file = RefCell::new(MessageHasher::sha256());
    let head = Head { hashmill_redacted: VERSION, seal: seal.text().into() };
    out.write_all(&canonical::line(&head)?)?;
    let mut opened =
        open(Box::new(DigestReader { input: manifest, file: &file }), Hint::None).map_err(Error::Unusable)?;
    let mut held = Vec::new();
    for record in &mut opened.reader {
        let record = record.map_err(Error::Malformed)?;
        let hidden = hides(&record);
        held.push((record, hidden));
        if held.len() == BATCH {
            writing.write(&mut held, out)?;
        }
    }
    writing.write(&mut held, out)?;
    let (format, case) = (opened.format.name, case_digest(opened.reader.case())?);
    drop(opened);
    let whole = ManifestDigests { format, case, file: file.into_inner().finish() };
    let tree = TreeHead { count: writing.tree.count(), root: writing.tree.finish().root };
    seal.check(&whole.seal(&options, tree, writing.salter.as_mut()))?;
    Ok(writing.counts)
}

/// Computes the digest of all bytes that are read.
struct DigestReader<'a, 'b> {
    input: Box<dyn Read + 'a>,
    file: &'b RefCell<MessageHasher>,
}

impl Read for DigestReader<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.file.borrow_mut().update(&buffer[..read]);
        Ok(read)
    }
}

struct Redactor {
    tree: MerkleTree,
    salter: Option<Salter>,
    counts: Counts,
}

impl Redactor {
    fn write(&mut self, held: &mut Vec<(Record, bool)>, out: &mut dyn Write) -> Result<(), Error> {
        let first = self.tree.count();
        let salts = self.salter.as_mut().map(|salter| salter.salts(first, held.len()));
        let mut messages = Messages::default();
        for (at, (record, _)) in held.iter().enumerate() {
            let salt = salts.as_ref().map(|salts| salt_of(&salts[at]).expect("a salt is a SHA-256"));
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

/// A redacted manifest that leads to the root of its own seal. It is not decided whether the seal can be trusted: see
/// [`Seal::check_same`], [`Seal::check_digest`].
#[derive(Debug)]
pub struct Verified {
    /// The seal in the head.
    pub seal: Seal,
    /// The numbers of shown and hidden records.
    pub counts: Counts,
}

/// Verifies that all lines lead to the root of the seal in the head; passes the shown records to `each`.
///
/// # Errors
/// If it is no redacted manifest, or does not lead to the root.
pub fn verify<'a>(input: Box<dyn Read + 'a>, each: &mut dyn FnMut(Record)) -> Result<Verified, Error> {
    let mut lines = Lines::bounded(input, MAX_LIKENESS_LINE);
    let seal = match lines.next() {
        Some(line) => head(line.map_err(Error::Malformed)?.1)?,
        None => return Err(invalid(1, EMPTY)),
    };
    let hasher = Hasher::new(seal.algorithm);
    let (mut tree, mut counts) = (MerkleTree::new(seal.algorithm), Counts::default());
    while let Some(line) = lines.next() {
        let (number, line) = line.map_err(Error::Malformed)?;
        let shown = match canonical::parse(line, number)? {
            Line::Hidden(Hex(hash)) => {
                fits(&hasher, &hash, number)?;
                counts.hidden += 1;
                tree.add_hashes(&[hash], &[]);
                continue;
            }
            Line::Shown(shown) => shown,
        };
        let no_salt = || invalid(number, SALT_LENGTH);
        let salt = shown.salt.map(|Hex(salt)| salt_of(&salt).ok_or_else(no_salt)).transpose()?;
        match (&salt, seal.is_salted()) {
            (None, true) => return Err(invalid(number, "the record has no salt")),
            (Some(_), false) => {
                return Err(invalid(number, "the record has a salt, but its seal has none"));
            }
            _ => {}
        }
        let (number, line) = match lines.next() {
            Some(line) => line.map_err(Error::Malformed)?,
            None => return Err(invalid(number, RECORD_MISSING)),
        };
        let record = canonical::parse_record(line, shown.guessed, number)?;
        if is_guessed(&record) != shown.guessed {
            return Err(invalid(number, GUESSED));
        }
        let mut message = Vec::new();
        leaf::message(&record, salt.as_ref(), &mut message);
        tree.add_hashes(&[hasher.one(&message)], &[]);
        counts.shown += 1;
        each(record);
    }
    let records = tree.count();
    if seal.records != records {
        let sealed = seal.records;
        return Err(differs(format!("{records} records and hashes, but {sealed} were sealed")));
    }
    if seal.root != tree.finish().root {
        return Err(differs("the records do not lead to the root"));
    }
    Ok(Verified { seal, counts })
}

fn head(line: &[u8]) -> Result<Seal, Error> {
    check_head(line)?;
    let head: Head = canonical::parse(line, 1)?;
    canonical::seal(&head.seal)
}

fn salt_of(digest: &Digest) -> Option<[u8; SALT]> {
    digest.as_bytes().try_into().ok()
}
