//! Storage roots: their declarations and layouts, and the folders between them and their objects.

use super::finding::{OcflFault, OcflFinding};
use super::json::Json;
use super::layout::StorageLayout;
use super::names::OcflVersion;
use super::object::OcflEntry;
use super::{EXTENSIONS, INVENTORY, OBJECT, ROOT};
use std::collections::{BTreeMap, BTreeSet};

/// The kind of a folder, by the names in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OcflPlace {
    /// An object; also one that lost its declaration.
    Object,
    /// A storage root.
    Root,
    /// Neither.
    Other,
}

impl OcflPlace {
    /// Returns the kind of a folder with these names.
    pub fn new<'n>(names: impl IntoIterator<Item = &'n [u8]>) -> OcflPlace {
        let mut place = OcflPlace::Other;
        for name in names {
            if name.starts_with(OBJECT) {
                return OcflPlace::Object;
            } else if name.starts_with(ROOT) {
                place = OcflPlace::Root;
            } else if name == INVENTORY.as_bytes() && place == OcflPlace::Other {
                place = OcflPlace::Object;
            }
        }
        place
    }
}

/// Finds exactly one declaration among the files of a folder, and returns what it says.
pub(crate) fn declared(
    names: &[&[u8]],
    start: &[u8],
    codes: [&'static str; 3],
    findings: &mut Vec<OcflFinding>,
) -> Option<OcflVersion> {
    let [none, number, kind] = codes;
    let find = |path: &[u8], code, why: &str| OcflFinding::new(path, code, why);
    let [name] = names else {
        let why =
            if names.is_empty() { "has no declaration of its version" } else { "has several declarations" };
        findings.push(find(
            names.first().copied().unwrap_or_default(),
            if names.is_empty() { none } else { number },
            why,
        ));
        return None;
    };
    let version = name.strip_prefix(start).and_then(OcflVersion::from_number);
    if version.is_none() {
        let why = "is no declaration of OCFL 1.0 or 1.1";
        findings.push(find(name, kind, why).with_fault(OcflFault::Unsupported));
    }
    version
}

/// Compares the text of a declaration with its name.
pub(crate) fn check_declaration(name: &[u8], text: &[u8], code: &'static str) -> Option<OcflFinding> {
    let wanted = name.strip_prefix(b"0=").unwrap_or(name);
    let is_right = text.strip_suffix(b"\n") == Some(wanted);
    let detail = format!("its text is not {} and a line feed", String::from_utf8_lossy(wanted));
    (!is_right).then(|| OcflFinding::new(name, code, detail))
}

/// A storage root as it is being checked.
#[derive(Debug, Default)]
pub struct OcflRoot {
    /// The version that it declares.
    pub version: Option<OcflVersion>,
    layout: Option<StorageLayout>,
    /// The numbers of folders between the root and objects.
    depths: BTreeSet<usize>,
    findings: Vec<OcflFinding>,
}

impl OcflRoot {
    /// Returns whether a file of a storage root is read whole: its declaration and its layout.
    pub fn is_text(name: &[u8]) -> bool {
        let is_config = name.starts_with(b"extensions/0") && name.ends_with(b"-layout/config.json");
        name.starts_with(ROOT) || name == b"ocfl_layout.json" || is_config
    }

    /// Checks what is in the folder of a storage root, with its extensions as `extensions/NAME`.
    pub fn new(entries: &BTreeMap<Vec<u8>, OcflEntry>, texts: &BTreeMap<Vec<u8>, Vec<u8>>) -> OcflRoot {
        let mut findings = Vec::new();
        let files = entries.iter().filter(|(_, entry)| **entry == OcflEntry::File).map(|(path, _)| &**path);
        let declarations: Vec<&[u8]> = files.filter(|name| name.starts_with(ROOT)).collect();
        let version = declared(&declarations, ROOT, ["E069", "E076", "E079"], &mut findings);
        for name in &declarations {
            findings.extend(texts.get(*name).and_then(|text| check_declaration(name, text, "E080")));
        }
        if let Some(layout) = texts.get(&b"ocfl_layout.json"[..]) {
            findings.extend(check_layout(layout));
        }
        let file = version.unwrap_or(OcflVersion::V1_1).code("E112", "E067");
        findings.extend(check_extensions(entries, [file, "W016"]));
        let config = |name: &str| texts.get(format!("extensions/{name}/config.json").as_bytes()).cloned();
        let layout = StorageLayout::read(texts.get(&b"ocfl_layout.json"[..]).map(Vec::as_slice), config);
        OcflRoot { version, layout, depths: BTreeSet::new(), findings }
    }

    /// Takes an object, by its path below the root.
    pub fn object(&mut self, path: &[u8], id: Option<&str>) {
        self.depths.insert(path.iter().filter(|byte| **byte == b'/').count());
        let wanted = self.layout.as_ref().zip(id).and_then(|(layout, id)| layout.path(id));
        if let Some(wanted) = wanted.filter(|wanted| wanted.as_bytes() != path) {
            let why = format!("by the layout of the storage root, its object is in {wanted}");
            self.findings.push(OcflFinding::new(path, "E083", why));
        }
    }

    /// Takes a folder between the root and its objects, which holds so many objects and folders.
    pub fn folder(&mut self, path: &[u8], is_empty: bool) {
        if is_empty {
            let finding = OcflFinding::new(path, "E073", "is an empty folder");
            self.findings.push(finding.with_fault(OcflFault::Superfluous));
        }
    }

    /// Takes a file or a link outside of objects.
    pub fn stray(&mut self, path: &[u8], entry: OcflEntry) {
        let (code, why) = match entry {
            OcflEntry::Link => ("E090", "is a symbolic link"),
            _ => ("E072", "is no part of an object"),
        };
        self.findings.push(OcflFinding::new(path, code, why).with_fault(OcflFault::Superfluous));
    }

    /// Returns whether something was found about a path.
    pub fn has_findings(&self, path: &[u8]) -> bool {
        self.findings.iter().any(|finding| finding.path == path)
    }

    /// Returns the findings, in the order of their paths.
    pub fn finish(mut self) -> Vec<OcflFinding> {
        let mut warn = |code, why: &str| self.findings.push(OcflFinding::new(b"", code, why));
        let is_mixed = self.depths.contains(&0) && self.depths.len() > 1;
        if is_mixed {
            warn("W015", "has objects in its folder, and others below further folders");
        }
        // A layout that is stated tells more of each object, or may have several depths.
        if self.layout.is_none() && self.depths.len() > 1 + usize::from(is_mixed) {
            warn("W014", "has objects below different numbers of folders, as several layouts have them");
        }
        self.findings.sort();
        self.findings
    }
}

fn check_layout(bytes: &[u8]) -> Option<OcflFinding> {
    let find = |code, why: &str| Some(OcflFinding::new(b"ocfl_layout.json", code, why));
    let Ok(layout) = Json::parse(bytes) else { return find("E070", "is not JSON") };
    let text = |key| layout.get(key).and_then(Json::text);
    match (text("extension"), text("description")) {
        (Some(name), Some(_)) if EXTENSIONS.contains(&name) => None,
        (Some(_), Some(_)) => find("E071", "names an extension that is not registered"),
        _ => find("E070", "has not the texts extension and description"),
    }
}

/// Checks the folder of extensions: only folders are in it, with registered names.
pub(crate) fn check_extensions(
    entries: &BTreeMap<Vec<u8>, OcflEntry>,
    [file, name]: [&'static str; 2],
) -> Vec<OcflFinding> {
    let below = |path: &[u8]| path.strip_prefix(b"extensions/").is_some_and(|rest| !rest.contains(&b'/'));
    let all = entries.iter().filter(|(path, _)| below(path));
    let found = all.filter_map(|(path, entry)| match entry {
        OcflEntry::Folder => {
            let is_known = EXTENSIONS.iter().any(|known| path.ends_with(format!("/{known}").as_bytes()));
            (!is_known).then(|| OcflFinding::new(path, name, "is not the name of a registered extension"))
        }
        // Links are told wherever they are.
        OcflEntry::Link => None,
        _ => {
            let finding = OcflFinding::new(path, file, "is in the folder of extensions, and no folder");
            Some(finding.with_fault(OcflFault::Superfluous))
        }
    });
    found.collect()
}
