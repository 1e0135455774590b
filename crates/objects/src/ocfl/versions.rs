//! The versions of an inventory.

use super::dates::is_time;
use super::inventory::Reader;
use super::json::Json;
use super::names::VersionName;
use super::paths::{self, conflicts, is_uri};
use std::collections::{BTreeMap, HashSet};

/// A version of an object.
#[derive(Debug, Default)]
pub(crate) struct Version {
    /// The digest of each logical path, as its key is written.
    pub(crate) state: BTreeMap<Box<str>, Box<str>>,
    /// The time, the message and the user.
    pub(crate) about: [Option<Json>; 3],
}

/// Reads the versions of an inventory whose manifest has these digests.
pub(crate) fn read(
    reader: &mut Reader<'_>,
    json: &Json,
    digests: &HashSet<Box<str>>,
) -> BTreeMap<VersionName, Version> {
    let Some(value) = json.get("versions") else {
        reader.find("E043", "has no versions");
        return BTreeMap::new();
    };
    let Some(pairs) = value.object() else {
        reader.find("E044", "its versions are no JSON object");
        return BTreeMap::new();
    };
    if pairs.is_empty() {
        reader.find("E008", "has no version");
    }
    let mut versions = BTreeMap::new();
    for (key, block) in pairs {
        let Some(name) = VersionName::parse(key) else {
            reader.find("E046", format!("has a version {key}, which is no name of one"));
            continue;
        };
        let version = read_version(reader, key, block, digests);
        if versions.insert(name, version).is_some() {
            reader.find("E033", format!("has the version {key} twice"));
        }
    }
    check_names(reader, &versions);
    versions
}

/// Checks that versions count from 1, and that their names are of one kind.
fn check_names(reader: &mut Reader<'_>, versions: &BTreeMap<VersionName, Version>) {
    let Some(first) = versions.keys().next().copied() else { return };
    if first.number != 1 {
        reader.find("E009", format!("its first version is {first}"));
    }
    if first.is_padded() {
        reader.find("W001", format!("its versions have names with zeros, as {first}"));
    }
    let mut before = first.number;
    for name in versions.keys().skip(1) {
        if name.number > before + 1 {
            reader.find("E010", format!("has no version between {before} and {}", name.number));
        } else if name.number == before {
            reader.find("E012", format!("has the version {} twice", name.number));
        }
        before = name.number;
        for code in name.faults_after(first) {
            reader.find(code, format!("has a version {name}, and the first one is {first}"));
        }
    }
}

fn read_version(reader: &mut Reader<'_>, name: &str, block: &Json, digests: &HashSet<Box<str>>) -> Version {
    if block.object().is_none() {
        reader.find("E047", format!("version {name} is no JSON object"));
        return Version::default();
    }
    reader.check_keys(&format!("version {name}"), block, &["created", "state", "message", "user"]);
    match block.get("created") {
        None => reader.find("E048", format!("version {name} has no time of creation")),
        Some(time) if !time.text().is_some_and(is_time) => {
            let why = "has a time of creation that is none of RFC 3339 with seconds and offset";
            reader.find("E049", format!("version {name} {why}"));
        }
        Some(_) => {}
    }
    check_message(reader, name, block);
    check_user(reader, name, block);
    let about = ["created", "message", "user"].map(|key| block.get(key).cloned());
    Version { state: read_state(reader, name, block, digests), about }
}

fn check_message(reader: &mut Reader<'_>, name: &str, block: &Json) {
    match block.get("message") {
        None => reader.find("W007", format!("version {name} has no message")),
        Some(message) if message.text().is_none() => {
            reader.find("E094", format!("version {name} has a message that is no text"));
        }
        Some(_) => {}
    }
}

fn check_user(reader: &mut Reader<'_>, name: &str, block: &Json) {
    let Some(user) = block.get("user") else {
        return reader.find("W007", format!("version {name} has no user"));
    };
    if user.get("name").and_then(Json::text).is_none_or(str::is_empty) {
        return reader.find("E054", format!("version {name} has a user without a name"));
    }
    reader.check_keys(&format!("the user of version {name}"), user, &["name", "address"]);
    match user.get("address") {
        None => reader.find("W008", format!("version {name} has a user without an address")),
        Some(address) if !address.text().is_some_and(is_uri) => {
            reader.find("W009", format!("version {name} has a user whose address is no URI"));
        }
        Some(_) => {}
    }
}

/// Reads the logical paths of a version.
fn read_state(
    reader: &mut Reader<'_>,
    name: &str,
    block: &Json,
    digests: &HashSet<Box<str>>,
) -> BTreeMap<Box<str>, Box<str>> {
    let mut state = BTreeMap::new();
    let Some(value) = block.get("state") else {
        reader.find("E048", format!("version {name} has no state"));
        return state;
    };
    let Some(pairs) = value.object() else {
        reader.find("E050", format!("version {name} has a state that is no JSON object"));
        return state;
    };
    let mut met = HashSet::new();
    for (key, value) in pairs {
        if !digests.contains(key) || !met.insert(key) {
            let why = if digests.contains(key) { "twice" } else { "which the manifest has not" };
            reader.find("E050", format!("version {name} has the digest {key}, {why}"));
        }
        let Some(all) = value.texts() else {
            reader.find("E051", format!("version {name} has no list of paths for {key}"));
            continue;
        };
        for path in all {
            if let Some(code) = paths::fault(path, ["E053", "E052"]) {
                reader.find(code, format!("version {name}: {path} can't be the path of a file"));
            }
            if state.insert(path.into(), key.clone()).is_some() {
                reader.find("E095", format!("version {name} has {path} twice"));
            }
        }
    }
    for path in conflicts(state.keys().map(|path| &**path)) {
        reader.find("E095", format!("version {name} has {path}, and a file above it"));
    }
    state
}
