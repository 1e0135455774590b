//! Compares the content of a bag with its tag files.

use crate::list::ListKind;
use crate::listed::{letters, twins};
use crate::profile::Profiled;
use crate::{Bag, Finding, FindingKind, Oxum, Profile, Severity, Version};
use hashmill_digest::{Algorithm, Digest};
use std::collections::BTreeMap;

/// The depth of a verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Compare the payload's size with `Payload-Oxum`.
    Oxum,
    /// Also: every listed file exists, and there is no other payload.
    Complete,
    /// Also: every digest matches.
    Valid,
}

impl Level {
    /// All levels, the least first.
    pub const ALL: [Level; 3] = [Level::Oxum, Level::Complete, Level::Valid];

    /// Returns the word for programs.
    pub fn word(self) -> &'static str {
        match self {
            Level::Oxum => "oxum",
            Level::Complete => "complete",
            Level::Valid => "valid",
        }
    }
}

/// The observed properties of a file.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// The size in bytes, if known.
    pub size: Option<u64>,
    /// The digests; needed for [`Level::Valid`].
    pub digests: Vec<(&'static Algorithm, Digest)>,
}

/// Whether a bag has the directory `data`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PayloadFolder {
    /// It is there.
    Present,
    /// It is not there.
    Absent,
}

/// A verification in progress.
#[derive(Debug)]
pub struct Judge {
    bag: Bag,
    level: Level,
    allows_weak: bool,
    payload: Oxum,
    /// Files that no manifest lists under exactly this name.
    unlisted: Vec<(String, Seen)>,
    profile: Option<(Profile, Profiled)>,
}

/// The result of a verification.
#[derive(Debug)]
pub struct Judged {
    /// All findings, sorted by path.
    pub findings: Vec<Finding>,
    /// The payload's size.
    pub payload: Oxum,
}

impl Judged {
    /// Whether the bag passes: there is nothing worse than notes.
    pub fn is_good(&self) -> bool {
        self.worst().is_none_or(|worst| worst == Severity::Note)
    }

    /// Returns the gravest severity among the findings.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.kind.severity()).max()
    }
}

impl Judge {
    /// Starts the verification of a bag.
    pub fn new(bag: Bag, level: Level) -> Judge {
        let (payload, unlisted) = (Oxum::default(), Vec::new());
        Judge { bag, level, allows_weak: false, payload, unlisted, profile: None }
    }

    /// Sets whether a bag may be valid whose payload manifests are checksums alone.
    #[must_use]
    pub fn allowing_weak(self, allows_weak: bool) -> Judge {
        Judge { allows_weak, ..self }
    }

