//! A bag as described by its tag files.

use crate::fetch::{Bad, Fetch};
use crate::list::{List, ListKind, algorithm_of, write_line};
use crate::listed::{Addition, Listed, ListedPath};
use crate::{BadDeclaration, Declaration, Finding, FindingKind, Info, Oxum, Version};
use hashmill_digest::{Algorithm, Class, Digest};
use std::collections::BTreeSet;

/// A bag as described by its tag files.
#[derive(Debug)]
pub struct Bag {
    /// The declaration, `bagit.txt`.
    pub declaration: Declaration,
    /// The fields of `bag-info.txt`, if there is one.
    pub info: Option<Info>,
    /// The manifests.
    pub lists: Vec<List>,
    /// The files listed in `fetch.txt`.
    pub fetch: Vec<Fetch>,
    pub(crate) listed: Listed,
    pub(crate) findings: Vec<Finding>,
}

impl Bag {
    /// Creates a bag with a declaration and nothing else.
    pub fn new(declaration: Declaration) -> Bag {
        let (lists, fetch, findings) = (Vec::new(), Vec::new(), Vec::new());
        Bag { declaration, info: None, lists, fetch, listed: Listed::default(), findings }
    }

    /// Creates a bag by its `bagit.txt`, whose lines must be those of the standard and no others.
    ///
    /// # Errors
    /// [`BadDeclaration`] if it can't be used.
    pub fn parse(bytes: &[u8]) -> Result<Bag, BadDeclaration> {
        let mut bag = Bag::new(Declaration::parse(bytes)?);
        for fault in Declaration::faults(bytes) {
            bag.find(FindingKind::Declaration, "bagit.txt", fault);
        }
        Ok(bag)
    }

    /// Whether this file beside `bagit.txt` is a tag file for [`Bag::add_tag_file`].
    pub fn is_tag_file(&self, name: &str) -> bool {
        name == self.declaration.version.info_name() || name == "fetch.txt" || List::recognise(name).is_some()
    }

    /// Adds the content of a tag file. Faults in it become findings.
    pub fn add_tag_file(&mut self, name: &str, bytes: &[u8]) {
        let text = match self.declaration.encoding.decode(bytes) {
            Ok(text) => text,
            Err(error) => return self.find(FindingKind::NotText, name, error.to_string()),
        };
        let text = match text.strip_prefix('\u{feff}') {
            None => &*text,
            Some(rest) => {
                self.find(FindingKind::Mark, name, "");
                rest
            }
        };
        match List::recognise(name) {
            Some((of, algorithm)) => self.add_list(name, of, algorithm, text),
            None if name == "fetch.txt" => self.add_fetch(text),
            None => self.add_info(name, text),
        }
    }

    /// Adds a finding: the tag file could not be read.
    pub fn add_unreadable(&mut self, name: &str, why: String) {
        self.find(FindingKind::Unreadable, name, why);
    }

