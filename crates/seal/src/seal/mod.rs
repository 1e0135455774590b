//! The seal: a few lines of text that commit to a manifest, in the checkpoint format of transparency logs
//! (<https://c2sp.org/tlog-checkpoint>).
//!
//! ```text
//! example.org/lab                                                   origin
//! 120                                                               number of records, the tree's leaves
//! CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=                      the tree's root
//! hashmill-seal 2                                                   version
//! tree sha256                                                       algorithm of the tree
//! format jsonl                                                      format of the manifest
//! manifest 5eac3f2a9d9b1fa38b05b44f5f3bb3effd6f492a4f9cee2c180…     its bytes
//! case 0b2f…                                                        its case data, if it has some
//! nonce 0 9f86…                                                     of salts, if leaves have some
//! ```
//!
//! This text is signed, stored and compared, either in full or by its SHA-256. The root alone determines neither the
//! number of records nor anything besides records.

pub(crate) mod build;
pub(crate) mod canonical;

use crate::error::{Error, TRUNCATED, Text, differs, invalid};
use crate::leaf::SALT;
use crate::limits::{MAX_ORIGIN, VERSION};
use crate::secret::{Nonce, Salts, sha256};
use crate::tree::{EarlierTree, Hasher, TreeHead};
use crate::{SealOptions, Secret};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use canonical::NOT_CANONICAL;
use hashmill_digest::{Algorithm, Class, Digest, find};
use serde::Deserialize;
use std::fmt::Write;
use std::io::Read;

/// The maximum length of a seal file: it has a few hundred bytes, and a hundred more for each seal that it continues.
const MAX_SEAL: u64 = 64 << 10;
/// The maximum number of nonces of a seal.
const MAX_NONCES: usize = 512;
/// The start of seals of version 1.
const FIRST: &[u8] = b"{\"hashmill_seal\":";
/// The start of the fourth line.
const MARK: &str = "hashmill-seal ";

/// The default origin of seals.
pub const ORIGIN: &str = "hashmill";

/// The seal of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seal {
    /// The sealer's name, chosen by the sealer.
    pub origin: Box<str>,
    /// The number of records.
    pub records: u64,
    /// The root of the tree.
    pub root: Digest,
    /// The algorithm of the tree.
    pub algorithm: &'static Algorithm,
    /// The format of the manifest.
    pub format: Box<str>,
    /// The SHA-256 of the manifest's bytes, including those outside records; hidden by a salt if leaves have salts.
    pub manifest: Digest,
    /// The same for the case data, if there are any.
    pub case: Option<Digest>,
    /// The nonces of the salts. Empty if leaves have no salts.
    pub nonces: Vec<Nonce>,
}

impl Seal {
    /// Returns the head of the tree.
    pub(crate) fn head(&self) -> TreeHead {
        TreeHead { count: self.records, root: self.root }
    }

    /// Reads a seal file.
    ///
    /// # Errors
    /// If it is another kind of file, or not in hashmill's canonical form.
    pub fn read(input: &mut dyn Read) -> Result<Seal, Error> {
        let mut text = Vec::new();
        input.take(MAX_SEAL).read_to_end(&mut text)?;
        Seal::from_text(&text)
    }

    /// Returns whether a file with this start is a seal of any version. 512 bytes suffice.
    pub fn is_start(bytes: &[u8]) -> bool {
        let fourth = bytes.split(|byte| *byte == b'\n').nth(3);
        bytes.starts_with(FIRST) || fourth.is_some_and(|line| line.starts_with(MARK.as_bytes()))
    }

    /// Parses a seal.
    ///
    /// # Errors
    /// As [`Seal::read`].
    pub fn from_text(text: &[u8]) -> Result<Seal, Error> {
        if text.starts_with(FIRST) {
            return Err(other_version(1));
        }
        let parsed = str::from_utf8(text).map_err(|_| invalid(1, "not a seal"))?;
        let seal = Lines { lines: parsed.split('\n'), number: 0 }.seal()?;
        if seal.to_text() == text { Ok(seal) } else { Err(invalid(1, NOT_CANONICAL)) }
    }

    /// Returns the text for [`Seal::read`].
    pub fn to_text(&self) -> Vec<u8> {
        self.text().into_bytes()
    }

    /// Returns the same text, for quoting it in other files.
    pub(crate) fn text(&self) -> String {
        let root = STANDARD.encode(self.root.as_bytes());
        let Seal { origin, records, algorithm, format, manifest, .. } = self;
        let mut text = format!(
            "{origin}\n{records}\n{root}\n{MARK}{VERSION}\ntree {}\nformat {format}\nmanifest {manifest}\n",
            algorithm.name
        );
        // Writing to a string can't fail.
        let _ = self.case.iter().try_for_each(|case| writeln!(text, "case {case}"));
        let _ = self
            .nonces
            .iter()
            .try_for_each(|nonce| writeln!(text, "nonce {} {}", nonce.from, Digest::new(&nonce.bytes)));
        text
    }

    /// Returns the SHA-256 of the text, which can be kept in place of the seal.
    pub fn digest(&self) -> Digest {
        hashmill_digest::hash(sha256(), self.text().as_bytes())
    }

