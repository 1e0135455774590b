//! Watches a walk, and notes the links that it meets.

use crate::selection::{Bytes, below, path_of};
use hashloom_source::{Entry, Error, Found, Origin, Problem, Skip};
use hashloom_tree::System;
use parking_lot::Mutex;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;

/// What a walk meets, on its way to the engine.
#[derive(Clone)]
pub(super) struct Survey {
    folder: Bytes,
    systems: Vec<&'static System>,
    /// The files that links lead to are read.
    reads_links: bool,
    links: Arc<Mutex<Vec<(Bytes, Bytes)>>>,
}

impl Survey {
    pub fn new(folder: &[u8], systems: &[&'static System], reads_links: bool) -> Survey {
        Survey { folder: folder.into(), systems: systems.to_vec(), reads_links, links: Arc::default() }
    }

    /// The same entries, without those that no system wants; links that are to be read as the files that they lead to.
    pub fn watch(
        self,
        walk: impl Iterator<Item = Found> + Send + 'static,
    ) -> impl Iterator<Item = Found> + Send {
        walk.filter_map(move |found| self.meet(found))
    }

    /// The links so far, by their paths below the folder, and where they lead.
    pub fn links(&self) -> Vec<(Bytes, Bytes)> {
        std::mem::take(&mut *self.links.lock())
    }

    fn meet(&self, found: Found) -> Option<Found> {
        let path = match &found {
            Found::File(entry) => &entry.path,
            Found::Skipped { path, .. } => path,
            Found::Failed(error) => &error.path,
        };
        let wanted = |system: &&System| !leaves_out(system, below(path, &self.folder));
        if !self.systems.iter().any(wanted) {
            return None;
        }
        match found {
            Found::Skipped { path, why: Skip::Link } => Some(self.link(path)),
            other => Some(other),
        }
    }

    fn link(&self, path: Bytes) -> Found {
        let real = PathBuf::from(path_of(&path));
        let target = match fs::read_link(&real) {
            Ok(target) => Bytes::from(target.as_os_str().as_bytes()),
            Err(source) => return Found::Failed(Error { path, problem: Problem::Stat(source) }),
        };
        let below = Bytes::from(below(&path, &self.folder));
        self.links.lock().push((below, target));
        // One to a folder, or to nothing, has no bytes: systems that read links have no place for it.
        let leads_to_file = self.reads_links && fs::metadata(&real).is_ok_and(|meta| meta.is_file());
        match leads_to_file {
            true => Found::File(Entry::new(path, Origin::Listed)),
            false => Found::Skipped { path, why: Skip::Link },
        }
    }
}

/// Whether a system leaves a path below the folder out.
pub(super) fn leaves_out(system: &System, path: &[u8]) -> bool {
    let first = path.split(|byte| *byte == b'/').next().unwrap_or_default();
    system.leaves_out.iter().any(|name| name.as_bytes() == first)
}
