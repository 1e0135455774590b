//! The settings of a walk.

use crate::deadline::with_limit;
use crate::fd_limit::retry_at_fd_limit;
use crate::filter::EntryPath;
use crate::list::ListOptions;
use crate::sys::{self, Links};
use crate::{Filter, IgnoreRules, Meta, OperandDirectory, ParentCache};
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// How to walk.
#[derive(Debug, Clone, Default)]
pub struct WalkOptions {
    /// Follow symbolic links below the operands. Operands themselves are always followed.
    pub follow: bool,
    /// Stay on the file systems of the operands.
    pub one_file_system: bool,
    /// Which files are wanted.
    pub filter: Filter,
    /// Rules from the operands down: what they leave out is [`Skip::Filtered`](crate::Skip::Filtered).
    pub rules: IgnoreRules,
    /// Names of files in the tree with rules for the directories that they lie in; later names win. What they leave out
    /// is [`Skip::Ignored`](crate::Skip::Ignored).
    pub ignore_files: Vec<Box<[u8]>>,
    /// Look at the size of each file, also where nothing depends on it.
    pub sizes: bool,
    /// How many directories deep the walk goes: with 1 those of the operands are entered, but none below. None: all.
    pub max_depth: Option<usize>,
    /// Files (device, inode) that this run writes: they come out as [`Skip::Output`](crate::Skip::Output).
    pub leave_out: Vec<(u64, u64)>,
    /// Directories without entries come out, too, as [`Skip::EmptyFolder`](crate::Skip::EmptyFolder).
    pub empty_folders: bool,
    /// Whether directories are listed ahead. The result is the same.
    pub ahead: LookAhead,
    /// The most time that `stat` of an entry, or the next entry of a listing, may take.
    pub timeout: Option<Duration>,
}

impl WalkOptions {
    /// What to do with symbolic links below the operands.
    pub(crate) fn links(&self) -> Links {
        if self.follow { Links::Follow } else { Links::Stay }
    }

    /// Whether a file is left out that has this path from an operand down, but lies in no directory of this machine.
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

    /// How directories are listed.
    pub(crate) fn list_options(&self) -> ListOptions<'_> {
        ListOptions { links: self.links(), marked: &self.leave_out, most: usize::MAX, pulse: None }
    }

    /// The metadata of what is at a path, within the time limit.
    pub(crate) fn stat(&self, path: &[u8], links: Links) -> io::Result<Meta> {
        let Some(limit) = self.timeout else { return sys::stat(path, links) };
        let path: Box<[u8]> = path.into();
        with_limit(limit, move || sys::stat(&path, links))?
    }

    /// The metadata of what is at a path below an operand, of a link its own, within the time limit.
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

    /// Opens a directory that was named, within the time limit.
    pub(crate) fn open_operand(&self, path: &[u8]) -> io::Result<OperandDirectory> {
        let Some(limit) = self.timeout else { return retry_at_fd_limit(|| OperandDirectory::open(path)) };
        let path: Box<[u8]> = path.into();
        with_limit(limit, move || retry_at_fd_limit(|| OperandDirectory::open(&path)))?
    }
}

/// Whether directories are listed ahead of a walk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LookAhead {
    /// Once directories turn out to be slow to list.
    #[default]
    Auto,
    /// From the first directory on.
    Always,
    /// At no time.
    Never,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn what_lies_elsewhere_is_chosen_by_the_same_rules() {
        let meta = Meta::of(&std::fs::metadata("Cargo.toml").unwrap());
        let filter = Filter::builder().include("*.c").exclude("out/").min_size(1).build().unwrap();
        let rules = IgnoreRules::parse(b"tmp/\n");
        let options = WalkOptions { filter, rules, max_depth: Some(3), ..WalkOptions::default() };
        assert!(meta.size > 0 && std::fs::metadata("Cargo.toml").unwrap().size() == meta.size);
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
