//! OpenSSF model signing (OMS) 1.0: the digests of all files or shards of a model, in an in-toto statement.
//!
//! The digest of the model is SHA-256 over the raw digests of its resources, in their order: paths compare part by
//! part, so `a/b` stands before `a-b`. Names are not part of it, only of the statement, which is what is signed.
//!
//! Source: github.com/sigstore/model-transparency, package `model_signing` 1.1; in-toto Statement v1.

use crate::{Entry, Error, Kind};
use hashloom_digest::{Algorithm, Digest, find, hash};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What is left out of a model, directly in its folder.
pub const LEFT_OUT: &[&str] = &[".git", ".gitattributes", ".github", ".gitignore"];

/// Bytes of a shard where nothing else is said.
pub const SHARD: u64 = 1_000_000_000;

/// The type of the statement: what a signature around it names.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

const STATEMENT: &str = "https://in-toto.io/Statement/v1";
const PREDICATE: &str = "https://model_signing/signature/v1.0";
/// What versions before 1.0 wrote: a subject for each file, no predicate.
const OLD_PREDICATE: &str = "https://model_signing/Digests/v0.1";

/// What of a model has a digest of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Each file.
    Files,
    /// Each part of a file of this many bytes; an empty file has none.
    Shards(u64),
}

/// A file, or a shard of one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Resource {
    /// The parts of its path below the model: they compare one by one.
    parts: Vec<String>,
    /// The first byte, and the one after the last; none for a whole file.
    range: Option<(u64, u64)>,
    /// Its digest.
    pub digest: Digest,
}

/// A model's resources, and how they were made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// The name of its folder: for people only.
    pub name: String,
    /// What has a digest.
    pub method: Method,
    /// The algorithm of these digests.
    pub algorithm: &'static Algorithm,
    /// Symbolic links to files were followed.
    pub follows_links: bool,
    /// Paths below the model that were left out, with all below them.
    pub left_out: Vec<String>,
    /// In their order.
    resources: Vec<Resource>,
}

/// How a model differs from what was signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// It was not signed.
    Unsigned,
    /// It was signed, and is not there.
    Missing,
    /// Its digest is another one.
    Changed,
}

/// Why a statement is none of a model.
#[derive(Debug)]
#[non_exhaustive]
pub enum BadStatement {
    /// Not JSON of the right shape.
    Json(serde_json::Error),
    /// Not a statement of this kind: the type that it has.
    Type(String),
    /// Not exactly one subject with a SHA-256 digest.
    Subject,
    /// A method or algorithm that is not known.
    Unknown(String),
    /// A resource whose name or digest is not one.
    Resource(String),
    /// Its digest is not that of its resources.
    Inconsistent,
}

impl Resource {
    /// A file of this path, or its part of these bytes.
    ///
    /// # Errors
    /// If the path is not UTF-8, which a statement needs, or, with shards, has a `:`, which divides them.
    pub fn new(path: &[u8], range: Option<(u64, u64)>, digest: Digest) -> Result<Self, Error> {
        let refused = |why| Error::Name { path: path.into(), why };
        let text =
            str::from_utf8(path).map_err(|_| refused("is not UTF-8, which a model's statement needs"))?;
        if range.is_some() && text.contains(':') {
            return Err(refused("has a colon, which divides the parts of a shard's name"));
        }
        Ok(Resource { parts: text.split('/').map(str::to_string).collect(), range, digest })
    }

    /// Its name in statements: the path, and `:start:end` for a shard.
    pub fn name(&self) -> String {
        let path = self.parts.join("/");
        self.range.map_or(path.clone(), |(start, end)| format!("{path}:{start}:{end}"))
    }
}

