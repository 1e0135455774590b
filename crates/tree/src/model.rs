//! OpenSSF model signing (OMS) 1.0: the digests of all files or shards of a model, in an in-toto statement.
//!
//! The digest of the model is SHA-256 over the raw digests of its resources, sorted by path. Paths compare part by
//! part, so `a/b` comes before `a-b`. It does not cover the names; the signed statement does.
//!
//! Source: github.com/sigstore/model-transparency, package `model_signing` 1.1; in-toto Statement v1.

use crate::{Entry, EntryKind, Error};
use hashmill_digest::{Algorithm, Digest, find, hash};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Names that are left out if they are directly in the model's folder.
pub const LEFT_OUT: &[&str] = &[".git", ".gitattributes", ".github", ".gitignore"];

/// The default shard size in bytes.
pub const SHARD: u64 = 1_000_000_000;

/// The media type of the statement in a signature's envelope.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

const STATEMENT: &str = "https://in-toto.io/Statement/v1";
const PREDICATE: &str = "https://model_signing/signature/v1.0";
/// The predicate of versions before 1.0, which wrote a subject for each file and no predicate body.
const OLD_PREDICATE: &str = "https://model_signing/Digests/v0.1";

/// The unit of hashing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Whole files.
    Files,
    /// Shards of this many bytes; an empty file has none.
    Shards(u64),
}

/// A file, or a shard of one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Resource {
    /// The parts of the path below the model, in the order of comparison.
    parts: Vec<String>,
    /// The offsets of the first byte and past the last; `None` for a whole file.
    range: Option<(u64, u64)>,
    /// The digest of the file or shard.
    pub digest: Digest,
}

/// The way in which a model is hashed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Serialization {
    /// The unit of hashing.
    pub method: Method,
    /// The algorithm of the resources' digests.
    pub algorithm: &'static Algorithm,
    /// Symbolic links to files were followed.
    pub follows_links: bool,
    /// Paths below the model that were left out with everything below them; parts are separated by `/`.
    pub left_out: Vec<String>,
}

impl Serialization {
    /// Creates one that follows no links and leaves nothing out.
    pub fn new(method: Method, algorithm: &'static Algorithm) -> Self {
        Serialization { method, algorithm, follows_links: false, left_out: Vec::new() }
    }
}

/// The resources of a model, and how they were hashed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// The name of the model's folder, for people only.
    pub name: String,
    /// How it was hashed.
    pub serialization: Serialization,
    /// The resources, sorted.
    resources: Vec<Resource>,
}

/// The algorithms of resources: their names in statements and in the registry. The package's option `blake2` is written
/// as `blake2b`.
pub const HASHES: &[(&str, &str)] =
    &[("sha256", "sha256"), ("blake2b", "blake2b-512"), ("blake2", "blake2b-512"), ("blake3", "blake3")];

/// A difference between a model and its signed statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// The resource was not signed.
    Unsigned,
    /// The signed resource does not exist.
    Missing,
    /// The digest differs.
    Changed,
}

/// The reason why a text is not a valid statement about a model.
#[derive(Debug)]
#[non_exhaustive]
pub enum BadStatement {
    /// It is not JSON of the right shape.
    Json(serde_json::Error),
    /// It is a statement or predicate of this other type.
    Type(String),
    /// It does not have exactly one subject with a SHA-256 digest.
    Subject,
    /// Its method or algorithm is unknown.
    Unknown(String),
    /// A resource has a bad name, algorithm or digest.
    Resource(String),
    /// Two resources have the same name.
    Twice(String),
    /// It leaves out the whole model.
    LeavesAllOut,
    /// Its digest is not the digest of its resources.
    Inconsistent,
}

impl Resource {
    /// Creates a resource: the file at this path, or a range of its bytes.
    ///
    /// # Errors
    /// If the path is not UTF-8, which statements require, or, with a range, has a `:`, which separates path and range.
    pub fn new(path: &[u8], range: Option<(u64, u64)>, digest: Digest) -> Result<Self, Error> {
        let refused = |why| Error::Name { path: path.into(), why };
        let text =
            str::from_utf8(path).map_err(|_| refused("is not UTF-8, which a model's statement needs"))?;
        if range.is_some() && text.contains(':') {
            return Err(refused("has a colon, which divides the parts of a shard's name"));
        }
        Ok(Resource { parts: text.split('/').map(str::to_string).collect(), range, digest })
    }

    /// Returns the path of the file below the model.
    pub fn path(&self) -> String {
        self.parts.join("/")
    }

