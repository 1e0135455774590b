//! The threads that list ahead, and what they share with the walk.

use super::{Operand, directories, wanted};
use crate::contents::Contents;
use crate::list::Listing;
use crate::sys::Links;
use crate::walk::WalkOptions;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Enough requests in flight for every device that was measured; of the network ones none was slower with it.
const THREADS: usize = 8;

/// Bytes of a thread's stack: listing needs little.
const STACK: usize = 256 << 10;

/// Contents that are ready or being made, at most.
const READY: usize = 64;

/// Entries in contents that are ready: no further directory is begun above this.
const ENTRIES: usize = 200_000;

/// A directory with more entries is left to the walk: it holds one such listing at a time, not one for each thread.
const LONGEST: usize = 50_000;

/// Of a directory that was listed ahead this many of its directories are offered at once; the walk offers the
/// others when it gets there.
const CHILDREN: usize = 64;

/// Paths that wait, at most.
const WAITING: usize = 1024;

/// A path with a slash behind.
type Key = Box<[u8]>;

/// The threads. They end by themselves when this is dropped, and nobody waits for them: one may hang in a dead
/// network mount.
pub(super) struct Crew(Arc<Shared>);

struct Shared {
    options: Arc<WalkOptions>,
    state: Mutex<State>,
    /// There may be something to list.
    work: Condvar,
    /// Something was listed.
    ready: Condvar,
}

#[derive(Default)]
struct State {
    /// To be listed.
    waiting: BTreeSet<Key>,
    /// Being listed, with the ticket of who does it.
    busy: BTreeMap<Key, u64>,
    done: BTreeMap<Key, io::Result<Contents>>,
    /// In all of `done`.
    entries: usize,
    operand: Operand,
    tickets: u64,
    over: bool,
}

/// One directory that a thread lists. Dropping it tells the walk not to wait for it.
struct Job<'a> {
    shared: &'a Shared,
    key: Key,
    ticket: u64,
    operand: Operand,
}

impl Crew {
    /// Starts the threads; as many as the system gives.
    pub(super) fn start(options: &Arc<WalkOptions>) -> Crew {
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
        Crew(shared)
    }

    pub(super) fn restart(&self, operand: Operand) {
        let mut state = self.0.lock();
        let tickets = state.tickets;
        *state = State { operand, tickets, ..State::default() };
    }

    /// Paths that wait to be listed.
    pub(super) fn waiting(&self) -> usize {
        self.0.lock().waiting.len()
    }

    /// Directories that the walk will come to.
    pub(super) fn offer(&self, directories: Vec<Key>, most: usize, operand: Operand) {
        if !directories.is_empty() {
            let mut state = self.0.lock();
            state.operand = operand;
            state.offer(directories, most);
            drop(state);
            self.0.work.notify_all();
        }
    }

    /// See [`super::Ahead::take`].
    pub(super) fn take(&self, key: &Key) -> Option<io::Result<Contents>> {
        let mut state = self.0.lock();
        state.forget_before(key);
        state.waiting.remove(key);
        state = self.0.wait_for(key, state);
        let contents = state.done.remove(key);
        state.entries -= entries(contents.as_ref());
        drop(state);
        self.0.work.notify_one();
        contents
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        *state = State { over: true, ..State::default() };
        drop(state);
        self.0.work.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits while a thread lists the directory. With a time limit the walk takes it over after that, and gives it
    /// the same time once more.
    fn wait_for<'a>(&'a self, key: &Key, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let start = Instant::now();
        while state.busy.contains_key(key) {
            let left = self.options.timeout.map(|limit| limit.saturating_sub(start.elapsed()));
            state = match left {
                None => self.ready.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(Duration::ZERO) => {
                    state.busy.remove(key);
                    return state;
                }
                Some(left) => self.ready.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
            };
        }
        state
    }

    fn work(&self) {
        while let Some(job) = self.next() {
            job.run();
        }
    }

    /// The next directory to list, when there is one. None when the walk is over.
    fn next(&self) -> Option<Job<'_>> {
        let mut state = self.lock();
        loop {
            if state.over {
                return None;
            }
            if let Some((key, ticket)) = state.begin() {
                return Some(Job { shared: self, key, ticket, operand: state.operand });
            }
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Job<'_> {
    fn run(self) {
        let options = &*self.shared.options;
        // With the slash behind it a link would be followed.
        let path = &self.key[..self.key.len() - 1];
        let wanted = |id| wanted(id, options, self.operand);
        let how = Listing { most: LONGEST, ..options.listing() };
        let mut contents = Contents::list(path, Links::Stay, how, wanted);
        if too_long(&contents) {
            return;
        }
        let below = match &mut contents {
            Ok(contents) => directories(&self.key, &mut contents.names, self.operand, options, CHILDREN),
            Err(_) => Vec::new(),
        };
        let some = !below.is_empty();
        let mut state = self.shared.lock();
        if state.busy.get(&self.key) == Some(&self.ticket) {
            state.entries += entries(Some(&contents));
            state.done.insert(self.key.clone(), contents);
            state.offer(below, WAITING);
        }
        drop(state);
        if some {
            self.shared.work.notify_all();
        }
    }
}

impl Drop for Job<'_> {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
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

    /// The walk is at this path: what stands before it will not be asked for.
    fn forget_before(&mut self, key: &Key) {
        while self.waiting.first().is_some_and(|first| first < key) {
            self.waiting.pop_first();
        }
        while self.busy.first_key_value().is_some_and(|(first, _)| first < key) {
            self.busy.pop_first();
        }
        while self.done.first_key_value().is_some_and(|(first, _)| first < key) {
            let passed = self.done.pop_first().map(|(_, contents)| contents);
            self.entries -= entries(passed.as_ref());
        }
    }
}

fn too_long(contents: &io::Result<Contents>) -> bool {
    let error = contents.as_ref().ok().and_then(|contents| contents.error.as_ref());
    error.is_some_and(|error| error.kind() == io::ErrorKind::FileTooLarge && error.raw_os_error().is_none())
}

fn entries(contents: Option<&io::Result<Contents>>) -> usize {
    contents.and_then(|contents| contents.as_ref().ok()).map_or(0, |contents| contents.names.len())
}
