//! The settings of a walk.

use crate::deadline::with_limit;
use crate::fd_limit::retry_at_fd_limit;
use crate::filter::EntryPath;
use crate::list::ListOptions;
use crate::sys;
use crate::{Filter, IgnoreRules, Meta, OperandDirectory, ParentCache};
use hashloom_os::Links;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Options of a walk.
#[derive(Debug, Clone, Default)]
pub struct WalkOptions {
    /// Whether symbolic links below the operands are followed. Operands themselves are always followed.
    pub follow: bool,
    /// Whether the walk stays on the file systems of the operands.
    pub one_file_system: bool,
    /// The filter of files.
    pub filter: Filter,
    /// Rules relative to the operands: entries that they ignore are [`Skip::Filtered`](crate::Skip::Filtered).
    pub rules: IgnoreRules,
    /// Names of ignore files, with rules for the directories that contain them; later names win. Entries that they
    /// ignore are [`Skip::Ignored`](crate::Skip::Ignored).
    pub ignore_files: Vec<Box<[u8]>>,
    /// Whether the size of each file is looked up, even if nothing depends on it.
    pub sizes: bool,
    /// The number of levels that the walk descends: with 1 the operands are entered, but no directories below. `None`:
    /// all.
    pub max_depth: Option<usize>,
    /// Files (device, inode) that this run writes: they are returned as [`Skip::Output`](crate::Skip::Output).
    pub leave_out: Vec<(u64, u64)>,
    /// Whether directories without entries are returned, as [`Skip::EmptyFolder`](crate::Skip::EmptyFolder).
    pub empty_folders: bool,
    /// Whether files whose content a cloud has are returned as files; without it they are
    /// [`Skip::Cloud`](crate::Skip::Cloud).
    pub hydrate: bool,
    /// Whether the streams of files beside their content (NTFS) are returned, as `name:stream`.
    pub streams: bool,
    /// Whether directories are listed ahead. The result is the same.
    pub ahead: LookAhead,
    /// The time limit for `stat` of an entry, and for the next entry of a listing.
    pub timeout: Option<Duration>,
}

impl WalkOptions {
    /// Returns how symbolic links below the operands are treated.
    pub(crate) fn links(&self) -> Links {
        if self.follow { Links::Follow } else { Links::Stay }
    }

    /// Returns whether filters, rules or the depth exclude a remote file with this path below an operand.
    pub fn leaves_out(&self, below: &[u8], meta: &Meta) -> bool {
        let place = |path| EntryPath { shown: path, below: path };
        let ruled = |path: &[u8], is_directory| self.rules.leave_out(path, is_directory) == Some(true);
        let above = below.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| &below[..end]);
        let deep = self.max_depth.is_some_and(|most| above.clone().count() >= most);
        let mut above = above.filter(|directory| !directory.is_empty());
        deep || above.any(|directory| !self.filter.enters(place(directory)) || ruled(directory, true))
            || !self.filter.wants(place(below))
            || !self.filter.wants_meta(meta)
            || ruled(below, false)
    }

    pub(crate) fn list_options(&self) -> ListOptions<'_> {
        ListOptions {
            links: self.links(),
            marked: &self.leave_out,
            streams: self.streams,
            most: usize::MAX,
            pulse: None,
        }
    }

    /// Returns the metadata of a path, within the time limit.
    pub(crate) fn stat(&self, path: &[u8], links: Links) -> io::Result<Meta> {
        let Some(limit) = self.timeout else { return sys::stat(path, links) };
        let path: Box<[u8]> = path.into();
        with_limit(limit, move || sys::stat(&path, links))?
    }

    /// Returns the metadata of a path below an operand, of a link its own, within the time limit.
    pub(crate) fn stat_below(
        &self,
        parents: &mut ParentCache,
        operand: &Arc<OperandDirectory>,
        path: &[u8],
    ) -> io::Result<Meta> {
        let Some(limit) = self.timeout else { return parents.look(operand, path) };
        let (operand, path): (_, Box<[u8]>) = (Arc::clone(operand), path.into());
        with_limit(limit, move || operand.meta(&path))?
    }

    /// Opens a named directory, within the time limit.
    pub(crate) fn open_operand(&self, path: &[u8]) -> io::Result<OperandDirectory> {
        let Some(limit) = self.timeout else { return retry_at_fd_limit(|| OperandDirectory::open(path)) };
        let path: Box<[u8]> = path.into();
        with_limit(limit, move || retry_at_fd_limit(|| OperandDirectory::open(&path)))?
    }
}

/// Whether directories are listed ahead of a walk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LookAhead {
    /// Directories are listed ahead after several were slow to list.
    #[default]
    Auto,
    /// Directories are listed ahead from the first one on.
    Always,
    /// Directories are never listed ahead.
    Never,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_elsewhere_is_chosen_by_the_same_rules() {
        let meta = Meta::at("Cargo.toml".as_ref()).unwrap();
        let filter = Filter::builder().include("*.c").exclude("out/").min_size(1).build().unwrap();
        let rules = IgnoreRules::parse(b"tmp/\n");
        let options = WalkOptions { filter, rules, max_depth: Some(3), ..WalkOptions::default() };
        assert!(meta.size > 0 && std::fs::metadata("Cargo.toml").unwrap().len() == meta.size);
        for (path, out) in [
            ("a.c", false),
            ("a.h", true),
            ("d/out/a.c", true),
            ("tmp/a.c", true),
            ("d//a.c", false),
            ("d/d/d/a.c", true),
        ] {
            assert_eq!(options.leaves_out(path.as_bytes(), &meta), out, "{path}");
        }
        assert!(options.leaves_out(b"a.c", &Meta { size: 0, ..meta }));
    }
}