impl Model {
    /// A model of these resources, in any order.
    pub fn new(
        name: String,
        (method, algorithm): (Method, &'static Algorithm),
        follows_links: bool,
        left_out: Vec<String>,
        mut resources: Vec<Resource>,
    ) -> Self {
        resources.sort_unstable();
        Model { name, method, algorithm, follows_links, left_out, resources }
    }

    /// Its files or shards, in their order.
    pub fn resources(&self) -> &[Resource] {
        &self.resources
    }

    /// The digest of the model.
    pub fn digest(&self) -> Digest {
        root(&self.resources)
    }

    /// The statement: JSON in one line, the same for the same model.
    pub fn statement(&self) -> String {
        let shard_size = match self.method {
            Method::Files => None,
            Method::Shards(size) => Some(size),
        };
        let resource = |resource: &Resource| ResourceText {
            name: resource.name(),
            algorithm: self.digest_name(),
            digest: resource.digest.to_string(),
        };
        let statement = StatementText {
            kind: STATEMENT.into(),
            subject: vec![Subject {
                name: self.name.clone(),
                digest: BTreeMap::from([("sha256".to_string(), self.digest().to_string())]),
            }],
            predicate_type: PREDICATE.into(),
            predicate: Predicate {
                serialization: Serialization {
                    method: if shard_size.is_some() { "shards" } else { "files" }.into(),
                    hash_type: hash_name(self.algorithm).into(),
                    shard_size,
                    allow_symlinks: self.follows_links,
                    ignore_paths: self.left_out.clone(),
                },
                resources: self.resources.iter().map(resource).collect(),
            },
        };
        #[allow(clippy::expect_used, reason = "keys are texts and values are plain")]
        serde_json::to_string(&statement).expect("a statement is JSON")
    }

    /// What the digests of resources are called: those of shards have their size in it.
    fn digest_name(&self) -> String {
        let name = hash_name(self.algorithm);
        match self.method {
            Method::Files => name.to_string(),
            Method::Shards(size) => format!("{name}-sharded-{size}"),
        }
    }

    /// Reads a statement.
    ///
    /// # Errors
    /// [`BadStatement`].
    pub fn parse(text: &[u8]) -> Result<Model, BadStatement> {
        let kind: StatementKind = serde_json::from_slice(text).map_err(BadStatement::Json)?;
        match kind.predicate_type.as_str() {
            _ if kind.kind != STATEMENT => Err(BadStatement::Type(kind.kind)),
            PREDICATE => current(text),
            OLD_PREDICATE => old(text),
            _ => Err(BadStatement::Type(kind.predicate_type)),
        }
    }

    /// How a model that is there differs from this one, which was signed; by name, in the order of names by parts.
    pub fn differences(&self, found: &Model) -> Vec<(String, Difference)> {
        let key = |resource: &Resource| (resource.parts.clone(), resource.range);
        let signed: BTreeMap<_, _> =
            self.resources.iter().map(|resource| (key(resource), resource)).collect();
        let there: BTreeMap<_, _> =
            found.resources.iter().map(|resource| (key(resource), resource)).collect();
        let changed = |(key, resource): (&_, &&Resource)| match there.get(key) {
            None => Some((resource.name(), Difference::Missing)),
            Some(other) if other.digest != resource.digest => Some((resource.name(), Difference::Changed)),
            Some(_) => None,
        };
        let mut all: Vec<(String, Difference)> = signed.iter().filter_map(changed).collect();
        let new = there.iter().filter(|(key, _)| !signed.contains_key(*key));
        all.extend(new.map(|(_, resource)| (resource.name(), Difference::Unsigned)));
        all
    }
}

/// SHA-256 over the digests.
fn root(resources: &[Resource]) -> Digest {
    let digests: Vec<u8> =
        resources.iter().flat_map(|resource| resource.digest.as_bytes()).copied().collect();
    #[allow(clippy::expect_used, reason = "the registry has SHA-256")]
    hash(find("sha256").expect("SHA-256"), &digests)
}

/// The digest of a directory whose files were hashed whole.
pub(crate) fn digest(entries: &[Entry]) -> Result<String, Error> {
    let mut resources = entries.iter().filter_map(|entry| match &entry.kind {
        Kind::Folder => None,
        Kind::File { digest, .. } => Some(Resource::new(&entry.path, None, *digest)),
        Kind::Link { .. } => Some(Err(Error::Kind { path: entry.path.clone(), what: "a symbolic link" })),
    });
    let mut resources: Vec<Resource> = resources.by_ref().collect::<Result<_, _>>()?;
    resources.sort_unstable();
    Ok(root(&resources).to_string())
}

/// What the package calls an algorithm.
fn hash_name(algorithm: &Algorithm) -> &'static str {
    if algorithm.name == "blake2b-512" { "blake2b" } else { algorithm.name }
}

