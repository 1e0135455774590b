//! The settings of a walk.

use super::filter::EntryPath;
use super::ignore::RulesOf;
use super::list::ListOptions;
use crate::deadline::with_limit;
use crate::fd_limit::retry_at_fd_limit;
use crate::sys;
use crate::{Entry, Filter, IgnoreRules, Meta, OperandDirectory, ParentCache};
use hashmill_os::Links;
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
    /// Whether files may contain others that are looked for: they are then returned even if no include glob matches them, as
    /// passages ([`Entry::is_passage`](crate::Entry::is_passage)).
    pub may_contain: bool,
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

    /// Chooses whether a remote file with this path below an operand is returned, by filters, rules and the depth.
    pub fn choose(&self, below: &[u8], meta: &Meta) -> Choice {
        let directories = below.iter().filter(|byte| **byte == b'/').count();
        if self.max_depth.is_some_and(|most| directories >= most) || !self.filter.wants_meta(meta) {
            return Choice::LeftOut;
        }
        let is_included = false;
        self.choose_by_path(below, below, is_included)
    }

    /// Chooses a file inside of another file, by its path there and as it is shown, its size and its time.
    pub fn choose_inside(&self, below: &[u8], entry: &Entry, is_included: bool) -> Choice {
        let time = || Some(entry.content.as_ref()?.open().ok()?.meta().ok()?.mtime);
        // The sizes of some are known only when they were read.
        match entry.size.is_none_or(|size| self.filter.wants_size(size)) && self.filter.wants_time(time) {
            true => self.choose_by_path(below, &entry.path, is_included),
            false => Choice::LeftOut,
        }
    }

    /// Chooses a file by its path below an operand or inside of a file, and by its path as it is shown. One that is
    /// included already needs no glob for that.
    pub fn choose_by_path(&self, below: &[u8], shown: &[u8], is_included: bool) -> Choice {
        let before = shown.len() - below.len().min(shown.len());
        let place = |end: usize| EntryPath { shown: &shown[..before + end], below: &below[..end] };
        let ruled = |path: &[u8], of| self.rules.leave_out(path, of) == Some(true);
        let is_end = |end: &usize| below[*end] == b'/' && *end > 0;
        let mut above = (0..below.len()).filter(is_end);
        let is_out = above
            .any(|end| !self.filter.enters(place(end)) || ruled(&below[..end], RulesOf::Directories))
            || self.filter.excludes(place(below.len()))
            || ruled(below, RulesOf::Files);
        match is_included || self.filter.includes(place(below.len())) {
            _ if is_out => Choice::LeftOut,
            true => Choice::Wanted,
            false if self.may_contain => Choice::Passage,
            false => Choice::LeftOut,
        }
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

/// The outcome of filters for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// It is returned.
    Wanted,
    /// Only files inside of it may be wanted.
    Passage,
    /// It is left out.
    LeftOut,
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
            let choice = if out { Choice::LeftOut } else { Choice::Wanted };
            assert_eq!(options.choose(path.as_bytes(), &meta), choice, "{path}");
        }
        assert_eq!(options.choose(b"a.c", &Meta { size: 0, ..meta }), Choice::LeftOut);
    }

    #[test]
    fn what_is_inside_of_a_file_is_chosen_by_its_path_there() {
        let filter =
            Filter::builder().include("*.c").include("**/x.zip!/in/**").exclude("out/").build().unwrap();
        let options = WalkOptions { filter, may_contain: true, ..WalkOptions::default() };
        for (below, choice) in [
            ("a.c", Choice::Wanted),
            ("d/a.c", Choice::Wanted),
            ("in/a.h", Choice::Wanted),
            ("a.h", Choice::Passage),
            ("out/b.zip", Choice::LeftOut),
            ("d/out/a.c", Choice::LeftOut),
            ("/a.c", Choice::Wanted),
        ] {
            let shown = format!("d/x.zip!/{below}");
            assert_eq!(options.choose_by_path(below.as_bytes(), shown.as_bytes(), false), choice, "{below}");
        }
    }
}
