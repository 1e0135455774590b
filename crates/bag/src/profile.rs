//! BagIt Profiles (1.x): what an archive wants of the bags that it takes, beyond the standard.

use crate::list::{ListKind, algorithm_of};
use crate::{Bag, Finding, FindingKind, Oxum};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A profile.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct Profile {
    #[serde(rename = "BagIt-Profile-Info")]
    about: About,
    #[serde(rename = "Bag-Info", default)]
    fields: BTreeMap<String, Field>,
    #[serde(rename = "Manifests-Required", default)]
    manifests_required: Vec<String>,
    #[serde(rename = "Manifests-Allowed")]
    manifests_allowed: Option<Vec<String>>,
    #[serde(rename = "Tag-Manifests-Required", default)]
    tag_manifests_required: Vec<String>,
    #[serde(rename = "Tag-Manifests-Allowed")]
    tag_manifests_allowed: Option<Vec<String>>,
    #[serde(rename = "Allow-Fetch.txt", default = "yes")]
    allows_fetch: bool,
    #[serde(rename = "Fetch.txt-Required", default)]
    needs_fetch: bool,
    #[serde(default)]
    serialization: Serialization,
    #[serde(rename = "Accept-Serialization", default)]
    types: Vec<String>,
    #[serde(rename = "Accept-BagIt-Version")]
    versions: Option<Vec<String>>,
    #[serde(rename = "Tag-Files-Required", default)]
    tag_files_required: Vec<String>,
    #[serde(rename = "Tag-Files-Allowed")]
    tag_files_allowed: Option<Vec<String>>,
    #[serde(rename = "Payload-Files-Required", default)]
    payload_required: Vec<String>,
    #[serde(rename = "Payload-Files-Allowed")]
    payload_allowed: Option<Vec<String>>,
    #[serde(rename = "Data-Empty", default)]
    is_empty: bool,
}

/// The description of a profile by itself; all but its name is for people.
#[derive(Debug, Deserialize)]
struct About {
    #[serde(rename = "BagIt-Profile-Identifier")]
    identifier: String,
}

/// The rules for a field of `bag-info.txt`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Field {
    #[serde(default)]
    required: bool,
    #[serde(default)]
    values: Vec<String>,
    #[serde(default = "yes")]
    repeatable: bool,
    #[serde(rename = "description", default)]
    _description: Option<String>,
}

/// Whether bags come as archives.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Serialization {
    Forbidden,
    Required,
    #[default]
    Optional,
}

/// The reason why a profile can't be used.
#[derive(Debug)]
pub struct BadProfile(serde_json::Error);

/// The facts that a profile is compared with, beside tag files.
#[derive(Debug, Default)]
pub(crate) struct Profiled {
    /// The media types of the archive that the bag is in, if it is in one.
    pub(crate) types: Option<&'static [&'static str]>,
    /// The paths of all files.
    pub(crate) paths: BTreeSet<String>,
}

fn yes() -> bool {
    true
}

impl Profile {
    /// Reads a profile. What it wants and is not known here can't be ignored, so it is an error.
    ///
    /// # Errors
    /// If it is no profile of version 1.
    pub fn parse(bytes: &[u8]) -> Result<Profile, BadProfile> {
        serde_json::from_slice(bytes).map_err(BadProfile)
    }

    /// Returns the differences of a bag from what the profile wants.
    pub(crate) fn judge(&self, bag: &Bag, seen: &Profiled, payload: Oxum) -> Vec<Finding> {
        let mut faults = Vec::new();
        self.judge_form(bag, seen, &mut faults);
        self.judge_fields(bag, &mut faults);
        self.judge_lists(bag, &mut faults);
        self.judge_files(seen, payload, &mut faults);
        faults.into_iter().map(|(path, detail)| Finding::new(FindingKind::Profile, path, detail)).collect()
    }

    fn judge_form(&self, bag: &Bag, seen: &Profiled, faults: &mut Vec<(String, String)>) {
        let mut find = |detail: String| faults.push((String::new(), detail));
        let version = bag.declaration.version.to_string();
        if self.versions.as_ref().is_some_and(|versions| !versions.contains(&version)) {
            find(format!("BagIt {version} is not accepted"));
        }
        match (&self.serialization, seen.types) {
            (Serialization::Required, None) => find("the bag must be in an archive".into()),
            (Serialization::Forbidden, Some(_)) => find("the bag must not be in an archive".into()),
            (_, Some(types))
                if !self.types.is_empty() && !self.types.iter().any(|name| types.contains(&&**name)) =>
            {
                find(format!("the archive is none of {}", self.types.join(", ")));
            }
            _ => {}
        }
        let has_fetch = seen.paths.contains("fetch.txt");
        if has_fetch && !self.allows_fetch {
            find("there must be no fetch.txt".into());
        } else if !has_fetch && self.needs_fetch {
            find("there must be a fetch.txt".into());
        }
    }

