//! Directories listed ahead of a walk, by a few threads, where listing one means waiting for a disk or a network.
//!
//! The walk alone decides what it meets, and in which order. Here are only listings of directories that it will probably
//! enter. It takes one if it is ready, waits if a thread is at it, and else lists the directory itself. So threads change
//! nothing but the time.
//!
//! A walk goes through directories in the order of the bytes of their paths with a slash at the end. Sorted maps of such
//! paths have the same order. So threads take the first one that waits, which is the one that the walk needs next.

mod lister_pool;

use crate::OperandDirectory;
use crate::directory::ListedDirectory;
use crate::filter::EntryPath;
use crate::list::Names;
use crate::meta::Id;
use crate::walk_options::{LookAhead, WalkOptions};
use lister_pool::ListerPool;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// A directory is slow to list if that took longer than this, and [`SLOW_ENTRY`] for each entry. A directory of 50
/// entries, with all that the walk does for them, takes 50 to 60 µs from memory, and some 300 µs from a virtual SSD.
const SLOW: Duration = Duration::from_micros(60);

/// See [`SLOW`].
const SLOW_ENTRY: Duration = Duration::from_micros(1);

/// Threads start when so many of the last eight directories were slow. Fewer may be slow by accident.
const ENOUGH: u32 = 4;

/// The walk offers directories while fewer than this many wait to be listed.
const OFFERED: usize = 256;

/// The operand that the walk is below.
#[derive(Debug, Clone, Default)]
pub(crate) struct Operand {
    /// Its length in the path of every entry.
    pub(crate) length: usize,
    /// Its device.
    pub(crate) dev: u64,
    /// The directory that it names, from which everything below is opened; none for a file, and where links are followed.
    pub(crate) directory: Option<Arc<OperandDirectory>>,
}

/// Lists directories ahead of a walk, if that is worth it.
pub(crate) struct ListAhead {
    options: Arc<WalkOptions>,
    /// One bit for each of the last eight directories that the walk listed itself: whether it was slow.
    slow: u8,
    pool: Option<ListerPool>,
}

impl ListAhead {
    pub(crate) fn new(options: Arc<WalkOptions>) -> ListAhead {
        let pool = (options.ahead == LookAhead::Always).then(|| ListerPool::start(&options));
        ListAhead { options, slow: 0, pool }
    }

    /// The walk goes on with another operand: drops what was listed ahead.
    pub(crate) fn start(&self, operand: &Operand) {
        if let Some(pool) = &self.pool {
            pool.restart(operand);
        }
    }

    /// The walk is about to enter a directory among these names, which stand below `parent` (with its slash).
    pub(crate) fn offer(&self, parent: &[u8], names: &mut Names, operand: &Operand) {
        let Some(pool) = &self.pool else { return };
        let room = OFFERED.saturating_sub(pool.waiting());
        if room > OFFERED / 4 {
            pool.offer(directories(parent, names, operand, &self.options, room), usize::MAX, operand);
        }
    }

    /// The listing of the directory that the walk enters now; `None` if the walk must list it itself. Drops listings that
    /// the walk has passed.
    pub(crate) fn take(&self, path: &[u8]) -> Option<io::Result<ListedDirectory>> {
        self.pool.as_ref()?.take(&key(path))
    }

    /// The walk listed a directory itself, in this time.
    pub(crate) fn note(&mut self, took: Duration, entries: usize, operand: &Operand) {
        if self.pool.is_some() || self.options.ahead != LookAhead::Auto {
            return;
        }
        let entries = u32::try_from(entries).unwrap_or(u32::MAX);
        self.slow = self.slow << 1 | u8::from(took > SLOW.saturating_add(SLOW_ENTRY.saturating_mul(entries)));
        if self.slow.count_ones() >= ENOUGH {
            let pool = ListerPool::start(&self.options);
            pool.restart(operand);
            self.pool = Some(pool);
        }
    }
}

/// The path as it sorts: with one slash at the end.
fn key(path: &[u8]) -> Box<[u8]> {
    [path, b"/"].concat().into()
}

/// The next directories among the names that the walk would enter, at most `most`.
fn directories(
    parent: &[u8],
    names: &mut Names,
    operand: &Operand,
    options: &WalkOptions,
    most: usize,
) -> Vec<Box<[u8]>> {
    let mut directories = Vec::new();
    while directories.len() < most {
        let Some(name) = names.next_directory() else { break };
        let path = [parent, name].concat();
        if options.filter.enters(EntryPath { shown: &path, below: &path[operand.length..] }) {
            directories.push(key(&path));
        }
    }
    directories
}

/// Whether a directory that was opened ahead is one that the walk may want listed.
pub(crate) fn wanted(id: Id, options: &WalkOptions, operand_device: u64) -> bool {
    !options.one_file_system || id.0 == operand_device
}
