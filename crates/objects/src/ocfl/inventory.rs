//! Inventories: what an object's versions hold, and the digests of its files.

use super::finding::OcflFinding;
use super::json::Json;
use super::names::{OcflVersion, VersionName};
use super::paths::{self, conflicts, is_uri};
use super::versions::{self, Version};
use hashmill_digest::{Algorithm, Digest, find};
use std::collections::{BTreeMap, HashSet};

/// The names of algorithms of fixity blocks, with ours; none of those whose values are no digests we compute.
const ALGORITHMS: [(&str, Option<&str>); 11] = [
    ("md5", Some("md5")),
    ("sha1", Some("sha1")),
    ("sha256", Some("sha256")),
    ("sha512", Some("sha512")),
    ("sha512/256", Some("sha512-256")),
    ("blake2b-512", Some("blake2b-512")),
    ("blake2b-256", Some("blake2b-256")),
    ("blake2b-160", None),
    ("blake2b-384", None),
    ("crc32", None),
    ("size", None),
];

/// The keys of an inventory.
const KEYS: [&str; 8] =
    ["id", "type", "digestAlgorithm", "head", "contentDirectory", "manifest", "versions", "fixity"];

/// The content of an inventory.
#[derive(Debug, Default)]
pub(crate) struct Inventory {
    pub(crate) id: Option<Box<str>>,
    pub(crate) standard: Option<OcflVersion>,
    /// The name of the algorithm as it is written.
    pub(crate) algorithm: Option<Box<str>>,
    pub(crate) head: Option<VersionName>,
    pub(crate) content: Option<Box<str>>,
    /// The digest of each content path, as its key is written.
    pub(crate) manifest: BTreeMap<Box<str>, Box<str>>,
    pub(crate) versions: BTreeMap<VersionName, Version>,
    /// The digests that fixity blocks state of content paths.
    pub(crate) fixity: Vec<(Box<str>, &'static Algorithm, Digest)>,
}

impl Inventory {
    /// Reads an inventory; none if it is no JSON object.
    pub(crate) fn read(
        path: &[u8],
        bytes: &[u8],
        standard: OcflVersion,
    ) -> (Option<Inventory>, Vec<OcflFinding>) {
        let mut reader = Reader { path, standard, findings: Vec::new() };
        let inventory = match Json::parse(bytes) {
            Err(why) => {
                reader.find("E033", format!("is not JSON: {why}"));
                None
            }
            Ok(json) if json.object().is_none() => {
                reader.find("E033", "is not a JSON object");
                None
            }
            Ok(json) => Some(reader.inventory(&json)),
        };
        (inventory, reader.findings)
    }

    /// Returns the name of the folders of content.
    pub(crate) fn content(&self) -> &str {
        self.content.as_deref().unwrap_or("content")
    }

    /// Returns the algorithm of the manifest.
    pub(crate) fn row(&self) -> Option<&'static Algorithm> {
        algorithm(self.algorithm.as_deref()?).flatten()
    }
}

/// Returns the algorithm with a name of the standard or its extensions; none inside if it can't be computed.
fn algorithm(name: &str) -> Option<Option<&'static Algorithm>> {
    let (_, ours) = ALGORITHMS.iter().find(|(known, _)| *known == name)?;
    Some(ours.and_then(|name| find(name).ok()))
}

/// Parses a hexadecimal digest.
pub(crate) fn digest(algorithm: &'static Algorithm, text: &str) -> Option<Digest> {
    let is_hexadecimal = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let parsed = algorithm.parse(text.as_bytes()).ok().filter(|digest| digest.bits() == algorithm.bits);
    parsed.filter(|_| is_hexadecimal && text.len() as u64 * 4 == u64::from(algorithm.bits))
}

/// A reader of one inventory.
pub(crate) struct Reader<'a> {
    path: &'a [u8],
    pub(crate) standard: OcflVersion,
    findings: Vec<OcflFinding>,
}

