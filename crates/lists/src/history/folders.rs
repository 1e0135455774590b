//! The folders of a tree, with the digests that a generation states of them.

use super::next::Next;
use super::patterns::Patterns;
use hashmill_digest::{Algorithm, Digest};
use hashmill_manifest::format::history::{FOLDER, FolderDigest, GenerationFolder};
use hashmill_manifest::{Named, Time};
use hashmill_os::names;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// The content and the structure digests of a folder.
type Digests = [Vec<Named>; 2];

/// Returns the folders of the tree of a run that were walked, each before those in it. One that has something else in it than
/// these files, such as a link or a file that could not be read, has no digests, nor have those around it.
pub(super) fn all(next: &Next, files: &BTreeMap<Box<[u8]>, Vec<Named>>) -> Vec<GenerationFolder> {
    let (root, patterns) = (&next.tree.root, next.patterns());
    let mut unread: BTreeSet<Box<[u8]>> = BTreeSet::new();
    let mut inside: BTreeMap<Box<[u8]>, BTreeSet<Box<[u8]>>> = BTreeMap::new();
    let mut open: Vec<Box<[u8]>> = vec![Box::default()];
    while let Some(folder) = open.pop() {
        let list = list(root, &folder, &patterns).unwrap_or_else(|_| {
            // The walk has told why.
            unread.insert(folder.clone());
            Listed::default()
        });
        open.extend(list.folders.iter().cloned());
        inside.entry(folder).or_default().extend(list.folders.into_iter().chain(list.others));
    }
    // A file may have gone after it was hashed.
    for path in files.keys() {
        add(&mut inside, path);
    }
    let mut done: BTreeMap<&[u8], Digests> = BTreeMap::new();
    // A folder comes before those in it.
    for (folder, parts) in inside.iter().rev() {
        let digests = |path: &[u8]| match (files.get(path), done.get(path)) {
            (Some(file), _) => Some([file, file]),
            (None, Some([content, structure])) => Some([content, structure]),
            (None, None) => None,
        };
        let both = [FolderDigest::Content, FolderDigest::Structure];
        let made = both.map(|kind| {
            let asked = next.asked.iter().filter(|_| !unread.contains(folder));
            let named = asked.filter_map(|algorithm| made(kind, algorithm, parts, &digests));
            named.collect::<Vec<Named>>()
        });
        done.insert(folder, made);
    }
    let walked = done.into_iter().filter(|(folder, _)| next.below.is_walked(folder));
    walked.map(|(folder, digests)| described(root, folder, digests)).collect()
}

/// A lookup of the digests of a file or folder in a folder, of both kinds.
type Lookup<'l, 'd> = &'l dyn Fn(&[u8]) -> Option<[&'d Vec<Named>; 2]>;

/// Returns a digest of a folder, if everything in it has one.
fn made(
    kind: FolderDigest,
    algorithm: &'static Algorithm,
    parts: &BTreeSet<Box<[u8]>>,
    digests: Lookup<'_, '_>,
) -> Option<Named> {
    let part = |path: &[u8]| {
        let named = digests(path)?[kind as usize].iter().find(|named| named.algorithm == algorithm)?;
        Some(named.digest)
    };
    let all: Vec<Digest> = parts.iter().map(|path| part(path)).collect::<Option<_>>()?;
    let digest = kind.of(algorithm, parts.iter().map(|path| &**path).zip(all));
    Some(Named { algorithm, digest, guessed: false })
}

/// Adds a file to its folder, and that to its own.
fn add(inside: &mut BTreeMap<Box<[u8]>, BTreeSet<Box<[u8]>>>, path: &[u8]) {
    let mut path = path;
    while !path.is_empty() {
        let above = path.iter().rposition(|byte| *byte == b'/').map_or(&b""[..], |end| &path[..end]);
        if !inside.entry(above.into()).or_default().insert(path.into()) {
            return;
        }
        path = above;
    }
}

/// The content of a folder, but for what patterns exclude: paths relative to the root.
#[derive(Default)]
struct Listed {
    folders: Vec<Box<[u8]>>,
    others: Vec<Box<[u8]>>,
}

fn list(root: &Path, folder: &[u8], patterns: &Patterns) -> io::Result<Listed> {
    let mut listed = Listed::default();
    let place = root.join(names::path_to_try(folder));
    for name in hashmill_os::all_names_in(&place)? {
        let is_folder = place.join(&name).symlink_metadata().is_ok_and(|meta| meta.is_dir());
        let name = names::into_bytes(name);
        let path = if folder.is_empty() { name.clone() } else { [folder, b"/", &name].concat() };
        if is_folder && name != FOLDER.as_bytes() && !patterns.leaves_out_folder(&path) {
            listed.folders.push(path.into());
        } else if !is_folder && patterns.leaving_out_below(&path).is_none() {
            listed.others.push(path.into());
        }
    }
    Ok(listed)
}

fn described(root: &Path, folder: &[u8], [content, structure]: Digests) -> GenerationFolder {
    let meta = root.join(names::path_to_try(folder)).symlink_metadata();
    let mtime = meta.and_then(|meta| meta.modified()).ok().and_then(|time| {
        let since = time.duration_since(UNIX_EPOCH).ok()?;
        Some(Time { seconds: i64::try_from(since.as_secs()).ok()?, nanoseconds: since.subsec_nanos() })
    });
    GenerationFolder { path: folder.into(), mtime, content, structure, before: None }
}
