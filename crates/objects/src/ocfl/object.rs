//! One object: what lies in its folder, compared with what its inventories say.

use super::finding::{OcflFault, OcflFinding};
use super::inventory::{self, Inventory};
use super::names::{OcflVersion, VersionName};
use super::root::{check_declaration, check_extensions, declared};
use super::versions::Version;
use super::{INVENTORY, OBJECT};
use hashmill_digest::{Algorithm, Digest, hash};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

/// The kind of what lies at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OcflEntry {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// Something else.
    Other,
}

/// A digest that a file must have.
#[derive(Debug)]
struct Stated {
    algorithm: &'static Algorithm,
    digest: Digest,
    code: &'static str,
    /// The inventory that states it.
    by: Arc<str>,
}

/// All that was found out about a path of an object.
#[derive(Debug, Default)]
pub struct OcflOutcome {
    /// The findings, the worst last.
    pub findings: Vec<OcflFinding>,
    /// Whether the content was compared with something.
    pub is_compared: bool,
}

/// An object that is being checked.
#[derive(Debug, Default)]
pub struct OcflObject {
    entries: BTreeMap<Vec<u8>, OcflEntry>,
    /// Folders and files that could not be read.
    unread: BTreeSet<Vec<u8>>,
    findings: Vec<OcflFinding>,
    stated: BTreeMap<Vec<u8>, Vec<Stated>>,
    compared: BTreeSet<Vec<u8>>,
    /// The identifier that the inventory states.
    pub id: Option<Box<str>>,
    /// The version of the standard that the object declares.
    pub version: Option<OcflVersion>,
}

type Texts = BTreeMap<Vec<u8>, Vec<u8>>;

impl OcflObject {
    /// Creates an object of which nothing but its entries, by their paths below it, is known.
    pub fn new(entries: BTreeMap<Vec<u8>, OcflEntry>) -> OcflObject {
        OcflObject { entries, ..OcflObject::default() }
    }

    /// Returns the files that are read whole: declarations, inventories, and the digests beside these.
    pub fn texts(&self) -> Vec<Vec<u8>> {
        let files = self.entries.iter().filter(|(_, entry)| **entry == OcflEntry::File).map(|(path, _)| path);
        files.filter(|path| is_text(path)).cloned().collect()
    }

    /// Takes a file or folder that could not be read. Nothing in it is known to be missing.
    pub fn unreadable(&mut self, path: &[u8]) {
        self.unread.insert(path.into());
    }

    /// Checks the structure of the object by the texts that could be read.
    pub fn inspect(&mut self, texts: &Texts) {
        self.version = self.declare(texts);
        let standard = self.version.unwrap_or(OcflVersion::V1_1);
        let root = self.read_inventory("", texts, standard);
        let content = root.as_ref().map_or("content", Inventory::content).to_string();
        self.check_links();
        self.check_root_names(root.as_ref());
        let mut all = Vec::new();
        for name in self.version_folders() {
            let inner = self.read_inventory(&format!("{name}/"), texts, standard);
            self.check_version_names(name, &content, inner.as_ref());
            all.extend(inner.map(|inner| (name, inner)));
        }
        if let Some(root) = &root {
            self.check_root(root);
            self.check_history(root, &all, texts);
            self.check_listed(root, &all);
            self.state("", root);
        }
        all.iter().for_each(|(name, inner)| self.state(&format!("{name}/"), inner));
        self.check_missing();
        self.id = root.and_then(|root| root.id);
    }

    /// Returns the files with digests that they must have, in the order of their paths.
    pub fn files(&self) -> impl Iterator<Item = &[u8]> {
        let is_file = |path: &&[u8]| self.entries.get(*path) == Some(&OcflEntry::File);
        self.stated.keys().map(|path| &**path).filter(is_file)
    }