impl Reader<'_> {
    pub(crate) fn find(&mut self, code: &'static str, detail: impl Into<String>) {
        self.findings.push(OcflFinding::new(self.path, code, detail));
    }

    fn inventory(&mut self, json: &Json) -> Inventory {
        self.check_keys("the inventory", json, &KEYS);
        let standard = self.standard(json);
        self.standard = standard.unwrap_or(self.standard);
        let (id, algorithm) = (self.id(json), self.algorithm(json));
        let mut inventory =
            Inventory { id, standard, algorithm, content: self.content(json), ..Inventory::default() };
        let keys = self.manifest(json, &mut inventory);
        inventory.versions = versions::read(self, json, &keys);
        inventory.head = self.head(json, &inventory.versions);
        self.check_used(&keys, &inventory);
        self.fixity(json, &mut inventory);
        inventory
    }

    /// Finds keys that are not those of the standard, and those that come twice.
    pub(crate) fn check_keys(&mut self, of: &str, json: &Json, known: &[&str]) {
        let mut met = HashSet::new();
        for (key, _) in json.object().unwrap_or_default() {
            if !known.contains(&&**key) {
                self.find("E102", format!("{of} has a key {key}"));
            } else if !met.insert(key) {
                self.find("E033", format!("{of} has the key {key} twice"));
            }
        }
    }

    /// Returns the value of a key that must be there.
    fn required<'j>(&mut self, json: &'j Json, key: &str, code: &'static str) -> Option<&'j Json> {
        let value = json.get(key);
        if value.is_none() {
            self.find(code, format!("has no {key}"));
        }
        value
    }

    fn id(&mut self, json: &Json) -> Option<Box<str>> {
        let id = self.required(json, "id", "E036")?;
        let Some(id) = id.text().filter(|id| !id.is_empty()) else {
            self.find("E037", "its id is no text");
            return None;
        };
        if !is_uri(id) {
            self.find("W005", format!("its id {id} is no URI"));
        }
        Some(id.into())
    }

    fn standard(&mut self, json: &Json) -> Option<OcflVersion> {
        let text = self.required(json, "type", "E036")?;
        let version = text.text().and_then(OcflVersion::from_type);
        if version.is_none() {
            self.find("E038", "its type is not that of an inventory of OCFL 1.0 or 1.1");
        }
        version
    }

    fn algorithm(&mut self, json: &Json) -> Option<Box<str>> {
        let value = self.required(json, "digestAlgorithm", "E036")?;
        let name = value.text();
        match name {
            Some("sha512") => {}
            Some("sha256") => self.find("W004", "its digests are SHA-256, where SHA-512 is advised"),
            Some(name) => self.find("E025", format!("its digestAlgorithm is {name}, not sha512 or sha256")),
            None => self.find("E025", "its digestAlgorithm is no text"),
        }
        name.map(Box::from)
    }

    fn content(&mut self, json: &Json) -> Option<Box<str>> {
        let value = json.get("contentDirectory")?;
        let name = value.text().unwrap_or_default();
        let code = match name {
            "." | ".." => "E018",
            _ if name.is_empty() || name.contains('/') => "E017",
            _ => return Some(name.into()),
        };
        self.find(code, format!("its contentDirectory '{name}' is no name of a folder"));
        None
    }

    fn head(&mut self, json: &Json, versions: &BTreeMap<VersionName, Version>) -> Option<VersionName> {
        let value = self.required(json, "head", "E036")?;
        let head = value.text().and_then(VersionName::parse);
        let last = versions.keys().max_by_key(|name| name.number);
        match (head, last) {
            (None, _) => self.find("E040", "its head is no name of a version"),
            (Some(head), Some(last)) if head != *last => {
                self.find("E040", format!("its head is {head}, and its last version {last}"));
            }
            _ => {}
        }
        head
    }

    /// Reads the manifest, and returns its keys as they are written.
    fn manifest(&mut self, json: &Json, inventory: &mut Inventory) -> HashSet<Box<str>> {
        let Some(value) = self.required(json, "manifest", "E041") else { return HashSet::new() };
        let Some(pairs) = value.object() else {
            let code = self.standard.code("E106", "E041");
            self.find(code, "its manifest is no JSON object");
            return HashSet::new();
        };
        self.check_repeated("E096", "its manifest", pairs);
        for (key, value) in pairs {
            if inventory.row().is_some_and(|algorithm| digest(algorithm, key).is_none()) {
                self.find("E092", format!("its manifest has a key {key}, which is no such digest"));
            }
            for path in self.content_paths("E092", key, value) {
                if !is_below_content(path, inventory.content()) {
                    self.find("E042", format!("its manifest has {path}, which is in no content folder"));
                }
                if inventory.manifest.insert(path.into(), key.clone()).is_some() {
                    self.find("E101", format!("its manifest has {path} twice"));
                }
            }
        }
        let paths = inventory.manifest.keys().map(|path| &**path);
        for path in conflicts(paths) {
            self.find("E101", format!("its manifest has {path}, and a file above it"));
        }
        pairs.iter().map(|(key, _)| key.clone()).collect()
    }

    /// Finds digests that come twice, whatever the case of their letters.
    fn check_repeated(&mut self, code: &'static str, of: &str, pairs: &[(Box<str>, Json)]) {
        let mut met = HashSet::new();
        for (key, _) in pairs.iter().filter(|(key, _)| !met.insert(key.to_ascii_lowercase())) {
            self.find(code, format!("{of} has the digest {key} twice"));
        }
    }

    /// Returns the content paths of a digest that can be used.
    fn content_paths<'j>(&mut self, code: &'static str, key: &str, value: &'j Json) -> Vec<&'j str> {
        let Some(mut all) = value.texts() else {
            self.find(code, format!("the value of {key} is no list of paths"));
            return Vec::new();
        };
        all.retain(|path| {
            let fault = paths::fault(path, ["E100", "E099"]);
            fault.is_none_or(|fault| {
                self.find(fault, format!("{path} can't be the path of a file"));
                false
            })
        });
        all
    }

    /// Finds digests of the manifest that no version has.
    fn check_used(&mut self, keys: &HashSet<Box<str>>, inventory: &Inventory) {
        if self.standard == OcflVersion::V1_0 {
            return;
        }
        let states = inventory.versions.values().flat_map(|version| version.state.values());
        let used: HashSet<&str> = states.map(|digest| &**digest).collect();
        let mut unused: Vec<&str> = keys.iter().map(|key| &**key).filter(|key| !used.contains(key)).collect();
        unused.sort_unstable();
        for key in unused {
            self.find("E107", format!("its manifest has the digest {key}, which no version has"));
        }
    }

    fn fixity(&mut self, json: &Json, inventory: &mut Inventory) {
        let Some(value) = json.get("fixity") else { return };
        let Some(blocks) = value.object() else {
            let code = self.standard.code("E111", "E057");
            return self.find(code, "its fixity is no JSON object");
        };
        for (name, block) in blocks {
            match (algorithm(name), block.object()) {
                (None, _) => self.find("E056", format!("its fixity has an algorithm {name}")),
                (_, None) => self.find("E057", format!("its fixity of {name} is no JSON object")),
                (Some(None), _) => {
                    let why = format!("its fixity of {name} is not compared: it is not supported");
                    self.findings
                        .push(OcflFinding::new(self.path, "E028", why).with_fault(super::OcflFault::Warning));
                }
                (Some(Some(row)), Some(pairs)) => self.fixity_of(row, pairs, inventory),
            }
        }
    }

    fn fixity_of(&mut self, row: &'static Algorithm, pairs: &[(Box<str>, Json)], inventory: &mut Inventory) {
        self.check_repeated("E097", &format!("its fixity of {}", row.name), pairs);
        for (key, value) in pairs {
            let paths = self.content_paths("E057", key, value);
            match digest(row, key) {
                Some(digest) => {
                    inventory.fixity.extend(paths.into_iter().map(|path| (path.into(), row, digest)));
                }
                None => {
                    self.find("E057", format!("its fixity has {key}, which is no digest of {}", row.name))
                }
            }
        }
    }
}

/// Whether a path is below the content folder of a version.
fn is_below_content(path: &str, content: &str) -> bool {
    let mut parts = path.split('/');
    let is_version = parts.next().is_some_and(|name| VersionName::parse(name).is_some());
    is_version && parts.next() == Some(content) && parts.next().is_some()
}