fn current(text: &[u8]) -> Result<Model, BadStatement> {
    let statement: StatementText = serde_json::from_slice(text).map_err(BadStatement::Json)?;
    let [subject] = &statement.subject[..] else { return Err(BadStatement::Subject) };
    let wanted = subject.digest.get("sha256").ok_or(BadStatement::Subject)?;
    let how = &statement.predicate.serialization;
    let method = match (how.method.as_str(), how.shard_size) {
        ("files", _) => Method::Files,
        ("shards", Some(size)) if size > 0 => Method::Shards(size),
        _ => return Err(BadStatement::Unknown(how.method.clone())),
    };
    let algorithm = algorithm(&how.hash_type)?;
    // The digest of the model is over the resources as they stand in the statement, in whatever order.
    let resources: Vec<Resource> = statement
        .predicate
        .resources
        .iter()
        .map(|resource| read_resource(&resource.name, &resource.digest, method))
        .collect::<Result<_, _>>()?;
    if root(&resources).to_string() != wanted.to_ascii_lowercase() {
        return Err(BadStatement::Inconsistent);
    }
    let left_out = how.ignore_paths.clone();
    Ok(Model::new(subject.name.clone(), (method, algorithm), how.allow_symlinks, left_out, resources))
}

fn old(text: &[u8]) -> Result<Model, BadStatement> {
    let statement: OldStatement = serde_json::from_slice(text).map_err(BadStatement::Json)?;
    let resource = |subject: &Subject| {
        let digest = subject.digest.get("sha256").ok_or(BadStatement::Subject)?;
        read_resource(&subject.name, digest, Method::Files)
    };
    let resources = statement.subject.iter().map(resource).collect::<Result<_, _>>()?;
    Ok(Model::new(String::new(), (Method::Files, algorithm("sha256")?), false, Vec::new(), resources))
}

fn algorithm(name: &str) -> Result<&'static Algorithm, BadStatement> {
    let known = match name {
        "sha256" | "blake3" => find(name),
        "blake2b" | "blake2" => find("blake2b-512"),
        _ => return Err(BadStatement::Unknown(name.to_string())),
    };
    known.map_err(|_| BadStatement::Unknown(name.to_string()))
}

/// A resource of a statement. Nothing that leads out of the model's folder is one.
fn read_resource(name: &str, digest: &str, method: Method) -> Result<Resource, BadStatement> {
    let bad = || BadStatement::Resource(name.to_string());
    let digest = Digest::from_hex(digest.as_bytes()).map_err(|_| bad())?;
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
    Resource::new(path.as_bytes(), range, digest).map_err(|_| bad())
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
    digest: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize)]
struct Predicate {
    serialization: Serialization,
    resources: Vec<ResourceText>,
}

#[derive(Serialize, Deserialize)]
struct Serialization {
    method: String,
    hash_type: String,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "whole")]
    shard_size: Option<u64>,
    #[serde(default)]
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

/// A number of bytes. Statements that passed through protocol buffers may have it as a floating-point number.
fn whole<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let number = serde_json::Number::deserialize(deserializer)?;
    let float = || number.as_f64().filter(|value| value.fract() == 0.0 && (0.0..=9e15).contains(value));
    let whole = number.as_u64().or_else(|| float().map(|value| value as u64));
    whole.map(Some).ok_or_else(|| serde::de::Error::custom("a size of shards that is no whole number"))
}

impl fmt::Display for BadStatement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadStatement::Json(source) => write!(f, "is no statement about a model: {source}"),
            BadStatement::Type(kind) => write!(f, "is a statement of another kind: {kind}"),
            BadStatement::Subject => write!(f, "does not name one model with its SHA-256 digest"),
            BadStatement::Unknown(what) => write!(f, "uses '{what}', which is not known here"),
            BadStatement::Resource(name) => write!(f, "has a resource that can't be one: '{name}'"),
            BadStatement::Inconsistent => write!(f, "has a digest that is not that of its resources"),
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