    /// Returns the algorithms of all digests, sorted by name.
    pub fn algorithms(&self) -> Vec<&'static Algorithm> {
        let all = self.stated.values().flatten().map(|stated| (stated.algorithm.name, stated.algorithm));
        all.collect::<BTreeMap<_, _>>().into_values().collect()
    }

    /// Compares the digests of a file with those that it must have.
    pub fn file(&mut self, path: &[u8], digest: impl Fn(&'static Algorithm) -> Option<Digest>) {
        for stated in self.stated.get(path).into_iter().flatten() {
            let actual = digest(stated.algorithm);
            self.compared.insert(path.into());
            if actual != Some(stated.digest) {
                let why = format!("not the {} of {}", stated.algorithm.name, stated.by);
                self.findings.push(OcflFinding::new(path, stated.code, why));
            }
        }
    }

    /// Adds a finding that only a storage root shows.
    pub fn find(&mut self, path: &[u8], code: &'static str, detail: String) {
        self.findings.push(OcflFinding::new(path, code, detail));
    }

    /// Returns the outcome for each file, and for all else that something was found about. Those that could not be read are
    /// left out.
    pub fn finish(mut self) -> BTreeMap<Vec<u8>, OcflOutcome> {
        let mut outcomes: BTreeMap<Vec<u8>, OcflOutcome> = BTreeMap::new();
        self.findings.sort_by(|a, b| {
            (&a.path, a.fault, a.code, &a.detail).cmp(&(&b.path, b.fault, b.code, &b.detail))
        });
        self.findings.dedup();
        for (path, entry) in &self.entries {
            if *entry == OcflEntry::File {
                let is_compared = self.compared.contains(path);
                outcomes.insert(path.clone(), OcflOutcome { is_compared, findings: Vec::new() });
            }
        }
        for finding in self.findings {
            outcomes.entry(finding.path.clone()).or_default().findings.push(finding);
        }
        outcomes.retain(|path, _| !self.unread.contains(path));
        outcomes
    }

    fn is_file(&self, path: &[u8]) -> bool {
        self.entries.get(path) == Some(&OcflEntry::File)
    }

    /// Returns what lies in a folder, at any depth.
    fn below(&self, folder: &str) -> impl Iterator<Item = (&Vec<u8>, OcflEntry)> {
        let start: Vec<u8> = folder.as_bytes().into();
        let all = self.entries.range((Bound::Excluded(start.clone()), Bound::Unbounded));
        all.take_while(move |(path, _)| path.starts_with(&start)).map(|(path, entry)| (path, *entry))
    }

    /// Returns the names in a folder, which ends with a slash or is empty.
    fn names(&self, folder: &str) -> Vec<(Vec<u8>, OcflEntry)> {
        let is_child = |path: &[u8]| !path[folder.len()..].contains(&b'/');
        let all = self.below(folder).filter(|(path, _)| is_child(path));
        all.map(|(path, entry)| (path[folder.len()..].to_vec(), entry)).collect()
    }

    fn version_folders(&self) -> Vec<VersionName> {
        let folders = self.names("").into_iter().filter(|(_, entry)| *entry == OcflEntry::Folder);
        let mut all: Vec<VersionName> = folders.filter_map(|(name, _)| version_name(&name)).collect();
        all.sort();
        all
    }

    fn declare(&mut self, texts: &Texts) -> Option<OcflVersion> {
        let names = self.names("").into_iter();
        let files = names.filter(|(name, entry)| *entry == OcflEntry::File && name.starts_with(OBJECT));
        let files: Vec<Vec<u8>> = files.map(|(name, _)| name).collect();
        let names: Vec<&[u8]> = files.iter().map(|name| &**name).collect();
        let version = declared(&names, OBJECT, ["E003", "E003", "E004"], &mut self.findings);
        for name in files {
            if let Some(text) = texts.get(&name) {
                self.findings.extend(check_declaration(&name, text, "E007"));
                self.compared.insert(name);
            }
        }
        version
    }

    /// Reads the inventory in a folder, and compares it with the digest beside it.
    fn read_inventory(&mut self, folder: &str, texts: &Texts, standard: OcflVersion) -> Option<Inventory> {
        let path = format!("{folder}{INVENTORY}").into_bytes();
        if !self.entries.contains_key(&path) {
            let (code, why) = match folder {
                "" => ("E063", "an object must have an inventory"),
                _ => ("W010", "every version should have an inventory"),
            };
            let place = if folder.is_empty() { &path } else { folder.trim_end_matches('/').as_bytes() };
            let fault = if folder.is_empty() { OcflFault::Missing } else { OcflFault::Warning };
            self.findings.push(OcflFinding::new(place, code, why).with_fault(fault));
            return None;
        }
        let bytes = texts.get(&path)?;
        self.compared.insert(path.clone());
        let (inventory, findings) = Inventory::read(&path, bytes, standard);
        self.findings.extend(findings);
        let inventory = inventory?;
        self.check_sidecar(folder, bytes, &inventory, texts);
        Some(inventory)
    }

    fn check_sidecar(&mut self, folder: &str, bytes: &[u8], inventory: &Inventory, texts: &Texts) {
        let Some(name) = &inventory.algorithm else { return };
        let path = format!("{folder}{INVENTORY}.{name}").into_bytes();
        let place = format!("{folder}{INVENTORY}").into_bytes();
        if !self.is_file(&path) {
            let finding =
                OcflFinding::new(&path, "E058", format!("{folder}{INVENTORY} needs its digest beside it"));
            self.findings.push(finding.with_fault(OcflFault::Missing));
            return;
        }
        let Some(text) = texts.get(&path) else { return };
        self.compared.insert(path.clone());
        let stated = str::from_utf8(text).ok().and_then(sidecar_digest);
        let (Some(stated), Some(algorithm)) = (stated, inventory.row()) else {
            let why = "is not a line of a digest and inventory.json";
            return self.findings.push(OcflFinding::new(&path, "E061", why));
        };
        match inventory::digest(algorithm, stated) {
            None => self.findings.push(OcflFinding::new(&path, "E061", format!("has no digest of {name}"))),
            Some(digest) if digest != hash(algorithm, bytes) => {
                self.findings.push(OcflFinding::new(&place, "E060", format!("not the {name} beside it")));
            }
            Some(_) => {}
        }
    }

    /// Finds links and special files, which objects can't have.
    fn check_links(&mut self) {
        let found = self.entries.iter().filter_map(|(path, entry)| {
            let finding = match entry {
                OcflEntry::Link => {
                    OcflFinding::new(path, "E090", "is a symbolic link, which is not followed")
                }
                OcflEntry::Other => OcflFinding::new(path, "E089", "is neither a file nor a folder"),
                OcflEntry::File | OcflEntry::Folder => return None,
            };
            Some(finding.with_fault(OcflFault::Superfluous))
        });
        self.findings.extend(found.collect::<Vec<_>>());
    }

    /// Finds what does not belong into the folder of the object.
    fn check_root_names(&mut self, root: Option<&Inventory>) {
        self.findings.extend(check_extensions(&self.entries, ["E067", "W013"]));
        for (name, entry) in self.names("") {
            let is_known = match entry {
                OcflEntry::File => name.starts_with(OBJECT) || is_inventory(&name, root),
                OcflEntry::Folder => {
                    matches!(&*name, b"logs" | b"extensions") || version_name(&name).is_some()
                }
                OcflEntry::Link | OcflEntry::Other => true,
            };
            if is_known {
                continue;
            }
            let code = if is_sidecar(&name) { "E059" } else { "E001" };
            let mut below: Vec<Vec<u8>> = Vec::new();
            if let (OcflEntry::Folder, Ok(folder)) = (entry, str::from_utf8(&name)) {
                let files = self.below(folder).filter(|(path, entry)| {
                    *entry == OcflEntry::File && path.get(folder.len()) == Some(&b'/')
                });
                below.extend(files.map(|(path, _)| path.clone()));
            }
            if below.is_empty() {
                below.push(name);
            }
            for path in below {
                let finding = OcflFinding::new(&path, code, "does not belong into the folder of an object");
                self.findings.push(finding.with_fault(OcflFault::Superfluous));
            }
        }
    }

    /// Finds what does not belong into the folder of a version.
    fn check_version_names(&mut self, version: VersionName, content: &str, inventory: Option<&Inventory>) {
        let folder = format!("{version}/");
        for (name, entry) in self.names(&folder) {
            let path = [folder.as_bytes(), &name].concat();
            let has_inventory = self.entries.contains_key(format!("{folder}{INVENTORY}").as_bytes());
            let finding = match entry {
                OcflEntry::File if is_inventory(&name, inventory) && has_inventory => continue,
                OcflEntry::File => {
                    OcflFinding::new(&path, "E015", "does not belong into the folder of a version")
                        .with_fault(OcflFault::Superfluous)
                }
                OcflEntry::Folder if name == content.as_bytes() => {
                    self.check_content(&format!("{folder}{content}/"));
                    continue;
                }
                OcflEntry::Folder => OcflFinding::new(&path, "W002", "is not the folder of content"),
                OcflEntry::Link | OcflEntry::Other => continue,
            };
            self.findings.push(finding);
        }
    }

    /// Finds empty folders of content.
    fn check_content(&mut self, folder: &str) {
        let place = folder.trim_end_matches('/').as_bytes();
        if self.below(folder).next().is_none() && !self.unread.contains(place) {
            return self.findings.push(OcflFinding::new(place, "W003", "is empty"));
        }
        let parents: BTreeSet<&[u8]> = self.below(folder).filter_map(|(path, _)| parent(path)).collect();
        let is_empty = |path: &Vec<u8>| !parents.contains(&**path) && !self.unread.contains(path);
        let folders =
            self.below(folder).filter(|(_, entry)| *entry == OcflEntry::Folder).map(|(path, _)| path);
        let empty: Vec<Vec<u8>> = folders.filter(|path| is_empty(path)).cloned().collect();
        let found = empty.into_iter().map(|path| {
            OcflFinding::new(&path, "E024", "is an empty folder").with_fault(OcflFault::Superfluous)
        });
        self.findings.extend(found);
    }

    fn find_inventory(&mut self, folder: &str, code: &'static str, detail: String) {
        self.findings.push(OcflFinding::new(format!("{folder}{INVENTORY}").as_bytes(), code, detail));
    }

    /// Compares the inventory of the object with its declaration and its folders.
    fn check_root(&mut self, root: &Inventory) {
        if let (Some(declared), Some(version)) = (self.version, root.standard)
            && declared != version
        {
            self.find_inventory(
                "",
                "E038",
                format!("its type is that of {version}, and the object declares {declared}"),
            );
        }
        let folders: BTreeSet<VersionName> = self.version_folders().into_iter().collect();
        for name in root.versions.keys().filter(|name| !folders.contains(name)) {
            let finding =
                OcflFinding::new(name.to_string().as_bytes(), "E010", "there is no such version folder");
            self.findings.push(finding.with_fault(OcflFault::Missing));
        }
        for name in folders.iter().filter(|name| !root.versions.contains_key(name)) {
            self.find_inventory("", "E046", format!("has no version {name}, which has a folder"));
        }
    }

    /// Compares the inventories of versions with that of the object.
    fn check_history(&mut self, root: &Inventory, all: &[(VersionName, Inventory)], texts: &Texts) {
        let last = self.version_folders().last().copied();
        let mut before: Option<OcflVersion> = None;
        for (name, inner) in all {
            let folder = format!("{name}/");
            if Some(*name) == last {
                let text = |folder: &str| texts.get(format!("{folder}{INVENTORY}").as_bytes());
                if text("") != text(&folder) {
                    self.find_inventory("", "E064", format!("is not the same as {folder}{INVENTORY}"));
                }
            }
            if inner.id.is_some() && inner.id != root.id {
                self.find_inventory(&folder, "E037", "has another id than the object".into());
            }
            if inner.head.is_some_and(|head| head != *name) {
                self.find_inventory(&folder, "E040", format!("its head is not {name}"));
            }
            if inner.content() != root.content() {
                let code = if name.number == 1 { "E019" } else { "E020" };
                self.find_inventory(&folder, code, "has another contentDirectory than the object".into());
            }
            if inner.standard < before && inner.standard.is_some() {
                self.find_inventory(&folder, "E103", "is of an older OCFL than the version before".into());
            }
            before = inner.standard.or(before);
            self.check_states(root, &folder, inner);
        }
        if root.standard < before && root.standard.is_some() {
            self.find_inventory("", "E103", "is of an older OCFL than a version".into());
        }
    }

    /// Compares what an older inventory says of versions with what that of the object says.
    fn check_states(&mut self, root: &Inventory, folder: &str, inner: &Inventory) {
        let same = Sameness::new(root, inner);
        for (name, version) in &inner.versions {
            let Some(now) = root.versions.get(name) else {
                self.find_inventory(
                    folder,
                    "E066",
                    format!("has a version {name}, which the object has not"),
                );
                continue;
            };
            if !same.is_same(version, now) {
                self.find_inventory(
                    folder,
                    "E066",
                    format!("has other files in version {name} than the object"),
                );
            }
            if version.about != now.about {
                let why = "has another time, message or user of version";
                self.find_inventory(folder, "W011", format!("{why} {name} than the object"));
            }
        }
    }

    /// Finds files of content that an inventory should list.
    fn check_listed(&mut self, root: &Inventory, all: &[(VersionName, Inventory)]) {
        let files: Vec<(VersionName, Vec<u8>)> = self.content_files(root.content());
        for (version, path) in files {
            let lists = |inventory: &Inventory| {
                str::from_utf8(&path).is_ok_and(|path| inventory.manifest.contains_key(path))
            };
            if !lists(root) {
                let finding = OcflFinding::new(&path, "E023", "the inventory does not list it");
                self.findings.push(finding.with_fault(OcflFault::Superfluous));
                continue;
            }
            for (name, inner) in all.iter().filter(|(name, _)| name.number >= version.number) {
                if !lists(inner) {
                    let path = String::from_utf8_lossy(&path);
                    self.find_inventory(&format!("{name}/"), "E023", format!("does not list {path}"));
                }
            }
        }
    }

    fn content_files(&self, content: &str) -> Vec<(VersionName, Vec<u8>)> {
        let mut files = Vec::new();
        for version in self.version_folders() {
            let folder = format!("{version}/{content}/");
            let all = self.below(&folder).filter(|(_, entry)| *entry == OcflEntry::File);
            files.extend(all.map(|(path, _)| (version, path.clone())));
        }
        files
    }

    /// Keeps the digests that an inventory states.
    fn state(&mut self, folder: &str, inventory: &Inventory) {
        let by: Arc<str> = format!("{folder}{INVENTORY}").into();
        let row = inventory.row();
        let manifest = inventory.manifest.iter().filter_map(|(path, key)| {
            let algorithm = row?;
            Some((path, algorithm, inventory::digest(algorithm, key)?, "E092"))
        });
        let fixity = inventory.fixity.iter().map(|(path, row, digest)| (path, *row, *digest, "E093"));
        for (path, algorithm, digest, code) in manifest.chain(fixity) {
            let all = self.stated.entry(path.as_bytes().into()).or_default();
            let is_stated = |stated: &Stated| {
                stated.algorithm == algorithm && stated.digest == digest && stated.code == code
            };
            if !all.iter().any(is_stated) {
                all.push(Stated { algorithm, digest, code, by: Arc::clone(&by) });
            }
        }
    }

    /// Finds files that an inventory lists and that are not there, or no files.
    fn check_missing(&mut self) {
        for (path, all) in &self.stated {
            let mut above = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
            if self.is_file(path) || above.any(|(end, _)| self.unread.contains(&path[..end])) {
                continue;
            }
            let codes: BTreeSet<&'static str> = all.iter().map(|stated| stated.code).collect();
            let is_there = self.entries.contains_key(path);
            let fault = if is_there { OcflFault::Unsupported } else { OcflFault::Missing };
            let why = if is_there { "is not a file, and" } else { "is not there, and" };
            for code in codes {
                let by = all.iter().find(|stated| stated.code == code).map_or("", |stated| &stated.by);
                self.findings
                    .push(OcflFinding::new(path, code, format!("{why} {by} lists it")).with_fault(fault));
            }
        }
    }
}

