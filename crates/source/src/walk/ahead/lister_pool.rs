//! The threads that list ahead, and the state that they share with the walk.

use super::{Operand, directories, wanted};
use crate::walk::directory::{DirectoryPlace, ListedDirectory};
use crate::walk::list::ListOptions;
use crate::walk::options::WalkOptions;
use hashmill_os::Links;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Enough requests in flight for every device that was measured. No network device was slower with this many.
const THREADS: usize = 8;

/// The stack size of a thread, in bytes: listing needs little.
const STACK: usize = 256 << 10;

/// The most listings that are ready or under way.
const READY: usize = 64;

/// No further directory is begun while the ready listings have this many entries in total.
const ENTRIES: usize = 200_000;

/// Directories with more entries are left to the walk, which holds one such listing at a time, not one for each thread.
const MAX_ENTRIES: usize = 50_000;

/// The most subdirectories that are queued at once when a directory has been listed ahead. The walk offers the others
/// when it arrives there.
const CHILDREN: usize = 64;

const WAITING: usize = 1024;

/// A path with a slash at the end.
type Key = Box<[u8]>;

/// The threads. When this is dropped, they end by themselves and nothing waits for them, since one may hang in a dead
/// network mount.
pub(super) struct ListerPool(Arc<Shared>);

struct Shared {
    options: Arc<WalkOptions>,
    state: Mutex<State>,
    /// Signals that there may be something to list.
    work: Condvar,
    /// Signals that a directory was listed.
    ready: Condvar,
}

#[derive(Default)]
struct State {
    waiting: BTreeSet<Key>,
    /// The directories that are being listed, with the ticket of the thread.
    busy: BTreeMap<Key, u64>,
    done: BTreeMap<Key, io::Result<ListedDirectory>>,
    /// The number of entries in all listings of `done`.
    entries: usize,
    operand: Operand,
    tickets: u64,
    over: bool,
}

/// One directory that a thread lists. Dropping it tells the walk not to wait for it.
struct ListTask<'a> {
    shared: &'a Shared,
    key: Key,
    ticket: u64,
    operand: Operand,
}

impl ListerPool {
    /// Starts the threads, or as many as the system allows.
    pub(super) fn start(options: &Arc<WalkOptions>) -> ListerPool {
        let shared = Arc::new(Shared {
            options: Arc::clone(options),
            state: Mutex::default(),
            work: Condvar::new(),
            ready: Condvar::new(),
        });
        for _ in 0..THREADS {
            let shared = Arc::clone(&shared);
            let started = thread::Builder::new().stack_size(STACK).spawn(move || shared.work());
            if started.is_err() {
                break;
            }
        }
        ListerPool(shared)
    }

    pub(super) fn restart(&self, operand: &Operand) {
        let mut state = self.0.state.lock();
        let tickets = state.tickets;
        *state = State { operand: operand.clone(), tickets, ..State::default() };
    }

    pub(super) fn waiting(&self) -> usize {
        self.0.state.lock().waiting.len()
    }

    /// Queues directories that the walk will visit.
    pub(super) fn offer(&self, directories: Vec<Key>, most: usize, operand: &Operand) {
        if !directories.is_empty() {
            let mut state = self.0.state.lock();
            state.operand = operand.clone();
            state.offer(directories, most);
            drop(state);
            self.0.work.notify_all();
        }
    }

    /// See [`super::ListAhead::take`].
    pub(super) fn take(&self, key: &Key) -> Option<io::Result<ListedDirectory>> {
        let mut state = self.0.state.lock();
        state.forget_before(key);
        state.waiting.remove(key);
        self.0.wait_for(key, &mut state);
        let listed = state.done.remove(key);
        state.entries -= entries(listed.as_ref());
        drop(state);
        self.0.work.notify_one();
        listed
    }
}

impl Drop for ListerPool {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        *state = State { over: true, ..State::default() };
        drop(state);
        self.0.work.notify_all();
    }
}