    /// Compares the bag with a profile, too. `types`: the media types of the archive that it is in, if it is in one.
    #[must_use]
    pub fn with_profile(self, profile: Profile, types: Option<&'static [&'static str]>) -> Judge {
        Judge { profile: Some((profile, Profiled { types, ..Profiled::default() })), ..self }
    }

    /// Takes a file by its path below the bag. Each path must come once.
    pub fn file(&mut self, path: &[u8], seen: &Seen) {
        if path.starts_with(b"data/") {
            self.payload.add(seen.size.unwrap_or(0));
        }
        if let Some((_, profiled)) = &mut self.profile {
            profiled.paths.insert(String::from_utf8_lossy(path).into_owned());
        }
        if self.level == Level::Oxum {
            return;
        }
        match str::from_utf8(path) {
            Ok(path) if self.bag.listed.0.contains_key(path) => self.compare(path, seen),
            Ok(path) => self.unlisted.push((path.to_string(), seen.clone())),
            Err(_) => self.extra(&String::from_utf8_lossy(path), "is not UTF-8, so no manifest can list it"),
        }
    }

    /// Takes another file with a path that came before, which differs from the first one: an archive can have both. Both
    /// must be right.
    pub fn file_again(&mut self, path: &[u8], seen: &Seen) {
        let name = str::from_utf8(path).ok();
        let is_listed = name.is_some_and(|name| self.bag.listed.0.contains_key(name));
        if let Some(name) = name.filter(|_| is_listed && self.level == Level::Valid) {
            self.compare_digests(name, seen);
            return;
        }
        let speaks = name.is_some_and(|name| name == "bagit.txt" || self.bag.is_tag_file(name));
        if is_listed || speaks || path.starts_with(b"data/") {
            let why = "there are several files with this path, and they differ";
            self.find(FindingKind::Ambiguous, String::from_utf8_lossy(path), why);
        }
    }

    /// Adds a finding about the place of the bag, such as an archive with a path that leads out of it.
    pub fn add_finding(&mut self, kind: FindingKind, path: &[u8], detail: &str) {
        self.find(kind, String::from_utf8_lossy(path), detail);
    }

    /// Takes a file or directory that could not be read.
    pub fn unreadable(&mut self, path: &[u8], why: String) {
        self.met(path);
        self.find(FindingKind::Unreadable, String::from_utf8_lossy(path), why);
    }

    /// Takes something that is not a regular file: a finding if a payload or tag file is expected at its path.
    pub fn other(&mut self, path: &[u8], kind: FindingKind, what: &str) {
        let speaks = str::from_utf8(path).is_ok_and(|path| self.bag.is_tag_file(path));
        if self.met(path) || speaks || path.starts_with(b"data/") || path == b"data" {
            self.find(kind, String::from_utf8_lossy(path), what);
        }
    }

    /// Ends the verification, after all paths.
    pub fn finish(mut self, payload: PayloadFolder) -> Judged {
        if payload == PayloadFolder::Absent {
            self.find(FindingKind::NoPayload, "data", "there is no such directory");
        }
        self.compare_oxum();
        if self.level > Level::Oxum {
            self.note_twins();
            self.judge_unlisted();
            self.judge_lists();
            self.bag.find_unlisted_manifests();
            self.judge_missing();
        }
        if let Some((profile, profiled)) = &self.profile {
            let found = profile.judge(&self.bag, profiled, self.payload);
            self.bag.findings.extend(found);
        }
        let mut findings = self.bag.findings;
        findings.sort_by(|a, b| (&a.path, a.kind, &a.detail).cmp(&(&b.path, b.kind, &b.detail)));
        Judged { findings, payload: self.payload }
    }

    /// Marks a path as found. Returns whether a manifest lists it.
    fn met(&mut self, path: &[u8]) -> bool {
        let place = str::from_utf8(path).ok().and_then(|path| self.bag.listed.0.get_mut(path));
        place.map(|place| place.met = true).is_some()
    }

    fn compare(&mut self, path: &str, seen: &Seen) {
        let Some(payload) = self.compare_digests(path, seen) else { return };
        let is_payload = path.starts_with("data/");
        if is_payload && payload == 0 {
            self.extra(path, "no payload manifest lists it");
        } else if is_payload && payload < self.bag.payload_lists() && self.is_current() {
            self.find(FindingKind::NotInAll, path, "every payload manifest must list every payload file");
        }
    }

    /// Compares a file with all manifests that list it. Returns the number of payload manifests among them; none if no
    /// manifest lists it.
    fn compare_digests(&mut self, path: &str, seen: &Seen) -> Option<usize> {
        let place = self.bag.listed.0.get_mut(path)?;
        place.met = true;
        let (mut payload, mut wrong) = (0, Vec::new());
        for (list, claimed) in &place.claims {
            let list = &self.bag.lists[*list];
            payload += usize::from(list.of == ListKind::Payload);
            let digest = seen.digests.iter().find(|(algorithm, _)| *algorithm == list.algorithm);
            let same = digest.is_some_and(|(_, digest)| digest == claimed);
            if self.level == Level::Valid && !same {
                wrong.push(format!("not the {} of {}", list.algorithm.name, list.name));
            }
        }
        for detail in wrong {
            self.find(FindingKind::Changed, path, detail);
        }
        Some(payload)
    }

    /// Whether every payload manifest must list all files. Before version 1.0 one was enough.
    fn is_current(&self) -> bool {
        self.bag.declaration.version >= Version::CURRENT
    }

    /// Matches the remaining files by other spellings of their names. Payload files that match nothing are extra, and tag files
    /// are noted.
    fn judge_unlisted(&mut self) {
        let raw = self.bag.listed.raw();
        self.judge_renamed(&raw, FindingKind::RawPercent, str::to_string);
        let by_letters =
            if self.unlisted.is_empty() { BTreeMap::new() } else { self.bag.listed.by_letters() };
        self.judge_renamed(&by_letters, FindingKind::Normalised, letters);
        let has_tag_lists = self.bag.lists.iter().any(|list| list.of == ListKind::Tags);
        for (path, _) in std::mem::take(&mut self.unlisted) {
            // A payload manifest that a tag manifest lacks is a finding of its own.
            let is_list = path.starts_with("tagmanifest-") || path.starts_with("manifest-");
            if path.starts_with("data/") {
                self.extra(&path, "no manifest lists it");
            } else if has_tag_lists && !is_list {
                self.find(
                    FindingKind::Unlisted,
                    path,
                    "no tag manifest lists it, so that nothing verifies it",
                );
            }
        }
    }

    /// Notes files whose names fall together on other systems.
    fn note_twins(&mut self) {
        let met = self.bag.listed.0.iter().filter(|(_, place)| place.met).map(|(path, _)| path);
        let paths = met.chain(self.unlisted.iter().map(|(path, _)| path));
        let twins: Vec<String> = twins(paths.map(String::as_str)).into_iter().map(String::from).collect();
        for path in twins {
            self.find(FindingKind::CaseTwin, path, "on other systems another file has this name");
        }
    }

    fn judge_renamed(
        &mut self,
        names: &BTreeMap<String, String>,
        kind: FindingKind,
        name: impl Fn(&str) -> String,
    ) {
        for (path, seen) in std::mem::take(&mut self.unlisted) {
            let listed = names.get(&name(&path)).filter(|listed| !self.is_met(listed));
            match listed {
                Some(listed) => {
                    self.find(kind, path, format!("listed as {listed}"));
                    self.compare(listed, &seen);
                }
                None => self.unlisted.push((path, seen)),
            }
        }
    }

    fn is_met(&self, path: &str) -> bool {
        self.bag.listed.0.get(path).is_some_and(|place| place.met)
    }

    fn judge_lists(&mut self) {
        if self.bag.payload_lists() == 0 {
            self.find(FindingKind::NoManifest, "", "there is no usable payload manifest");
        } else if self.level == Level::Valid && self.bag.has_only_checksums() && !self.allows_weak {
            let why = "anybody can make other files with the checksums of all payload manifests";
            self.find(FindingKind::Forgeable, "", why);
        } else if self.level == Level::Valid && self.bag.is_weak() {
            self.find(FindingKind::Weak, "", "the algorithms of all payload manifests can be forged");
        }
    }

    fn judge_missing(&mut self) {
        let fetch = std::mem::take(&mut self.bag.fetch);
        for fetch in &fetch {
            if !self.bag.listed.0.contains_key(&fetch.path) {
                self.find(
                    FindingKind::NotInAll,
                    fetch.path.as_str(),
                    "fetch.txt lists it, but no manifest does",
                );
            }
        }
        let missing = self.bag.listed.0.iter().filter(|(_, place)| !place.met);
        let missing: Vec<String> = missing.map(|(path, _)| path.clone()).collect();
        let elsewhere: BTreeMap<&str, &str> =
            fetch.iter().map(|fetch| (fetch.path.as_str(), fetch.url.as_str())).collect();
        for path in missing {
            match elsewhere.get(path.as_str()) {
                Some(url) => self.find(FindingKind::ToBeFetched, path, *url),
                None => self.find(FindingKind::Missing, path, ""),
            }
        }
    }

    fn compare_oxum(&mut self) {
        match self.bag.oxum() {
            Some(stated) if stated != self.payload => {
                let detail = format!("Payload-Oxum is {stated}, but there is {}", self.payload);
                self.find(FindingKind::OxumDiffers, "", detail);
            }
            None if self.level == Level::Oxum => {
                self.find(FindingKind::NoOxum, "", "the bag states no Payload-Oxum to compare with");
            }
            Some(_) | None => {}
        }
    }

    fn extra(&mut self, path: &str, why: &str) {
        if path.starts_with("data/") {
            self.find(FindingKind::Extra, path, why);
        }
    }

    fn find(&mut self, kind: FindingKind, path: impl Into<String>, detail: impl Into<String>) {
        self.bag.findings.push(Finding::new(kind, path, detail));
    }
}