    fn judge_fields(&self, bag: &Bag, faults: &mut Vec<(String, String)>) {
        let info = bag.info.as_ref();
        let values = |label: &str| -> Vec<&str> {
            let fields = info.into_iter().flat_map(|info| &info.fields);
            let same = fields.filter(|(known, _)| known.eq_ignore_ascii_case(label));
            same.map(|(_, value)| value.as_str()).collect()
        };
        let mut find = |detail| faults.push((bag.declaration.version.info_name().into(), detail));
        let name = &self.about.identifier;
        if !values("BagIt-Profile-Identifier").contains(&name.as_str()) {
            find(format!("BagIt-Profile-Identifier must be {name}"));
        }
        for (label, field) in &self.fields {
            let values = values(label);
            if field.required && values.is_empty() {
                find(format!("{label} must be there"));
            }
            if !field.repeatable && values.len() > 1 {
                find(format!("{label} must not be there more than once"));
            }
            let is_other = |value: &&&str| {
                !field.values.is_empty() && !field.values.iter().any(|known| known == **value)
            };
            for value in values.iter().filter(is_other) {
                find(format!("{label} must not be '{value}'"));
            }
        }
    }

    fn judge_lists(&self, bag: &Bag, faults: &mut Vec<(String, String)>) {
        let kinds = [
            (ListKind::Payload, "manifest", &self.manifests_required, &self.manifests_allowed),
            (ListKind::Tags, "tag manifest", &self.tag_manifests_required, &self.tag_manifests_allowed),
        ];
        for (kind, word, required, allowed) in kinds {
            let lists = || bag.lists.iter().filter(|list| list.of == kind);
            for name in required {
                let wanted = algorithm_of(name);
                if !lists().any(|list| Some(list.algorithm) == wanted) {
                    faults.push((String::new(), format!("there must be a {word} by {name}")));
                }
            }
            let Some(allowed) = allowed else { continue };
            for list in lists() {
                if !allowed.iter().any(|name| algorithm_of(name) == Some(list.algorithm)) {
                    faults.push((list.name.clone(), format!("there must be no such {word}")));
                }
            }
        }
    }

    fn judge_files(&self, seen: &Profiled, payload: Oxum, faults: &mut Vec<(String, String)>) {
        for path in self.tag_files_required.iter().chain(&self.payload_required) {
            if !seen.paths.contains(path) {
                faults.push((path.clone(), "this file must be there".into()));
            }
        }
        let is_payload = |path: &str| path.starts_with("data/");
        for path in &seen.paths {
            let allowed = if is_payload(path) { &self.payload_allowed } else { &self.tag_files_allowed };
            let Some(allowed) = allowed.as_ref().filter(|_| !is_of_bagit(path)) else { continue };
            if !allowed.iter().any(|pattern| matches(pattern, path)) {
                faults.push((path.clone(), "this file must not be there".into()));
            }
        }
        if self.is_empty && (payload.streams > 1 || payload.octets > 0) {
            faults.push((String::new(), "the payload must be empty, or one empty file".into()));
        }
    }
}

/// Whether a file is one of those that BagIt itself has, which need no permission.
fn is_of_bagit(path: &str) -> bool {
    let is_list = crate::List::recognise(path).is_some();
    is_list || matches!(path, "bagit.txt" | "bag-info.txt" | "package-info.txt" | "fetch.txt")
}

/// Whether a path has the form of a pattern, in which an asterisk stands for any characters.
fn matches(pattern: &str, path: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|start| path.strip_prefix(start)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

impl fmt::Display for BadProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "is not a BagIt profile of version 1 that can be used: {}", self.0)
    }
}

impl std::error::Error for BadProfile {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PayloadFolder;
    use crate::{Judge, Level, Seen};