    /// Returns whether leaves have salts.
    pub fn is_salted(&self) -> bool {
        !self.nonces.is_empty()
    }

    /// Returns the options that seal a manifest in the same way.
    ///
    /// # Errors
    /// If a required secret is missing, or an unneeded one was given.
    pub fn options<'a>(&self, secret: Option<&'a Secret>) -> Result<SealOptions<'a>, Error> {
        let salts = match (self.is_salted(), secret) {
            (true, None) => return Err(Error::SecretMissing),
            (false, Some(_)) => return Err(Error::SecretUnused),
            (true, Some(secret)) => Some(Salts { secret, nonces: self.nonces.clone() }),
            (false, None) => None,
        };
        Ok(SealOptions { algorithm: self.algorithm, origin: self.origin.clone(), salts, earlier: None })
    }

    /// Returns the options for a manifest that continues this seal's manifest.
    ///
    /// # Errors
    /// As [`Seal::options`], and if the system provides no random numbers.
    pub fn successor<'a>(&self, secret: Option<&'a Secret>) -> Result<SealOptions<'a>, Error> {
        let mut options = self.options(secret)?;
        if let Some(salts) = &mut options.salts {
            if salts.nonces.len() == MAX_NONCES {
                return Err(Error::NoncesFull);
            }
            // Another manifest may continue the same one, and their new records must not share salts.
            salts.nonces.push(Nonce::random(self.records)?);
        }
        Ok(SealOptions { earlier: Some(self.records), ..options })
    }

    /// Verifies that a tree begins with the tree of this seal.
    ///
    /// # Errors
    /// If it is shorter, or begins differently.
    pub fn check_beginning(&self, earlier: Option<&EarlierTree>) -> Result<(), Error> {
        let count = self.records;
        match earlier {
            None => Err(differs(format!("it has fewer than the {count} records of the older seal"))),
            Some(earlier) if earlier.root != self.root || earlier.count != count => {
                Err(differs(format!("its first {count} records are not those of the older seal")))
            }
            Some(_) => Ok(()),
        }
    }

    /// Compares the seal with the current seal of the manifest.
    ///
    /// # Errors
    /// Returns the first difference.
    pub fn check(&self, found: &Seal) -> Result<(), Error> {
        if self.root != found.root || self.records != found.records {
            let counts = counts(found.records, self.records);
            return Err(differs(format!("the records are not those that were sealed{counts}")));
        }
        if self.case != found.case {
            let change = match (&self.case, &found.case) {
                (Some(_), None) => "were removed",
                (None, Some(_)) => "were added",
                _ => "are not",
            };
            let how = format!("the records are those that were sealed, but the case data {change}");
            return Err(differs(how));
        }
        if self.manifest != found.manifest || self.format != found.format {
            return Err(differs(
                "the records are those that were sealed, but other bytes of the file are not (its header, \
                 comments, or how records are written)",
            ));
        }
        if self == found { Ok(()) } else { Err(differs("the seal does not fit its own root")) }
    }

    /// Compares the seal with a trusted one.
    ///
    /// # Errors
    /// If they differ.
    pub fn check_same(&self, trusted: &Seal) -> Result<(), Error> {
        if self == trusted {
            return Ok(());
        }
        let counts = counts(self.records, trusted.records);
        Err(differs(format!("the seal is not the expected one{counts}")))
    }

    /// Compares the seal with the digest of a trusted one.
    ///
    /// # Errors
    /// If they differ.
    pub fn check_digest(&self, trusted: &Digest) -> Result<(), Error> {
        if self.digest() == *trusted {
            return Ok(());
        }
        if self.root == *trusted {
            return Err(differs(
                "the root of the tree alone does not say how many records there are: give the SHA-256 of the seal",
            ));
        }
        Err(differs("the seal is not the one with this root"))
    }
}

/// Reads the lines of a seal.
struct Lines<'a> {
    lines: std::str::Split<'a, char>,
    number: u64,
}

impl<'a> Lines<'a> {
    fn seal(mut self) -> Result<Seal, Error> {
        let origin = self.next("the origin is missing")?;
        check_origin(origin).map_err(|why| invalid(1, why))?;
        let records = number(self.next("the number of records is missing")?, 2)?;
        let root = self.next("the root is missing")?;
        let root = STANDARD.decode(root).map_err(|_| invalid(3, "the root is not base64"))?;
        let Some(version) = self.lines.next().and_then(|line| line.strip_prefix(MARK)) else {
            let other = "no hashmill-seal line: this is a checkpoint of another program";
            return Err(invalid(4, other));
        };
        self.number += 1;
        check_version(u32::try_from(number(version, 4)?).unwrap_or(u32::MAX))?;
        let algorithm = algorithm(self.value("tree ")?).map_err(|why| invalid(5, why))?;
        if root.len() * 8 != algorithm.bits as usize {
            return Err(invalid(3, "the root does not have the length of the algorithm's digests"));
        }
        let format = self.value("format ")?.into();
        let manifest = hash(self.value("manifest ")?, 7)?;
        let (mut case, mut nonces, mut ended) = (None, Vec::new(), false);
        for line in self.lines.by_ref() {
            self.number += 1;
            let place = self.number;
            match line.split_once(' ') {
                _ if ended => return Err(invalid(place, "a seal ends before this line")),
                None if line.is_empty() => ended = true,
                Some(("case", value)) => case = Some(hash(value, place)?),
                Some(("nonce", _)) if nonces.len() == MAX_NONCES => {
                    return Err(invalid(place, "too many nonces"));
                }
                Some(("nonce", value)) => nonces.push(nonce(value, place, records, nonces.last())?),
                _ => return Err(invalid(place, "a seal has no such line")),
            }
        }
        let seal = Seal {
            origin: origin.into(),
            records,
            root: Digest::new(&root),
            algorithm,
            format,
            manifest,
            case,
            nonces,
        };
        if ended { Ok(seal) } else { Err(invalid(self.number, TRUNCATED)) }
    }

