//! A history as a list of all files of its tree, with the known digests of each.

use super::load::History;
use super::root_of;
use super::tree::{HistoryTree, Trust};
use crate::error::Error;
use hashmill_manifest::format::{Malformed, Opened, Reader, Unusable, find_format};
use hashmill_manifest::{Named, Record};
use std::collections::HashSet;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::vec::IntoIter;

/// Opens the history in a folder as a list; `chain` has the text of its chain. Paths are relative to the tree of the
/// history.
///
/// # Errors
/// If the history, or one below it, can't be used.
pub fn open(folder: &Path, mut chain: Box<dyn Read>, trust: Trust) -> Result<Opened<'static>, Unusable> {
    let foreign = |bad: Error| Unusable::Foreign { what: "is not a usable history", source: Box::new(bad) };
    let tree = HistoryTree::read(&root_of(folder), &mut chain, trust).map_err(foreign)?;
    let format = find_format("ascmhl").ok_or(Unusable::Unrecognised)?;
    let patterns = tree.patterns();
    Ok(Opened::new(format, Box::new(Files { files: files(tree).into_iter(), patterns })))
}

struct Files {
    files: IntoIter<Result<Record, Malformed>>,
    patterns: Vec<Box<[u8]>>,
}

impl Iterator for Files {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        self.files.next()
    }
}

impl Reader for Files {
    fn patterns(&self) -> &[Box<[u8]>] {
        &self.patterns
    }
}

fn files(tree: HistoryTree) -> Vec<Result<Record, Malformed>> {
    let lost = lost(&tree);
    let mut all = Vec::new();
    for History { below, merged, malformed, .. } in tree.histories {
        all.extend(malformed.into_iter().map(Err));
        all.extend(Arc::unwrap_or_clone(merged).into_records().map(|record| Ok(from(&below, record))));
    }
    all.extend(lost.into_iter().map(Ok));
    all
}

/// Makes the path of a record relative to the root.
fn from(below: &[u8], record: Record) -> Record {
    Record { path: path_from(below, &record.path), ..record }
}

/// Returns a path of a history relative to the root.
pub(super) fn path_from(below: &[u8], path: &[u8]) -> Box<[u8]> {
    let between: &[u8] = if below.is_empty() { b"" } else { b"/" };
    [below, between, path].concat().into()
}

/// Returns the manifests that outer histories name and that no inner one has. Otherwise nothing would show that a
/// folder is missing together with its history.
pub(super) fn lost(tree: &HistoryTree) -> Vec<Record> {
    let mut seen: HashSet<Box<[u8]>> = HashSet::new();
    let mut lost = Vec::new();
    for history in &tree.histories {
        for record in history.merged.references() {
            let record = from(&history.below, record.clone());
            if !is_held(tree, &record) && seen.insert(record.path.clone()) {
                lost.push(record);
            }
        }
    }
    lost
}

/// Returns whether the chain of an inner history has this manifest, with the same C4.
fn is_held(tree: &HistoryTree, record: &Record) -> bool {
    let (place, path) = tree.owner(&record.path);
    let name = path.strip_prefix(b"ascmhl/").unwrap_or(path);
    let is = |named: &Named| {
        let links = tree.histories[place].chain.links();
        links.iter().any(|link| *link.name == *name && link.digest == named.digest)
    };
    !record.digests.is_empty() && record.digests.iter().all(is)
}
