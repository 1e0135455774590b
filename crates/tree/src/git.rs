//! git trees: each folder is an object that lists its entries by mode, name and object digest.
//!
//! Source: git's documentation, "gitformat-pack" and `tree.c`; SWHID specification 1.2 (ISO/IEC 18670), section 5.3.

use crate::{Entry, EntryKind, Error};
use hashmill_digest::{Digest, find, hash};
use std::collections::HashMap;

/// The differences between the systems that use git trees.
pub(crate) struct Rules {
    /// The algorithm of all objects.
    algorithm: &'static str,
    /// Folders without entries are entries.
    empty_folders: bool,
    /// Names that git refuses to add to its index are errors.
    checks_names: bool,
}

pub(crate) const GIT: Rules = Rules { algorithm: "sha1", empty_folders: false, checks_names: true };
pub(crate) const GIT_SHA256: Rules = Rules { algorithm: "sha256", empty_folders: false, checks_names: true };
pub(crate) const SWHID: Rules = Rules { algorithm: "sha1", empty_folders: true, checks_names: false };

const FILE: &str = "100644";
const EXECUTABLE: &str = "100755";
const LINK: &str = "120000";
const FOLDER: &str = "40000";

struct Item<'a> {
    mode: &'static str,
    name: &'a [u8],
    object: Digest,
}

type Folders<'a> = HashMap<&'a [u8], Vec<Item<'a>>>;

/// Returns the digest of the directory's tree object.
pub(crate) fn digest(entries: &[Entry], rules: &Rules) -> Result<Digest, Error> {
    let mut folders: Folders<'_> = HashMap::from([(&[][..], Vec::new())]);
    for entry in entries {
        if rules.checks_names {
            check_name(entry)?;
        }
        add_parents(&entry.path, &mut folders);
        let (folder, name) = divide(&entry.path);
        let (mode, object) = match &entry.kind {
            EntryKind::Folder => {
                folders.entry(&entry.path).or_default();
                continue;
            }
            EntryKind::File { executable: true, digest } => (EXECUTABLE, *digest),
            EntryKind::File { executable: false, digest } => (FILE, *digest),
            EntryKind::Link { target } => (LINK, object("blob", target, rules)),
        };
        folders.entry(folder).or_default().push(Item { mode, name, object });
    }
    fold(folders, rules)
}

/// Makes the tree objects, deepest folders first: a path is longer than the paths of its parents.
fn fold(mut folders: Folders<'_>, rules: &Rules) -> Result<Digest, Error> {
    let mut paths: Vec<&[u8]> = folders.keys().copied().collect();
    paths.sort_unstable_by_key(|path| std::cmp::Reverse(path.len()));
    for path in paths {
        let items = folders.remove(path).unwrap_or_default();
        let empty = items.is_empty();
        let object = tree(path, items, rules)?;
        let (parent, name) = divide(path);
        match folders.get_mut(parent) {
            Some(parent) if !empty || rules.empty_folders => parent.push(Item { mode: FOLDER, name, object }),
            Some(_) => {}
            // The directory itself is removed last.
            None => return Ok(object),
        }
    }
    unreachable!("the directory is among its folders")
}

/// Returns the digest of a folder's tree object.
fn tree(path: &[u8], mut items: Vec<Item<'_>>, rules: &Rules) -> Result<Digest, Error> {
    items.sort_unstable_by(|a, b| a.key().cmp(b.key()));
    let mut names: Vec<&[u8]> = items.iter().map(|item| item.name).collect();
    names.sort_unstable();
    if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        let divider: &[u8] = if path.is_empty() { b"" } else { b"/" };
        return Err(Error::Twice([path, divider, pair[0]].concat().into()));
    }
    let mut body = Vec::new();
    for item in &items {
        body.extend_from_slice(item.mode.as_bytes());
        body.push(b' ');
        body.extend_from_slice(item.name);
        body.push(0);
        body.extend_from_slice(item.object.as_bytes());
    }
    Ok(object("tree", &body, rules))
}

impl Item<'_> {
    /// Returns the sort key: the name, with a `/` after names of folders.
    fn key(&self) -> impl Iterator<Item = u8> + '_ {
        let end = (self.mode == FOLDER).then_some(b'/');
        self.name.iter().copied().chain(end)
    }
}

/// Returns the digest of an object: of a header with its kind and length, and its bytes.
fn object(kind: &str, body: &[u8], rules: &Rules) -> Digest {
    let mut bytes = format!("{kind} {}\0", body.len()).into_bytes();
    bytes.extend_from_slice(body);
    #[allow(clippy::expect_used, reason = "the registry has both algorithms")]
    hash(find(rules.algorithm).expect("an algorithm of the registry"), &bytes)
}

/// Splits a path into its folder and its name there.
fn divide(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (&[], path),
    }
}

/// Adds all folders above a path.
fn add_parents<'a>(path: &'a [u8], folders: &mut Folders<'a>) {
    let mut rest = path;
    while let Some(at) = rest.iter().rposition(|byte| *byte == b'/') {
        rest = &rest[..at];
        if folders.contains_key(rest) {
            return;
        }
        folders.insert(rest, Vec::new());
    }
}

/// Refuses paths with a part `.git` in any case, as git does.
fn check_name(entry: &Entry) -> Result<(), Error> {
    let own = entry.path.split(|byte| *byte == b'/').any(|part| part.eq_ignore_ascii_case(b".git"));
    match own {
        true => Err(Error::Name {
            path: entry.path.clone(),
            why: "is that of git's own folder: git would record a repository inside of another by its commit",
        }),
        false => Ok(()),
    }
}