    /// Returns the identity of the resource, which is unique in a model.
    fn key(&self) -> (&[String], Option<(u64, u64)>) {
        (&self.parts, self.range)
    }

    /// Returns the name in statements: the path, with `:start:end` for a shard.
    pub fn name(&self) -> String {
        let path = self.path();
        self.range.map_or(path.clone(), |(start, end)| format!("{path}:{start}:{end}"))
    }
}

impl Model {
    /// Creates a model of these resources, in any order.
    pub fn new(name: String, serialization: Serialization, mut resources: Vec<Resource>) -> Self {
        resources.sort_unstable();
        Model { name, serialization, resources }
    }

    /// Returns everything that is not part of the model: the paths that its statement leaves out, and [`LEFT_OUT`]
    /// without the names that are signed. Statements of model_signing before 1.1 don't list these.
    pub fn all_left_out(&self) -> Vec<String> {
        let signed = |name: &str| self.resources.iter().any(|resource| resource.parts[0] == name);
        let others = LEFT_OUT.iter().filter(|name| !signed(name)).map(ToString::to_string);
        let mut all: Vec<String> = self.serialization.left_out.iter().cloned().chain(others).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns the files or shards, sorted.
    pub fn resources(&self) -> &[Resource] {
        &self.resources
    }

    /// Returns the digest of the model.
    pub fn digest(&self) -> Digest {
        root(&self.resources)
    }

    /// Returns the statement: JSON in one line, the same for the same model.
    pub fn statement(&self) -> String {
        let Serialization { method, algorithm, follows_links, left_out } = &self.serialization;
        let shard_size = match *method {
            Method::Files => None,
            Method::Shards(size) => Some(size),
        };
        let resource = |resource: &Resource| ResourceText {
            name: resource.name(),
            algorithm: digest_name(algorithm, *method),
            digest: resource.digest.to_string(),
        };
        let statement = StatementText {
            kind: STATEMENT.into(),
            subject: vec![Subject {
                name: self.name.clone(),
                digest: SubjectDigest { sha256: Some(self.digest().to_string()) },
            }],
            predicate_type: PREDICATE.into(),
            predicate: Predicate {
                serialization: SerializationText {
                    method: if shard_size.is_some() { "shards" } else { "files" }.into(),
                    hash_type: hash_name(algorithm).into(),
                    shard_size,
                    allow_symlinks: *follows_links,
                    ignore_paths: left_out.clone(),
                },
                resources: self.resources.iter().map(resource).collect(),
            },
        };
        #[allow(clippy::expect_used, reason = "keys are texts and values are plain")]
        serde_json::to_string(&statement).expect("a statement is JSON")
    }

    /// Reads a statement.
    ///
    /// # Errors
    /// [`BadStatement`] if it is not a valid statement about a model.
    pub fn parse(text: &[u8]) -> Result<Model, BadStatement> {
        let kind: StatementKind = serde_json::from_slice(text).map_err(BadStatement::Json)?;
        match kind.predicate_type.as_str() {
            _ if kind.kind != STATEMENT => Err(BadStatement::Type(kind.kind)),
            PREDICATE => current(text),
            OLD_PREDICATE => old(text),
            _ => Err(BadStatement::Type(kind.predicate_type)),
        }
    }

    /// Compares the signed model with the resources that exist. Changed and missing ones come first, then unsigned
    /// ones, each sorted.
    pub fn differences<'a>(&'a self, found: &'a [Resource]) -> Vec<(&'a Resource, Difference)> {
        let by_key = |resources: &'a [Resource]| -> BTreeMap<_, _> {
            resources.iter().map(|resource| (resource.key(), resource)).collect()
        };
        let (signed, there) = (by_key(&self.resources), by_key(found));
        let changed = |(key, resource): (&_, &&'a Resource)| match there.get(key) {
            None => Some((*resource, Difference::Missing)),
            Some(other) if other.digest != resource.digest => Some((*resource, Difference::Changed)),
            Some(_) => None,
        };
        let mut all: Vec<(&Resource, Difference)> = signed.iter().filter_map(changed).collect();
        let new = there.iter().filter(|(key, _)| !signed.contains_key(*key));
        all.extend(new.map(|(_, resource)| (*resource, Difference::Unsigned)));
        all
    }
}

