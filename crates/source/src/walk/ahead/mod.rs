//! Lists directories ahead of a walk with a few threads, for disks and networks where each listing has to wait.
//!
//! The walk alone decides which entries it visits, and in which order. This module only holds listings of directories
//! that it will probably enter. The walk takes a listing that is ready, waits for one that a thread has begun, and
//! otherwise lists the directory itself. So the threads change only the time that a walk takes.
//!
//! A walk visits directories in the byte order of their paths with a slash at the end. A sorted map of such paths has
//! the same order, so threads always take its first path: the walk needs it next.

mod lister_pool;

use super::directory::ListedDirectory;
use super::filter::EntryPath;
use super::list::Names;
use super::options::{LookAhead, WalkOptions};
use crate::OperandDirectory;
use crate::meta::Identity;
use lister_pool::ListerPool;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// A directory is slow to list if that took longer than this, and [`SLOW_ENTRY`] for each entry. A directory of 50
/// entries, with all that the walk does for them, takes 50 to 60 µs from memory, and some 300 µs from a virtual SSD.
const SLOW: Duration = Duration::from_micros(60);

/// See [`SLOW`].
const SLOW_ENTRY: Duration = Duration::from_micros(1);

/// Threads start when at least this many of the last eight directories were slow. Fewer may be slow by accident.
const ENOUGH: u32 = 4;

/// The walk offers directories while fewer than this many are queued.
const OFFERED: usize = 256;

/// The operand that the walk is below.
#[derive(Debug, Clone, Default)]
pub(crate) struct Operand {
    /// The length of the prefix that the paths of its entries start with.
    pub(crate) length: usize,
    pub(crate) dev: u64,
    /// The named directory, from which everything below is opened. `None` for a file, and if links are followed.
    pub(crate) directory: Option<Arc<OperandDirectory>>,
}

/// Lists directories ahead of a walk, if that is worth it.
pub(crate) struct ListAhead {
    options: Arc<WalkOptions>,
    /// One bit for each of the last eight directories that the walk listed itself, set if it was slow.
    slow: u8,
    pool: Option<ListerPool>,
}

impl ListAhead {
    pub(crate) fn new(options: Arc<WalkOptions>) -> ListAhead {
        let pool = (options.ahead == LookAhead::Always).then(|| ListerPool::start(&options));
        ListAhead { options, slow: 0, pool }
    }

    /// Drops the listings of the previous operand when the walk starts with another one.
    pub(crate) fn start(&self, operand: &Operand) {
        if let Some(pool) = &self.pool {
            pool.restart(operand);
        }
    }

    /// Offers the directories among these names, which are below `parent` (with its slash); the walk is about to enter
    /// them.
    pub(crate) fn offer(&self, parent: &[u8], names: &mut Names, operand: &Operand) {
        let Some(pool) = &self.pool else { return };
        let room = OFFERED.saturating_sub(pool.waiting());
        if room > OFFERED / 4 {
            pool.offer(directories(parent, names, operand, &self.options, room), usize::MAX, operand);
        }
    }

    /// Takes the listing of the directory that the walk enters now. `None` if the walk must list it itself. Drops
    /// listings that the walk has passed.
    pub(crate) fn take(&self, path: &[u8]) -> Option<io::Result<ListedDirectory>> {
        self.pool.as_ref()?.take(&key(path))
    }

    /// Records how long the walk took to list a directory itself.
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

/// Returns the path with one slash at the end, as it is sorted.
fn key(path: &[u8]) -> Box<[u8]> {
    [path, b"/"].concat().into()
}

/// Returns at most `most` of the next directories among the names that the walk would enter.
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

/// Returns whether the walk may want a listing of a directory that was opened ahead.
pub(crate) fn wanted(id: Identity, options: &WalkOptions, operand_device: u64) -> bool {
    !options.one_file_system || id.0 == operand_device
}