/// The comparison of logical states in two inventories, which may be by different algorithms.
struct Sameness<'a> {
    has_same_algorithm: bool,
    root: BTreeMap<&'a str, BTreeSet<&'a str>>,
    inner: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Sameness<'a> {
    fn new(root: &'a Inventory, inner: &'a Inventory) -> Sameness<'a> {
        let has_same_algorithm = root.algorithm == inner.algorithm;
        let paths = |inventory: &'a Inventory| {
            let mut paths: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
            for (path, digest) in inventory.manifest.iter().filter(|_| !has_same_algorithm) {
                paths.entry(digest).or_default().insert(path);
            }
            paths
        };
        Sameness { has_same_algorithm, root: paths(root), inner: paths(inner) }
    }

    /// Whether two states have the same paths with the same content. Contents by different algorithms are the same if they
    /// are in the same files.
    fn is_same(&self, inner: &Version, root: &Version) -> bool {
        let is_same = |inner: &str, root: &str| match self.has_same_algorithm {
            true => inner.eq_ignore_ascii_case(root),
            false => match (self.inner.get(inner), self.root.get(root)) {
                (Some(inner), Some(root)) => inner.is_subset(root),
                _ => false,
            },
        };
        let mut pairs = inner.state.iter().zip(&root.state);
        inner.state.len() == root.state.len()
            && pairs.all(|((path, digest), (other, now))| path == other && is_same(digest, now))
    }
}