    /// Returns the algorithms of all manifests, each once.
    pub fn algorithms(&self) -> Vec<&'static Algorithm> {
        let mut all = Vec::new();
        for list in &self.lists {
            if !all.contains(&list.algorithm) {
                all.push(list.algorithm);
            }
        }
        all
    }

    /// Returns the payload size from `bag-info.txt`, if it is there and well formed.
    pub fn oxum(&self) -> Option<Oxum> {
        self.info.as_ref()?.oxum()?.ok()
    }

    /// Returns what was found about the tag files so far.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Returns the digest that the manifest with this name states of a path.
    pub fn stated(&self, list: &str, path: &str) -> Option<Digest> {
        let claims = &self.listed.0.get(path)?.claims;
        claims.iter().find(|(number, _)| self.lists[*number].name == list).map(|(_, digest)| *digest)
    }

    /// Returns whether a manifest lists this path.
    pub fn lists_path(&self, path: &str) -> bool {
        self.listed.0.contains_key(path)
    }

    /// Returns the paths that tag manifests list.
    pub fn tagged(&self) -> BTreeSet<&str> {
        let is_tagged = |place: &ListedPath| {
            place.claims.iter().any(|(number, _)| self.lists[*number].of == ListKind::Tags)
        };
        self.listed.0.iter().filter(|(_, place)| is_tagged(place)).map(|(path, _)| path.as_str()).collect()
    }

    /// Formats the line of a file in a manifest of this bag's version: before 1.0, percent signs were not encoded.
    pub fn line(&self, algorithm: &Algorithm, digest: &Digest, path: &str) -> String {
        let line = write_line(algorithm, digest, path);
        if self.declaration.version < Version::CURRENT { line.replace("%25", "%") } else { line }
    }

    pub(crate) fn payload_lists(&self) -> usize {
        self.lists.iter().filter(|list| list.of == ListKind::Payload).count()
    }

    /// Whether no payload manifest uses a cryptographic hash.
    pub(crate) fn is_weak(&self) -> bool {
        let mut payload = self.lists.iter().filter(|list| list.of == ListKind::Payload);
        !payload.any(|list| list.algorithm.class == Class::Cryptographic)
    }

    /// Whether all payload manifests are checksums, or digests so short: anybody can make another file that has them.
    pub(crate) fn has_only_checksums(&self) -> bool {
        let payload = self.lists.iter().filter(|list| list.of == ListKind::Payload);
        let mut classes = payload.map(|list| list.algorithm.class);
        classes.all(|class| class.is_forgeable())
    }

    /// Finds payload manifests that a tag manifest does not list. Before version 1.0 it did not have to.
    pub(crate) fn find_unlisted_manifests(&mut self) {
        if self.declaration.version < Version::CURRENT {
            return;
        }
        let of = |kind| self.lists.iter().enumerate().filter(move |(_, list)| list.of == kind);
        let mut lacking = Vec::new();
        for (_, payload) in of(ListKind::Payload) {
            let listed = self.listed.0.get(&payload.name);
            let lists =
                |number| listed.is_some_and(|path| path.claims.iter().any(|(list, _)| *list == number));
            for (_, tags) in of(ListKind::Tags).filter(|(number, _)| !lists(*number)) {
                lacking
                    .push((payload.name.clone(), format!("{} must list every payload manifest", tags.name)));
            }
        }
        for (path, detail) in lacking {
            self.find(FindingKind::NotInAll, path, detail);
        }
    }

    fn add_list(&mut self, name: &str, of: ListKind, algorithm: &str, text: &str) {
        let Some(algorithm) = algorithm_of(algorithm) else {
            return self.find(FindingKind::UnknownAlgorithm, name, "its digests can't be verified");
        };
        let list = List { name: name.to_string(), of, algorithm };
        let (number, version) = (self.lists.len(), self.declaration.version);
        let mut repeated = Vec::new();
        for line in list.parse(text, version, &mut self.findings) {
            let path = line.path.clone();
            match self.listed.add(number, line) {
                Addition::New => {}
                Addition::Again if version >= Version::CURRENT => {
                    repeated.push((FindingKind::Repeated, path))
                }
                Addition::Again => repeated.push((FindingKind::Spelling, path)),
                Addition::Otherwise => repeated.push((FindingKind::Conflict, path)),
            }
        }
        for (kind, path) in repeated {
            self.find(kind, path, format!("{name} lists it more than once"));
        }
        self.lists.push(list);
    }

    fn add_fetch(&mut self, text: &str) {
        let all: Vec<_> = Fetch::parse(text, self.declaration.version).collect();
        for fetch in all {
            match fetch {
                Ok(fetch) => {
                    if !fetch.is_absolute() {
                        let detail = format!("fetch.txt has {}", fetch.url);
                        self.find(FindingKind::RelativeUrl, fetch.path.as_str(), detail);
                    }
                    self.fetch.push(fetch);
                }
                Err(Bad::Line(number)) => {
                    self.find(FindingKind::Malformed, "", format!("fetch.txt line {number}"))
                }
                Err(Bad::Path(path, why)) => {
                    self.find(FindingKind::UnsafePath, path, format!("fetch.txt lists it, but it {why}"));
                }
            }
        }
    }

    fn add_info(&mut self, name: &str, text: &str) {
        let (info, bad) = Info::parse(text);
        for number in bad {
            self.find(FindingKind::Malformed, "", format!("{name} line {number}"));
        }
        if info.count("Payload-Oxum") > 1 {
            self.find(FindingKind::Repeated, "", format!("{name} has Payload-Oxum more than once"));
        }
        if let Some(Err(text)) = info.oxum() {
            let detail = format!("{name}: '{text}' is not a Payload-Oxum");
            self.find(FindingKind::Malformed, "", detail);
        }
        self.info = Some(info);
    }

    fn find(&mut self, kind: FindingKind, path: impl Into<String>, detail: impl Into<String>) {
        self.findings.push(Finding::new(kind, path, detail));
    }
}
