//! The history of a folder and the histories of folders below it.

use super::list::path_from;
use super::load::History;
use super::{chain_of, found, named, patterns, unfit, unread};
use crate::error::Error;
use hashmill_digest::Digest;
use hashmill_manifest::Named;
use hashmill_manifest::format::history::{CHAIN, FOLDER, Link, PATTERNS};
use hashmill_os::names;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The histories of a tree.
#[derive(Debug)]
pub(crate) struct HistoryTree {
    /// The folder of the tree of the outermost history.
    pub(super) root: PathBuf,
    /// The outermost first, each before those below it.
    pub(super) histories: Vec<History>,
    /// The place of each history in `histories`, by the path of its folder.
    places: HashMap<Box<[u8]>, usize>,
}

impl HistoryTree {
    /// Reads the history of a folder and all histories below it; `chain` has the text of its chain. Below a signed one, only
    /// generations count that signed manifests reach by their digests: anybody could add others.
    ///
    /// # Errors
    /// If one of them can't be used.
    pub(super) fn read(root: &Path, chain: &mut dyn Read, trust: Trust) -> Result<HistoryTree, Error> {
        let root = named(root);
        HistoryTree::with(root, History::read(root, b"", chain, &|_| true)?, trust)
    }

    /// Reads the history of a folder, or begins one if it has none, and reads all histories below it.
    ///
    /// # Errors
    /// If one of them can't be used.
    pub(super) fn read_or_begin(root: &Path) -> Result<HistoryTree, Error> {
        let root = named(root);
        let folder = root.join(FOLDER);
        match chain_of(&folder) {
            Some(chain) => HistoryTree::read(root, &mut opened(&chain)?, Trust::All),
            None if has_manifests(&folder) => Err(unfit(&folder, format!("has manifests, but no {CHAIN}"))),
            None => HistoryTree::with(root, History::new(b""), Trust::All),
        }
    }

    fn with(root: &Path, outermost: History, trust: Trust) -> Result<HistoryTree, Error> {
        let mut histories = vec![outermost];
        let mut reached: HashSet<(Box<[u8]>, Digest)> = references(&histories[0]).collect();
        for below in found::below(root) {
            let inner = root.join(names::path_to_try(&below));
            let mut chain = opened(&inner.join(FOLDER).join(CHAIN))?;
            let counts = |link: &Link| {
                let path = [&*below, b"/", FOLDER.as_bytes(), b"/", &*link.name].concat();
                trust == Trust::All || reached.contains(&(path.into(), link.digest))
            };
            let mut history = History::read(&inner, &below, &mut chain, &counts)?;
            if trust == Trust::Reached && history.is_empty {
                // The files belong to the history around it.
                histories[0].malformed.append(&mut history.malformed);
            } else {
                reached.extend(references(&history));
                histories.push(history);
            }
        }
        let places = histories.iter().enumerate().map(|(place, history)| (history.below.clone(), place));
        let places = places.collect();
        Ok(HistoryTree { root: root.to_path_buf(), histories, places })
    }

    /// Returns the place of the history that a path belongs to, and the path relative to it.
    pub(super) fn owner<'p>(&self, path: &'p [u8]) -> (usize, &'p [u8]) {
        let slashes = memchr::memrchr_iter(b'/', path);
        let mut above = slashes.filter_map(|end| Some((*self.places.get(&path[..end])?, &path[end + 1..])));
        above.next().unwrap_or((0, path))
    }

    /// Returns the place of the history of a folder, if it has one of its own.
    pub(super) fn place_of(&self, folder: &[u8]) -> Option<usize> {
        self.places.get(folder).copied()
    }

    /// Returns a path of a history relative to the root.
    pub(super) fn path(&self, place: usize, path: &[u8]) -> Box<[u8]> {
        path_from(&self.histories[place].below, path)
    }

    /// Returns the known digests of a file.
    pub(super) fn digests(&self, path: &[u8]) -> &[Named] {
        let (place, path) = self.owner(path);
        self.histories[place].merged.digests(path)
    }

    /// Returns the patterns of all histories, relative to the root. The patterns that every history has are included
    /// once.
    pub(super) fn patterns(&self) -> Vec<Box<[u8]>> {
        let mut all: Vec<Box<[u8]>> = PATTERNS.map(|pattern| pattern.as_bytes().into()).into();
        for history in &self.histories {
            for pattern in history.merged.patterns() {
                if !PATTERNS.iter().any(|own| own.as_bytes() == &**pattern) {
                    all.push(patterns::from(&history.below, pattern));
                }
            }
        }
        all
    }
}

/// The generations of inner histories that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// All that are there.
    All,
    /// Those that manifests of outer histories name with their digests.
    Reached,
}

/// Returns the manifests of inner histories that a history names, relative to the root, with their digests.
fn references(history: &History) -> impl Iterator<Item = (Box<[u8]>, Digest)> + '_ {
    history.merged.references().iter().flat_map(|record| {
        let path = path_from(&history.below, &record.path);
        record.digests.iter().map(move |named| (path.clone(), named.digest))
    })
}

fn opened(chain: &Path) -> Result<File, Error> {
    File::open(chain).map_err(unread(chain))
}

/// Returns whether a folder has manifests. If it has no chain then, the chain was lost.
fn has_manifests(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let is_manifest =
        |name: &OsStr| hashmill_manifest::format::history::number_of(&names::bytes(name)).is_some();
    entries.map(|entry| entry.file_name()).any(|name| is_manifest(&name))
}