impl Shared {
    /// Waits while a thread lists the directory. With a time limit, the walk takes over after that time and allows
    /// itself the same time again.
    fn wait_for(&self, key: &Key, state: &mut MutexGuard<'_, State>) {
        let start = Instant::now();
        while state.busy.contains_key(key) {
            let left = self.options.timeout.map(|limit| limit.saturating_sub(start.elapsed()));
            match left {
                None => self.ready.wait(state),
                Some(Duration::ZERO) => {
                    state.busy.remove(key);
                }
                Some(left) => {
                    self.ready.wait_for(state, left);
                }
            }
        }
    }

    fn work(&self) {
        while let Some(job) = self.next() {
            job.run();
        }
    }

    /// Waits for a directory to list and returns it. `None` when the walk is over.
    fn next(&self) -> Option<ListTask<'_>> {
        let mut state = self.state.lock();
        loop {
            if state.over {
                return None;
            }
            if let Some((key, ticket)) = state.begin() {
                return Some(ListTask { shared: self, key, ticket, operand: state.operand.clone() });
            }
            self.work.wait(&mut state);
        }
    }
}

impl ListTask<'_> {
    fn run(self) {
        let options = &*self.shared.options;
        // With a slash at its end, the path would follow a link.
        let path = &self.key[..self.key.len() - 1];
        let wanted = |id| wanted(id, options, self.operand.dev);
        let list_options = ListOptions { most: MAX_ENTRIES, ..options.list_options() };
        let place = DirectoryPlace { operand: self.operand.directory.as_deref(), path, links: Links::Stay };
        let mut listed = ListedDirectory::list(place, list_options, wanted);
        if too_long(&listed) {
            return;
        }
        let below = match &mut listed {
            Ok(listed) => directories(&self.key, &mut listed.names, &self.operand, options, CHILDREN),
            Err(_) => Vec::new(),
        };
        let some = !below.is_empty();
        let mut state = self.shared.state.lock();
        if state.busy.get(&self.key) == Some(&self.ticket) {
            state.entries += entries(Some(&listed));
            state.done.insert(self.key.clone(), listed);
            state.offer(below, WAITING);
        }
        drop(state);
        if some {
            self.shared.work.notify_all();
        }
    }
}

impl Drop for ListTask<'_> {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock();
        if state.busy.get(&self.key) == Some(&self.ticket) {
            state.busy.remove(&self.key);
        }
        drop(state);
        self.shared.ready.notify_all();
    }
}

impl State {
    fn begin(&mut self) -> Option<(Key, u64)> {
        if self.done.len() + self.busy.len() >= READY || self.entries >= ENTRIES {
            return None;
        }
        let key = self.waiting.pop_first()?;
        self.tickets += 1;
        self.busy.insert(key.clone(), self.tickets);
        Some((key, self.tickets))
    }

    fn offer(&mut self, directories: Vec<Key>, most: usize) {
        for key in directories {
            if self.waiting.len() >= most {
                break;
            }
            self.waiting.insert(key);
        }
    }

    /// Forgets everything before this path, which the walk has reached.
    fn forget_before(&mut self, key: &Key) {
        while self.waiting.first().is_some_and(|first| first < key) {
            self.waiting.pop_first();
        }
        while self.busy.first_key_value().is_some_and(|(first, _)| first < key) {
            self.busy.pop_first();
        }
        while self.done.first_key_value().is_some_and(|(first, _)| first < key) {
            let passed = self.done.pop_first().map(|(_, listed)| listed);
            self.entries -= entries(passed.as_ref());
        }
    }
}

fn too_long(listed: &io::Result<ListedDirectory>) -> bool {
    let error = listed.as_ref().ok().and_then(|listed| listed.error.as_ref());
    error.is_some_and(|error| error.kind() == io::ErrorKind::FileTooLarge && error.raw_os_error().is_none())
}

fn entries(listed: Option<&io::Result<ListedDirectory>>) -> usize {
    listed.and_then(|listed| listed.as_ref().ok()).map_or(0, |listed| listed.names.len())
}
