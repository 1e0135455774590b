//! A record under construction, for formats with keys or column names.

use super::base64;
use super::foreign::Foreign;
use super::naming::{named, number};
use super::partial_facts::PartialFacts;
use super::partial_likenesses::PartialLikenesses;
use super::several::Several;
use super::{leaves, ranges, style};
use crate::format::malformed::{Bad, Why};
use crate::stored::Strength;
use crate::{Allocation, FileAttributes, KeptLeaves, Label, Metadata, Named, Piece, Record, Status, Time};
use hashmill_digest::{Algorithm, Digest, Text, of_name};
use hashmill_similar::{SIMILAR, Similar};
use std::sync::Arc;

/// The meaning of a key or a column's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::format) enum Key {
    Path,
    PathB64,
    Size,
    Status,
    Strength,
    Offset,
    Length,
    Mtime,
    Ctime,
    Inode,
    Device,
    /// When the file was read.
    Read,
    Reused,
    Accessed,
    Created,
    Container,
    Allocation,
    Attributes,
    BadBlocks,
    Category,
    Set,
    Reason,
    Version,
    Digest(&'static Algorithm),
    /// A digest in Azure's notation: base64, least significant byte first.
    Azure(&'static Algorithm),
    /// The digests of its leaves.
    Leaves(&'static Algorithm),
    Likeness(&'static Similar),
    /// The status of a likeness digest.
    LikenessStatus(&'static Similar),
    /// The MIME type of the content.
    Type,
    /// The name of that type, and its usual extensions.
    TypeName,
    TypeExtensions,
    /// Whether the name has the extension of another type.
    Mismatch,
    Entropy,
    ChiSquare,
    /// The class on which type and entropy agree.
    Class,
    /// The names of the rules that match.
    Yara,
    /// Whether rules were judged on all of the content.
    YaraStatus,
    /// All about the rules that match.
    YaraMatches,
    /// The identifiers of formats of PRONOM; all about these formats; and the versions of the signature files.
    Puid,
    PuidFormats,
    PuidSignatures,
    /// A digest that can't be computed here.
    Foreign(Foreign),
    /// The name of a file; then the path may be its folder alone.
    Name,
    /// A digest of an unnamed algorithm, or of that in [`Key::Algorithm`].
    Hash,
    /// The name of the algorithm of [`Key::Hash`].
    Algorithm,
    /// Anything that a record does not hold.
    Other,
}

impl Key {
    /// Returns the key of this exact name.
    pub fn from_name(name: &[u8]) -> Self {
        if let Some((key, _)) = NAMES.iter().find(|(_, known)| known.as_bytes() == name) {
            return *key;
        }
        let row = str::from_utf8(name).ok().and_then(of_name);
        row.map(Key::Digest)
            .or_else(|| of_digest(name))
            .or_else(|| likeness(name))
            .or_else(|| foreign(name))
            .unwrap_or(Key::Other)
    }

    /// Returns whether it is a part of [`Metadata`]. Lists of other programs use these names for other things.
    pub fn is_metadata(self) -> bool {
        let of_run = matches!(self, Key::Ctime | Key::Inode | Key::Device | Key::Read | Key::Reused);
        of_run
            || matches!(
                self,
                Key::Accessed | Key::Created | Key::Container | Key::Allocation | Key::Attributes
            )
    }

    /// Returns whether it is a fact about content. Lists of other programs use these names for other things.
    pub fn is_fact(self) -> bool {
        self.is_real()
            || matches!(self, Key::Type | Key::TypeName | Key::TypeExtensions | Key::Mismatch | Key::Class)
            || matches!(self, Key::Yara | Key::YaraStatus | Key::YaraMatches)
            || matches!(self, Key::Puid | Key::PuidFormats | Key::PuidSignatures)
    }

    /// Returns whether its values are fractions.
    pub fn is_real(self) -> bool {
        matches!(self, Key::Entropy | Key::ChiSquare)
    }

    /// Returns the algorithm of a digest key.
    pub fn digest(self) -> Option<&'static Algorithm> {
        if let Key::Digest(algorithm) | Key::Azure(algorithm) = self { Some(algorithm) } else { None }
    }

    /// Returns the name, for messages.
    pub fn name(self) -> &'static str {
        match self {
            Key::Digest(algorithm) | Key::Azure(algorithm) | Key::Leaves(algorithm) => algorithm.name,
            Key::Likeness(row) | Key::LikenessStatus(row) => row.name,
            Key::Name => "name",
            Key::Hash => "hash",
            Key::Algorithm => "algorithm",
            _ => NAMES.iter().find(|(key, _)| *key == self).map_or("field", |(_, name)| name),
        }
    }
}

/// The names of keys that are not digests.
const NAMES: [(Key, &str); 36] = [
    (Key::Path, "path"),
    (Key::PathB64, "path_b64"),
    (Key::Size, "size"),
    (Key::Status, "status"),
    (Key::Strength, "strength"),
    (Key::Offset, "offset"),
    (Key::Length, "length"),
    (Key::Mtime, "mtime"),
    (Key::Ctime, "ctime"),
    (Key::Inode, "inode"),
    (Key::Device, "device"),
    (Key::Read, "read"),
    (Key::Reused, "reused"),
    (Key::Accessed, "atime"),
    (Key::Created, "crtime"),
    (Key::Container, "container"),
    (Key::Allocation, "allocation"),
    (Key::Attributes, "attributes"),
    (Key::BadBlocks, "bad_blocks"),
    (Key::Category, "category"),
    (Key::Set, "set"),
    (Key::Reason, "reason"),
    (Key::Version, "version"),
    (Key::Type, "type"),
    (Key::TypeName, "type_name"),
    (Key::TypeExtensions, "type_extensions"),
    (Key::Mismatch, "mismatch"),
    (Key::Entropy, "entropy"),
    (Key::ChiSquare, "chi2"),
    (Key::Class, "class"),
    (Key::Yara, "yara"),
    (Key::YaraStatus, "yara_status"),
    (Key::YaraMatches, "yara_matches"),
    (Key::Puid, "puid"),
    (Key::PuidFormats, "puid_formats"),
    (Key::PuidSignatures, "puid_signatures"),
];

/// The algorithms of a table's columns; those for likeness with their index among all digests.
pub(in crate::format) type ColumnAlgorithms = (Vec<&'static Algorithm>, Vec<(usize, &'static Similar)>);

/// Returns the algorithms of columns with these keys.
pub(in crate::format) fn algorithms(keys: &[Key]) -> ColumnAlgorithms {
    let digests = keys.iter().filter(|key| key.digest().is_some() || matches!(key, Key::Likeness(_)));
    let likeness = digests.enumerate().filter_map(|(place, key)| match key {
        Key::Likeness(row) => Some((place, *row)),
        _ => None,
    });
    (keys.iter().filter_map(|key| key.digest()).collect(), likeness.collect())
}

/// Returns the key of a digest's leaves, or of a digest in Azure's notation.
fn of_digest(name: &[u8]) -> Option<Key> {
    let name = str::from_utf8(name).ok()?;
    let azure = || style::of_key(name).map(Key::Azure);
    leaves::of_key(name).map(Key::Leaves).or_else(azure)
}

/// Returns the key of a likeness digest or of its status.
fn likeness(name: &[u8]) -> Option<Key> {
    let row = |name: &[u8]| SIMILAR.iter().find(|row| row.name.as_bytes() == name);
    let status = || name.strip_suffix(b"_status").and_then(row).map(Key::LikenessStatus);
    row(name).map(Key::Likeness).or_else(status)
}

/// Returns the key of an unsupported algorithm.
fn foreign(name: &[u8]) -> Option<Key> {
    str::from_utf8(name).ok().and_then(Foreign::of_name).map(Key::Foreign)
}

/// A record whose fields arrive one by one.
#[derive(Default)]
pub(in crate::format) struct Draft {
    path: Option<Box<[u8]>>,
    path_b64: Option<Box<[u8]>>,
    size: Option<u64>,
    status: Option<Status>,
    /// The text as written: lists of other programs use the word for other things.
    strength: Option<Box<[u8]>>,
    offset: Option<u64>,
    length: Option<u64>,
    mtime: Option<Time>,
    metadata: Metadata,
    digests: Vec<Named>,
    /// A digest that can't be computed here.
    foreign: Option<Foreign>,
    leaves: Vec<KeptLeaves>,
    kin: PartialLikenesses,
    facts: PartialFacts,
    bad_blocks: Option<Box<[Piece]>>,
    category: Option<Box<str>>,
    set: Option<Box<str>>,
    reason: Option<Box<str>>,
    version: Option<Box<str>>,
}

impl Draft {
    pub fn text(&mut self, key: Key, text: &[u8]) -> Result<(), Bad> {
        let bad = |why| Bad::new(key.name(), why);
        match key {
            Key::Path => once(&mut self.path, text.into(), key),
            Key::PathB64 => once(&mut self.path_b64, text.into(), key),
            Key::Status => once(&mut self.status, Status::from_word(text).ok_or(bad(Why::Status))?, key),
            Key::Strength => once(&mut self.strength, text.into(), key),
            Key::Mtime => {
                let time = time(text).ok_or(bad(Why::Time))?;
                self.time(key, time)
            }
            Key::Ctime | Key::Read | Key::Accessed | Key::Created => match time(text) {
                Some(time) => self.time(key, time),
                None => Ok(()),
            },
            Key::Inode | Key::Device => match number(text) {
                Some(value) => self.number(key, value),
                None => Ok(()),
            },
            Key::Reused => {
                self.metadata.reused |= text == b"true";
                Ok(())
            }
            Key::Container => match str::from_utf8(text) {
                Ok(word) if !word.is_empty() => once(&mut self.metadata.container, word.into(), key),
                _ => Ok(()),
            },
            Key::Allocation => Allocation::from_word(text)
                .map_or(Ok(()), |word| once(&mut self.metadata.allocation, word, key)),
            Key::Attributes => {
                self.metadata.attributes = FileAttributes::from_words(text).unwrap_or_default();
                Ok(())
            }
            Key::Digest(algorithm) => self.digest(algorithm, named(algorithm, text)),
            Key::Azure(algorithm) => self.digest(algorithm, style::azure(algorithm, text)),
            Key::Leaves(algorithm) => self.leaves(algorithm, text),
            Key::Likeness(row) => self.kin.digest(row, text),
            Key::LikenessStatus(row) => self.kin.status(row, text),
            key if key.is_fact() => self.facts.text(key, text),
            Key::BadBlocks => once(&mut self.bad_blocks, ranges::read(text)?, key),
            Key::Category => once(&mut self.category, String::from_utf8_lossy(text).into(), key),
            Key::Set => once(&mut self.set, String::from_utf8_lossy(text).into(), key),
            Key::Foreign(algorithm) => {
                self.foreign = self.foreign.or(algorithm.fits(text).then_some(algorithm));
                Ok(())
            }
            Key::Reason => once(&mut self.reason, String::from_utf8_lossy(text).into(), key),
            Key::Version => once(&mut self.version, String::from_utf8_lossy(text).into(), key),
            _ => Ok(()),
        }
    }

    /// Takes a digest as bytes, or as text that nothing calls text.
    pub fn bytes(&mut self, key: Key, bytes: &[u8]) -> Result<(), Bad> {
        match key {
            // Others have more than their bits, or another order.
            Key::Digest(algorithm)
                if algorithm.text == Text::Hex && 8 * bytes.len() == algorithm.bits as usize =>
            {
                self.digest(algorithm, Ok(Named { algorithm, digest: Digest::new(bytes), guessed: false }))
            }
            _ => self.text(key, bytes),
        }
    }

    /// Takes a digest of an algorithm that no key names. Several may have one length.
    pub fn untagged(&mut self, digest: Result<Named, Bad>) -> Result<(), Bad> {
        match digest {
            Ok(named) if named.guessed => self.digests.push(named),
            Ok(named) => return self.digest(named.algorithm, Ok(named)),
            Err(Bad { why: Why::Unsupported { algorithm, .. }, .. }) => self.foreign = Some(algorithm),
            Err(bad) => return Err(bad),
        }
        Ok(())
    }

    /// Takes the digests of a file that are written together.
    pub fn several(&mut self, several: Several) -> Result<(), Bad> {
        let (digests, other) = several.into_parts();
        let other = other.filter(|_| digests.is_empty());
        digests.into_iter().try_for_each(|named| self.digest(named.algorithm, Ok(named)))?;
        other.map_or(Ok(()), |bad| self.untagged(Err(bad)))
    }

    pub fn number(&mut self, key: Key, value: u64) -> Result<(), Bad> {
        match key {
            Key::Size => once(&mut self.size, value, key),
            Key::Offset => once(&mut self.offset, value, key),
            Key::Length => once(&mut self.length, value, key),
            Key::Inode => once(&mut self.metadata.inode, value, key),
            Key::Device => once(&mut self.metadata.device, value, key),
            _ => Ok(()),
        }
    }

    pub fn real(&mut self, key: Key, value: f64) -> Result<(), Bad> {
        self.facts.real(key, value)
    }

    /// Takes the usual extensions of the content's type.
    pub fn extensions<'a>(&mut self, all: impl Iterator<Item = &'a str>) -> Result<(), Bad> {
        self.facts.extensions(all)
    }

    /// Takes the rules that match.
    pub fn rule_matches(&mut self, array: &serde_json::Value) -> Result<(), Bad> {
        self.facts.rule_matches(array)
    }

    pub fn time(&mut self, key: Key, time: Time) -> Result<(), Bad> {
        match key {
            Key::Ctime => once(&mut self.metadata.ctime, time, key),
            Key::Read => once(&mut self.metadata.read, time, key),
            Key::Accessed => once(&mut self.metadata.accessed, time, key),
            Key::Created => once(&mut self.metadata.created, time, key),
            _ => once(&mut self.mtime, time, key),
        }
    }

    pub fn bad_blocks(&mut self, pairs: Vec<(u64, u64)>) -> Result<(), Bad> {
        once(&mut self.bad_blocks, ranges::checked(pairs)?, Key::BadBlocks)
    }

    fn leaves(&mut self, algorithm: &'static Algorithm, text: &[u8]) -> Result<(), Bad> {
        if self.leaves.iter().any(|known| known.algorithm == algorithm) {
            return Err(Bad::new(algorithm.name, Why::Twice));
        }
        self.leaves.push(leaves::read(algorithm, text)?);
        Ok(())
    }

    fn digest(&mut self, algorithm: &'static Algorithm, digest: Result<Named, Bad>) -> Result<(), Bad> {
        let twice = self.digests.iter().any(|named| named.algorithm == algorithm && !named.guessed);
        if twice {
            return Err(Bad::new(algorithm.name, Why::Twice));
        }
        match digest {
            Ok(named) => self.digests.push(named),
            Err(Bad { why: Why::Unsupported { algorithm, .. }, .. }) => self.foreign = Some(algorithm),
            Err(bad) => return Err(Bad::new(algorithm.name, bad.why)),
        }
        Ok(())
    }

    /// Returns the record, if the fields form a valid one.
    pub fn finish(self) -> Result<Record, Bad> {
        let path = self.path.filter(|path| !path.is_empty()).ok_or(Bad::new("path", Why::Missing))?;
        let path = match self.path_b64 {
            Some(text) => base64::name(&path, &text)?,
            None => path,
        };
        let status = match self.status.unwrap_or(Status::Hashed) {
            Status::Stored(_) => Status::Stored(strength(self.strength.as_deref())?),
            status => status,
        };
        let likeness = self.kin.finish()?;
        match (status, self.digests.is_empty() && likeness.is_empty()) {
            // A store may have no digest of an object.
            (Status::Stored(_), _) => {}
            (Status::Hashed, true) => {
                let missing = Bad::new("digest", Why::Missing);
                return Err(self
                    .foreign
                    .map_or(missing, |foreign| Bad::unsupported(foreign).with_file(&path)));
            }
            (Status::Hashed, false) | (_, true) => {}
            (_, false) => return Err(Bad::new("status", Why::Contradicts)),
        }
        let facts = self.facts.finish().filter(|_| status == Status::Hashed);
        let bad_blocks = self.bad_blocks.unwrap_or_default();
        if status != Status::Hashed && !bad_blocks.is_empty() {
            return Err(Bad::new("bad_blocks", Why::Contradicts));
        }
        let piece = match (self.offset, self.length) {
            (Some(offset), Some(length)) => Some(Piece { offset, length }),
            (None, None) => None,
            (None, Some(_)) => return Err(Bad::new("offset", Why::Missing)),
            (Some(_), None) => return Err(Bad::new("length", Why::Missing)),
        };
        let Draft { size, mtime, metadata, digests, category, set, reason, version, mut leaves, .. } = self;
        leaves.iter().try_for_each(|leaves| leaves::check(leaves, &digests, size))?;
        leaves.sort_by_key(|kept| digests.iter().position(|named| named.algorithm == kept.algorithm));
        let leaves = leaves.into();
        // A hashed file has no reason; lists of other programs use the word for other things.
        let reason = reason.filter(|_| !matches!(status, Status::Hashed | Status::Stored(_)));
        let label = category.map(|category| Arc::new(Label { category, set: set.unwrap_or_default() }));
        Ok(Record {
            path,
            size,
            status,
            reason,
            version,
            piece,
            mtime,
            metadata: (metadata != Metadata::default()).then(|| Box::new(metadata)),
            digests,
            likeness,
            facts,
            leaves,
            bad_blocks,
            label,
        })
    }
}

fn time(text: &[u8]) -> Option<Time> {
    str::from_utf8(text).ok().and_then(Time::from_rfc3339)
}

/// Parses the strength, which every stored record must have.
fn strength(word: Option<&[u8]>) -> Result<Strength, Bad> {
    let word = word.ok_or(Bad::new("strength", Why::Missing))?;
    Strength::from_word(word).ok_or(Bad::new("strength", Why::Strength))
}

fn once<T>(place: &mut Option<T>, value: T, key: Key) -> Result<(), Bad> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(Bad::new(key.name(), Why::Twice)),
    }
}
