//! Watches a walk: leaves out what nobody wants, and sees to its links.

use crate::location::is_location;
use crate::selection::{Bytes, below, path_of};
use hashloom_source::{Entry, Error, Found, OperandDirectory, Origin, Problem, Skip};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

/// What a walk meets, on its way to the engine.
#[derive(Clone)]
pub(crate) struct Survey {
    folder: Bytes,
    wanted: Arc<Wanted>,
    links: Links,
    /// Links that the engine has not given back, by their paths below the folder, and their texts.
    met: Arc<Mutex<HashMap<Bytes, Bytes>>>,
}

/// Whether an entry of this path below the folder is wanted.
pub(crate) type Wanted = dyn Fn(&[u8]) -> bool + Send + Sync;

/// What is needed of symbolic links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Links {
    /// Their texts.
    pub texts: bool,
    /// The files that they lead to.
    pub files: bool,
    /// Those that nobody wants, too, unless they are followed: they have no place anywhere in the folder.
    pub unwanted: bool,
}

impl Survey {
    pub fn new(folder: &[u8], links: Links, wanted: Arc<Wanted>) -> Survey {
        Survey { folder: folder.into(), wanted, links, met: Arc::default() }
    }

    /// Returns one that watches another walk of the same folder.
    pub fn anew(&self) -> Survey {
        Survey { met: Arc::default(), ..self.clone() }
    }

    /// The same entries, without those that nobody wants; links that are to be read as the files that they lead to.
    pub fn watch(
        self,
        walk: impl Iterator<Item = Found> + Send + 'static,
    ) -> impl Iterator<Item = Found> + Send {
        walk.filter_map(move |found| self.meet(found))
    }

    /// The text of a link that was met, by its path below the folder; once.
    pub fn link(&self, path: &[u8]) -> Option<Bytes> {
        self.met.lock().remove(path)
    }

    fn meet(&self, found: Found) -> Option<Found> {
        let path = match &found {
            Found::File(entry) => &entry.path,
            Found::Skipped { path, .. } => path,
            Found::Failed(error) => &error.path,
        };
        if !(self.wanted)(below(path, &self.folder)) {
            return self.is_refused(&found).then_some(found);
        }
        match found {
            Found::Skipped { path, why: Skip::Link } => Some(self.meet_link(path)),
            other => Some(other),
        }
    }

    /// Whether an entry has no place even where nobody wants what is there: a link that is not followed or leads nowhere, a
    /// FIFO, a device.
    fn is_refused(&self, found: &Found) -> bool {
        self.links.unwanted
            && match found {
                Found::Skipped { path, why: Skip::Link } => {
                    !self.links.files || fs::metadata(path_of(path)).is_err()
                }
                Found::Skipped { why, .. } => matches!(why, Skip::Fifo | Skip::Socket | Skip::Device),
                _ => false,
            }
    }

    fn meet_link(&self, path: Bytes) -> Found {
        let target = match self.text(&path) {
            Ok(target) => target,
            // It was a link when its directory was listed: now there is one above it.
            Err(source) if source.raw_os_error() == Some(libc::ELOOP) => {
                return Found::Failed(Error { path, problem: Problem::Swapped });
            }
            Err(source) => return Found::Failed(Error { path, problem: Problem::Stat(source) }),
        };
        // One to a folder, or to nothing, has no bytes: systems that read links have no place for it.
        let is_file = || fs::metadata(path_of(&path)).is_ok_and(|meta| meta.is_file());
        let reads = self.links.files && is_file();
        let below = Bytes::from(below(&path, &self.folder));
        self.met.lock().insert(below, target);
        match reads {
            true => Found::File(Entry::new(path, Origin::Listed)),
            false => Found::Skipped { path, why: Skip::Link },
        }
    }

    fn text(&self, link: &[u8]) -> io::Result<Bytes> {
        if !self.links.texts {
            return Ok(Bytes::default());
        }
        if is_location(&self.folder) {
            return fs::read_link(path_of(link)).map(|target| target.as_os_str().as_bytes().into());
        }
        Ok(OperandDirectory::open(&self.folder)?.read_link(link)?.into())
    }
}