    fn found(profile: &str, types: Option<&'static [&'static str]>) -> Vec<(String, String)> {
        let about =
            r#""BagIt-Profile-Info": {"BagIt-Profile-Identifier": "http://x/p.json", "Version": "1"}"#;
        let profile = Profile::parse(format!("{{{about}{profile}}}").as_bytes()).unwrap();
        let mut bag = Bag::parse(crate::Declaration::TEXT.as_bytes()).unwrap();
        let info = "BagIt-Profile-Identifier: http://x/p.json\nColour: red\nColour: blue\nSize: 1\n";
        bag.add_tag_file("bag-info.txt", info.as_bytes());
        bag.add_tag_file("manifest-md5.txt", b"");
        let mut judge = Judge::new(bag, Level::Complete).with_profile(profile, types);
        for path in ["bagit.txt", "bag-info.txt", "manifest-md5.txt", "notes/a.txt"] {
            judge.file(path.as_bytes(), &Seen::default());
        }
        let findings = judge.finish(PayloadFolder::Present).findings.into_iter();
        findings
            .filter(|found| found.kind == FindingKind::Profile)
            .map(|found| (found.path, found.detail))
            .collect()
    }

    #[test]
    fn a_bag_has_what_its_profile_wants() {
        const ZIP: Option<&[&str]> = Some(&["application/zip"]);
        for (profile, types, wanted) in [
            ("", None, ""),
            (r#", "Bag-Info": {"Colour": {"required": true, "description": "x"}}"#, None, ""),
            (r#", "Bag-Info": {"Weight": {"required": true}}"#, None, "Weight must be there"),
            (r#", "Bag-Info": {"colour": {"repeatable": false}}"#, None, "not be there more than once"),
            (r#", "Bag-Info": {"Colour": {"values": ["red"]}}"#, None, "must not be 'blue'"),
            (r#", "Bag-Info": {"Size": {"values": ["1"], "repeatable": false}}"#, None, ""),
            (r#", "Manifests-Required": ["md5"], "Manifests-Allowed": ["md5", "sha512"]"#, None, ""),
            (r#", "Manifests-Required": ["sha512"]"#, None, "a manifest by sha512"),
            (r#", "Manifests-Allowed": ["sha512"]"#, None, "no such manifest"),
            (r#", "Tag-Manifests-Required": ["md5"]"#, None, "a tag manifest by md5"),
            (r#", "Allow-Fetch.txt": false"#, None, ""),
            (r#", "Fetch.txt-Required": true"#, None, "must be a fetch.txt"),
            (r#", "Serialization": "required""#, None, "must be in an archive"),
            (r#", "Serialization": "forbidden""#, ZIP, "must not be in an archive"),
            ("", ZIP, ""),
            (r#", "Accept-Serialization": ["application/tar"]"#, ZIP, "none of application/tar"),
            (r#", "Serialization": "required", "Accept-Serialization": ["application/zip"]"#, ZIP, ""),
            (r#", "Accept-BagIt-Version": ["0.97"]"#, None, "BagIt 1.0 is not accepted"),
            (r#", "Tag-Files-Required": ["notes/a.txt"], "Tag-Files-Allowed": ["notes/*"]"#, None, ""),
            (r#", "Tag-Files-Required": ["b"]"#, None, "this file must be there"),
            (r#", "Tag-Files-Allowed": []"#, None, "must not be there"),
            (r#", "Payload-Files-Required": ["data/a"]"#, None, "this file must be there"),
            (r#", "Data-Empty": true"#, None, ""),
        ] {
            let found = found(profile, types);
            assert_eq!(found.len(), usize::from(!wanted.is_empty()), "{profile}: {found:?}");
            assert!(found.iter().all(|(_, detail)| detail.contains(wanted)), "{profile}: {found:?}");
        }
    }

    #[test]
    fn what_is_not_known_of_a_profile_is_refused() {
        for text in ["", "{}", "[]", r#"{"BagIt-Profile-Info": {"BagIt-Profile-Identifier": "x"}, "New": 1}"#]
        {
            assert!(Profile::parse(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn asterisks_stand_for_any_characters() {
        for (pattern, path) in
            [("*", "a/b"), ("a*", "a"), ("a*b*c", "a/xbxc"), ("DPN/*", "DPN/a"), ("a", "a")]
        {
            assert!(matches(pattern, path), "{pattern}");
        }
        for (pattern, path) in [("", "a"), ("a", "ab"), ("a*b", "acb/"), ("a*bb*b", "abb"), ("*x", "a")] {
            assert!(!matches(pattern, path), "{pattern}");
        }
    }
}
