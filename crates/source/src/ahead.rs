//! Directories listed ahead of a walk, by a few threads, where listing one means waiting for a disk or a network.
//!
//! The walk alone decides what is met, and in which order. Here are only contents of directories that it will
//! probably enter: it takes them if they are ready, waits if somebody is at it, and else lists for itself. So
//! threads change nothing but the time.
//!
//! A walk goes through directories in the order of their paths' bytes with a slash behind, and so do sorted maps
//! of such paths: threads take the first one that waits, which is the one that the walk needs next.

mod crew;

use crate::contents::{Contents, Id};
use crate::filter::Where;
use crate::list::Names;
use crate::walk::WalkOptions;
use crew::Crew;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// A directory is slow to list if that took longer than this, and [`SLOW_ENTRY`] for each entry. A directory of 50
/// entries, with all that the walk does for them, takes 50 to 60 µs from memory, and some 300 µs from a virtual SSD.
const SLOW: Duration = Duration::from_micros(60);

/// See [`SLOW`].
const SLOW_ENTRY: Duration = Duration::from_micros(1);

/// Threads start when this many of the last eight directories were slow: fewer are an accident of scheduling.
const ENOUGH: u32 = 4;

/// The walk offers directories while fewer than this many wait to be listed.
const OFFERED: usize = 256;

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

/// What the walk is below: how much of a path stands before the way down, and the operand's device.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Operand {
    pub(crate) length: usize,
    pub(crate) dev: u64,
}

/// What a walk knows of the directories to come.
pub(crate) struct Ahead {
    options: Arc<WalkOptions>,
    /// One bit for each of the last eight directories that the walk listed itself: whether it was slow.
    slow: u8,
    crew: Option<Crew>,
}

impl Ahead {
    pub(crate) fn new(options: Arc<WalkOptions>) -> Ahead {
        let crew = (options.ahead == LookAhead::Always).then(|| Crew::start(&options));
        Ahead { options, slow: 0, crew }
    }

    /// The walk goes on with another operand: what was listed ahead is of no use.
    pub(crate) fn start(&self, operand: Operand) {
        if let Some(crew) = &self.crew {
            crew.restart(operand);
        }
    }

    /// The walk is about to enter a directory among these names, which stand below `parent` (with its slash).
    pub(crate) fn offer(&self, parent: &[u8], names: &mut Names, operand: Operand) {
        let Some(crew) = &self.crew else { return };
        let room = OFFERED.saturating_sub(crew.waiting());
        if room > OFFERED / 4 {
            crew.offer(directories(parent, names, operand, &self.options, room), usize::MAX, operand);
        }
    }

    /// The contents of the directory that the walk enters now. None: it has to list them itself. Whatever the
    /// walk has passed is forgotten.
    pub(crate) fn take(&self, path: &[u8]) -> Option<io::Result<Contents>> {
        self.crew.as_ref()?.take(&key(path))
    }

    /// The walk listed a directory itself, in this time.
    pub(crate) fn note(&mut self, took: Duration, entries: usize, operand: Operand) {
        if self.crew.is_some() || self.options.ahead != LookAhead::Auto {
            return;
        }
        let entries = u32::try_from(entries).unwrap_or(u32::MAX);
        self.slow = self.slow << 1 | u8::from(took > SLOW.saturating_add(SLOW_ENTRY.saturating_mul(entries)));
        if self.slow.count_ones() >= ENOUGH {
            let crew = Crew::start(&self.options);
            crew.restart(operand);
            self.crew = Some(crew);
        }
    }
}

/// The path as it sorts: with one slash behind.
fn key(path: &[u8]) -> Box<[u8]> {
    [path, b"/"].concat().into()
}

/// The next directories among the names that the walk would enter, at most `most`.
fn directories(
    parent: &[u8],
    names: &mut Names,
    operand: Operand,
    options: &WalkOptions,
    most: usize,
) -> Vec<Box<[u8]>> {
    let mut directories = Vec::new();
    while directories.len() < most {
        let Some(name) = names.next_directory() else { break };
        let path = [parent, name].concat();
        if options.filter.enters(Where { shown: &path, below: &path[operand.length..] }) {
            directories.push(key(&path));
        }
    }
    directories
}

/// Whether a directory that was opened ahead is one that the walk may want listed.
pub(crate) fn wanted(id: Id, options: &WalkOptions, operand: Operand) -> bool {
    !options.one_file_system || id.0 == operand.dev
}
