//! A filter on a walk that removes unwanted entries and handles symbolic links.

use hashmill_content::archive_folder::LinkTexts;
use hashmill_content::selection::{Bytes, below, path_of};
use hashmill_os::error::is_link;
use hashmill_os::names;
use hashmill_source::{Entry, Error, OperandDirectory, Origin, Problem, Skip, WalkItem};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::sync::Arc;

/// A filter between the walk and the engine.
#[derive(Clone)]
pub(crate) struct Survey {
    folder: Bytes,
    is_location: bool,
    wanted: Arc<EntryFilter>,
    links: Links,
    /// Texts of the links that the engine has not returned yet, by their paths below the folder.
    met: Arc<Mutex<HashMap<Bytes, Bytes>>>,
    /// The texts of links in an archive, by their whole paths: they are not in the file system.
    texts: Option<LinkTexts>,
}

/// A function that returns whether the entry with this path below the folder is wanted.
pub(crate) type EntryFilter = dyn Fn(&[u8]) -> bool + Send + Sync;

/// The use of symbolic links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Links {
    /// Whether their texts are needed.
    pub texts: bool,
    /// Whether the files that they lead to are needed.
    pub files: bool,
    /// Whether links and special files are reported even where they are unwanted, unless they are followed: some system
    /// refuses them anywhere in the folder.
    pub unwanted: bool,
}

impl Survey {
    pub fn new(folder: &[u8], is_location: bool, links: Links, wanted: Arc<EntryFilter>) -> Survey {
        Survey { folder: folder.into(), is_location, wanted, links, met: Arc::default(), texts: None }
    }

    /// Returns a survey of another walk of the same folder.
    pub fn anew(&self) -> Survey {
        Survey { met: Arc::default(), ..self.clone() }
    }

    /// Returns the survey of an archive whose links have these texts.
    pub fn with_texts(self, texts: LinkTexts) -> Survey {
        Survey { texts: Some(texts), ..self }
    }

    /// Returns the entries of the walk without unwanted ones. Links to be followed become files.
    pub fn watch(
        self,
        walk: impl Iterator<Item = WalkItem> + Send + 'static,
    ) -> impl Iterator<Item = WalkItem> + Send {
        walk.filter_map(move |found| self.meet(found))
    }

    /// Removes and returns the text of a link, by its path below the folder.
    pub fn link(&self, path: &[u8]) -> Option<Bytes> {
        self.met.lock().remove(path)
    }

    fn meet(&self, found: WalkItem) -> Option<WalkItem> {
        let found = match found {
            WalkItem::File(Entry { path, .. }) if self.is_link_in_archive(&path) => {
                WalkItem::Skipped { path, why: Skip::Link }
            }
            other => other,
        };
        let path = match &found {
            WalkItem::File(entry) => &entry.path,
            WalkItem::Skipped { path, .. } => path,
            WalkItem::Failed(error) => &error.path,
        };
        if !(self.wanted)(below(path, &self.folder)) {
            return self.is_refused(&found).then_some(found);
        }
        match found {
            WalkItem::Skipped { path, why: Skip::Link } => Some(self.meet_link(path)),
            other => Some(other),
        }
    }

    /// Returns whether a member of an archive is a link, whose content is its text.
    fn is_link_in_archive(&self, path: &[u8]) -> bool {
        self.texts.as_ref().is_some_and(|texts| texts.lock().contains_key(path))
    }

    /// Returns whether an entry is refused even where entries are unwanted: a link that is not followed or leads
    /// nowhere, a FIFO, a socket, a device.
    fn is_refused(&self, found: &WalkItem) -> bool {
        self.links.unwanted
            && match found {
                WalkItem::Skipped { path, why: Skip::Link } => {
                    !self.links.files || self.texts.is_some() || fs::metadata(path_of(path)).is_err()
                }
                WalkItem::Skipped { why, .. } => matches!(why, Skip::Fifo | Skip::Socket | Skip::Device),
                _ => false,
            }
    }

    fn meet_link(&self, path: Bytes) -> WalkItem {
        let target = match self.text(&path) {
            Ok(target) => target,
            // It was a link when its directory was listed: now a directory above it is a link.
            Err(source) if is_link(&source) => {
                return WalkItem::Failed(Error { path, problem: Problem::Swapped });
            }
            Err(source) => return WalkItem::Failed(Error { path, problem: Problem::Stat(source) }),
        };
        // A link to a folder or to nothing has no bytes: systems that read links have no place for it.
        let is_file = || fs::metadata(path_of(&path)).is_ok_and(|meta| meta.is_file());
        let reads = self.links.files && self.texts.is_none() && is_file();
        let below = Bytes::from(below(&path, &self.folder));
        self.met.lock().insert(below, target);
        match reads {
            true => WalkItem::File(Entry::new(path, Origin::Listed)),
            false => WalkItem::Skipped { path, why: Skip::Link },
        }
    }

    fn text(&self, link: &[u8]) -> io::Result<Bytes> {
        if !self.links.texts {
            return Ok(Bytes::default());
        }
        if let Some(texts) = &self.texts {
            return texts.lock().remove(link).ok_or_else(|| io::ErrorKind::NotFound.into());
        }
        if self.is_location {
            return fs::read_link(path_of(link)).map(|target| names::into_path_bytes(target).into());
        }
        Ok(OperandDirectory::open(&self.folder)?.read_link(link)?.into())
    }
}