/// Whether a path below a model is one of these paths or lies below one of them.
pub fn is_left_out(left_out: &[impl AsRef<[u8]>], path: &[u8]) -> bool {
    let leaves_out = |left: &[u8]| match path.strip_prefix(left) {
        Some(rest) => left.is_empty() || rest.is_empty() || rest[0] == b'/',
        None => false,
    };
    left_out.iter().any(|left| leaves_out(left.as_ref()))
}

/// Normalises a path below a model as Python's `PurePath` does: without empty and `.` parts. Returns an empty text for
/// the model itself, and `None` for a path that is absolute or has `..`.
pub fn path_below(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let below = !text.starts_with('/') && !parts.contains(&"..");
    below.then(|| parts.join("/"))
}

/// Returns the SHA-256 over the resources' digests.
fn root(resources: &[Resource]) -> Digest {
    let digests: Vec<u8> =
        resources.iter().flat_map(|resource| resource.digest.as_bytes()).copied().collect();
    #[allow(clippy::expect_used, reason = "the registry has SHA-256")]
    hash(find("sha256").expect("SHA-256"), &digests)
}

/// Returns the digest of a directory with files hashed whole.
pub(crate) fn digest(entries: &[Entry]) -> Result<String, Error> {
    let mut resources = entries.iter().filter_map(|entry| match &entry.kind {
        EntryKind::Folder => None,
        EntryKind::File { digest, .. } => Some(Resource::new(&entry.path, None, *digest)),
        EntryKind::Link { .. } => {
            Some(Err(Error::Kind { path: entry.path.clone(), what: "a symbolic link" }))
        }
    });
    let mut resources: Vec<Resource> = resources.by_ref().collect::<Result<_, _>>()?;
    resources.sort_unstable();
    Ok(root(&resources).to_string())
}

/// Returns an algorithm's name in statements.
fn hash_name(algorithm: &'static Algorithm) -> &'static str {
    let known = HASHES.iter().find(|(_, row)| *row == algorithm.name);
    known.map_or(algorithm.name, |(name, _)| name)
}

/// Returns the name of a digest's algorithm in statements; for shards it includes their size.
fn digest_name(algorithm: &'static Algorithm, method: Method) -> String {
    let name = hash_name(algorithm);
    match method {
        Method::Files => name.to_string(),
        Method::Shards(size) => format!("{name}-sharded-{size}"),
    }
}

fn current(text: &[u8]) -> Result<Model, BadStatement> {
    let statement: StatementText = serde_json::from_slice(text).map_err(BadStatement::Json)?;
    let [subject] = &statement.subject[..] else { return Err(BadStatement::Subject) };
    let wanted = subject.digest.sha256.as_ref().ok_or(BadStatement::Subject)?;
    let how = &statement.predicate.serialization;
    let method = match (how.method.as_str(), how.shard_size) {
        ("files", _) => Method::Files,
        ("shards", Some(size)) if size > 0 => Method::Shards(size),
        _ => return Err(BadStatement::Unknown(how.method.clone())),
    };
    let algorithm = algorithm(&how.hash_type)?;
    if method != Method::Files && algorithm.name == "blake3" {
        return Err(BadStatement::Unknown("shards by blake3".into()));
    }
    let wanted_name = digest_name(algorithm, method);
    let read = |resource: &ResourceText| match resource.algorithm == wanted_name {
        true => read_resource(&resource.name, &resource.digest, method, algorithm),
        false => Err(BadStatement::Resource(resource.name.clone())),
    };
    // The digest covers the resources in the order of the statement.
    let resources: Vec<Resource> =
        statement.predicate.resources.iter().map(read).collect::<Result<_, _>>()?;
    if root(&resources).to_string() != *wanted {
        return Err(BadStatement::Inconsistent);
    }
    let left_out: Vec<String> = how.ignore_paths.iter().filter_map(|path| path_below(path)).collect();
    if left_out.iter().any(String::is_empty) {
        return Err(BadStatement::LeavesAllOut);
    }
    let serialization = Serialization { method, algorithm, follows_links: how.allow_symlinks, left_out };
    unique(Model::new(subject.name.clone(), serialization, resources))
}

/// Checks that no two resources have the same name.
fn unique(model: Model) -> Result<Model, BadStatement> {
    let twice = model.resources.windows(2).find(|pair| pair[0].key() == pair[1].key());
    match twice {
        Some(pair) => Err(BadStatement::Twice(pair[0].name())),
        None => Ok(model),
    }
}

fn old(text: &[u8]) -> Result<Model, BadStatement> {
    let statement: OldStatement = serde_json::from_slice(text).map_err(BadStatement::Json)?;
    let sha256 = algorithm("sha256")?;
    let resource = |subject: &Subject| {
        let digest = subject.digest.sha256.as_ref().ok_or(BadStatement::Subject)?;
        read_resource(&subject.name, digest, Method::Files, sha256)
    };
    let resources = statement.subject.iter().map(resource).collect::<Result<_, _>>()?;
    unique(Model::new(String::new(), Serialization::new(Method::Files, sha256), resources))
}

fn algorithm(name: &str) -> Result<&'static Algorithm, BadStatement> {
    let known = HASHES.iter().find(|(text, _)| *text == name).and_then(|(_, row)| find(row).ok());
    known.ok_or_else(|| BadStatement::Unknown(name.to_string()))
}