/// Returns whether a file is read whole, by its path in the object.
fn is_text(path: &[u8]) -> bool {
    let (folder, name) = match path.iter().position(|byte| *byte == b'/') {
        None => (None, path),
        Some(end) => (Some(&path[..end]), &path[end + 1..]),
    };
    let is_in_place = folder.is_none_or(|folder| version_name(folder).is_some());
    let is_declaration = folder.is_none() && name.starts_with(OBJECT);
    is_declaration || is_in_place && (name == INVENTORY.as_bytes() || is_sidecar(name))
}

fn is_sidecar(name: &[u8]) -> bool {
    let rest = name.strip_prefix(INVENTORY.as_bytes()).and_then(|rest| rest.strip_prefix(b"."));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.contains(&b'/'))
}

/// Whether a file is an inventory or the digest beside it; any algorithm does if the inventory can't be used.
fn is_inventory(name: &[u8], inventory: Option<&Inventory>) -> bool {
    let algorithm = inventory.and_then(|inventory| inventory.algorithm.as_deref());
    let sidecar = algorithm.map(|algorithm| format!("{INVENTORY}.{algorithm}"));
    let is_digest = sidecar.map_or_else(|| is_sidecar(name), |sidecar| name == sidecar.as_bytes());
    name == INVENTORY.as_bytes() || is_digest
}

fn version_name(name: &[u8]) -> Option<VersionName> {
    VersionName::parse(str::from_utf8(name).ok()?)
}

fn parent(path: &[u8]) -> Option<&[u8]> {
    path.iter().rposition(|byte| *byte == b'/').map(|end| &path[..end])
}

/// Returns the digest of a line `DIGEST inventory.json`.
fn sidecar_digest(text: &str) -> Option<&str> {
    let line = text.trim_end_matches(['\n', '\r']);
    let (digest, name) = line.split_once([' ', '\t'])?;
    (name.trim_start_matches([' ', '\t']) == INVENTORY).then_some(digest)
}