    /// Returns the next line, which must not be empty.
    fn next(&mut self, missing: impl Into<Text>) -> Result<&'a str, Error> {
        self.number += 1;
        self.lines.next().filter(|line| !line.is_empty()).ok_or_else(|| invalid(self.number, missing))
    }

    /// Returns the rest of the next line, which must begin with `key`.
    fn value(&mut self, key: &'static str) -> Result<&'a str, Error> {
        let expected = format!("expected a line \"{key}…\"");
        let line = self.next(expected.clone())?;
        let plain = |text: &&str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        line.strip_prefix(key).filter(plain).ok_or_else(|| invalid(self.number, expected))
    }
}

fn nonce(value: &str, place: u64, records: u64, before: Option<&Nonce>) -> Result<Nonce, Error> {
    let wrong = || invalid(place, "not a nonce: expected a leaf's number and 64 hexadecimal digits");
    let (from, bytes) = value.split_once(' ').ok_or_else(wrong)?;
    let (from, bytes) = (number(from, place)?, hash(bytes, place)?);
    let follows = before.map_or(from == 0, |before| before.from <= from) && from <= records;
    let bytes: [u8; SALT] = bytes.as_bytes().try_into().map_err(|_| wrong())?;
    if follows { Ok(Nonce { from, bytes }) } else { Err(invalid(place, "nonces are not in order")) }
}

fn number(text: &str, place: u64) -> Result<u64, Error> {
    text.parse().map_err(|_| invalid(place, "not a number"))
}

/// Parses a SHA-256.
fn hash(text: &str, place: u64) -> Result<Digest, Error> {
    let digest = Digest::from_hex(text.as_bytes()).ok().filter(|digest| digest.bits() == 256);
    digest.ok_or_else(|| invalid(place, "not a SHA-256 of 64 hexadecimal digits"))
}

/// Checks that a seal may have this origin.
///
/// # Errors
/// If it is empty, too long, or has characters other than visible ASCII, or a `+`.
pub fn check_origin(origin: &str) -> Result<(), Text> {
    let plain = |byte: u8| byte.is_ascii_graphic() && byte != b'+';
    let fits = (1..=MAX_ORIGIN).contains(&origin.len()) && origin.bytes().all(plain);
    let marks = "ASCII letters, digits and marks, without spaces and +";
    if fits { Ok(()) } else { Err(format!("an origin has 1 to {MAX_ORIGIN} {marks}").into()) }
}

/// Returns the algorithm with this name, if it is suitable for seals.
pub(crate) fn algorithm(name: &str) -> Result<&'static Algorithm, Text> {
    let row = find(name).map_err(|unknown| unknown.to_string())?;
    let fit = row.class == Class::Cryptographic && row.bits >= 256 && row.name == name;
    if fit { Ok(row) } else { Err(format!("{} is not fit for seals", row.name).into()) }
}

/// Recognises a file of another version by its first line.
pub(crate) fn check_head(line: &[u8]) -> Result<(), Error> {
    #[derive(Deserialize)]
    struct Head {
        #[serde(alias = "hashmill_proof", alias = "hashmill_redacted")]
        hashmill_consistency: u32,
    }
    match serde_json::from_slice::<Head>(line) {
        Ok(head) => check_version(head.hashmill_consistency),
        // The caller reports the error.
        Err(_) => Ok(()),
    }
}

fn check_version(version: u32) -> Result<(), Error> {
    if version == VERSION { Ok(()) } else { Err(other_version(version)) }
}

fn other_version(found: u32) -> Error {
    let why = format!(
        "version {found} is not supported: this hashmill reads version {VERSION}; make the file again"
    );
    invalid(1, why)
}

/// Returns the two numbers of records, if they differ.
fn counts(found: u64, wanted: u64) -> String {
    if found == wanted { String::new() } else { format!(" ({found} records, not {wanted})") }
}

/// Checks that a hash has the length of the tree's algorithm.
pub(crate) fn fits(hasher: &Hasher, hash: &Digest, line: u64) -> Result<(), Error> {
    if hasher.has_length(hash) { Ok(()) } else { Err(invalid(line, "the hash has the wrong length")) }
}