/// Reads a resource of a statement. Paths that lead out of the model are errors.
fn read_resource(
    name: &str,
    digest: &str,
    method: Method,
    algorithm: &Algorithm,
) -> Result<Resource, BadStatement> {
    let bad = || BadStatement::Resource(name.to_string());
    let digest = Digest::from_hex(digest.as_bytes()).map_err(|_| bad())?;
    if digest.bits() != algorithm.bits {
        return Err(bad());
    }
    let (path, range) = match method {
        Method::Files => (name, None),
        Method::Shards(_) => {
            let mut parts = name.rsplitn(3, ':');
            let mut number = || parts.next()?.parse::<u64>().ok();
            let (end, start) = (number().ok_or_else(bad)?, number().ok_or_else(bad)?);
            (parts.next().ok_or_else(bad)?, Some((start, end)))
        }
    };
    let sound = path.split('/').all(|part| !matches!(part, "" | "." | ".."));
    if !sound || range.is_some_and(|(start, end)| start >= end) {
        return Err(bad());
    }
    let resource = Resource::new(path.as_bytes(), range, digest).map_err(|_| bad())?;
    // Numbers with a sign or leading zeros are refused.
    if resource.name() == name { Ok(resource) } else { Err(bad()) }
}

#[derive(Deserialize)]
struct StatementKind {
    #[serde(rename = "_type")]
    kind: String,
    #[serde(rename = "predicateType")]
    predicate_type: String,
}

#[derive(Serialize, Deserialize)]
struct StatementText {
    #[serde(rename = "_type")]
    kind: String,
    subject: Vec<Subject>,
    #[serde(rename = "predicateType")]
    predicate_type: String,
    predicate: Predicate,
}

#[derive(Deserialize)]
struct OldStatement {
    subject: Vec<Subject>,
}

#[derive(Serialize, Deserialize)]
struct Subject {
    name: String,
    digest: SubjectDigest,
}

/// Digests by other algorithms are ignored.
#[derive(Serialize, Deserialize)]
struct SubjectDigest {
    sha256: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Predicate {
    serialization: SerializationText,
    resources: Vec<ResourceText>,
}

#[derive(Serialize, Deserialize)]
struct SerializationText {
    method: String,
    hash_type: String,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "whole")]
    shard_size: Option<u64>,
    allow_symlinks: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ignore_paths: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct ResourceText {
    name: String,
    algorithm: String,
    digest: String,
}

/// Reads a number of bytes. Statements that passed through protocol buffers may have a floating-point number.
fn whole<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let number = serde_json::Number::deserialize(deserializer)?;
    let float = || number.as_f64().filter(|value| value.fract() == 0.0 && (0.0..=9e15).contains(value));
    let whole = number.as_u64().or_else(|| float().map(|value| value as u64));
    whole.map(Some).ok_or_else(|| serde::de::Error::custom("the shard size is not a whole number"))
}

impl fmt::Display for BadStatement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadStatement::Json(source) => write!(f, "is not a statement about a model: {source}"),
            BadStatement::Type(kind) => write!(f, "is a statement of another kind: {kind}"),
            BadStatement::Subject => write!(f, "does not name one model with its SHA-256 digest"),
            BadStatement::Unknown(what) => write!(f, "uses '{what}', which is unknown"),
            BadStatement::Resource(name) => write!(f, "has an invalid resource: '{name}'"),
            BadStatement::Twice(name) => write!(f, "has two resources of the same name: '{name}'"),
            BadStatement::LeavesAllOut => write!(f, "leaves the whole model out"),
            BadStatement::Inconsistent => write!(f, "has a digest that is not the digest of its resources"),
        }
    }
}

impl std::error::Error for BadStatement {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            BadStatement::Json(source) => Some(source),
            _ => None,
        }
    }
}
