//! Waits for readers to close files when this process has as many files open as the system allows. The limit is per
//! process, and so are these counters.

use hashmill_os::error::is_too_many_open;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The numbers of files that readers have opened and closed.
static OPENED: AtomicU64 = AtomicU64::new(0);
static CLOSED: AtomicU64 = AtomicU64::new(0);

/// Waiting ends if no file was closed for this long.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// The same if no reader has a file open: other parts of the program have one for a moment, as they ask the system for something.
const MOMENT: Duration = Duration::from_millis(200);

/// The number of closed files at the last such wait for nothing. Until another one is closed, nobody waits so again: with no descriptor
/// left, each file of a long tree would.
static HOPELESS: AtomicU64 = AtomicU64::new(u64::MAX);

const PAUSE: Duration = Duration::from_millis(1);

/// Counts one open file while it lives. Every reader has one.
#[derive(Debug)]
pub(crate) struct FdGuard(());

impl FdGuard {
    pub(crate) fn new() -> FdGuard {
        OPENED.fetch_add(1, Ordering::Relaxed);
        FdGuard(())
    }
}

impl Drop for FdGuard {
    fn drop(&mut self) {
        CLOSED.fetch_add(1, Ordering::Relaxed);
    }
}

/// A wait for others to close files. Use it only where the caller has no file open itself.
#[derive(Debug)]
pub struct FdLimitWait {
    closed: u64,
    since: Instant,
}

impl Default for FdLimitWait {
    fn default() -> Self {
        FdLimitWait { closed: CLOSED.load(Ordering::Relaxed), since: Instant::now() }
    }
}

impl FdLimitWait {
    /// Waits a moment, in which other readers may close files. Returns false if waiting is useless: none has closed a file for a
    /// minute, or for as long as other parts of the program have one open if no reader has.
    pub fn wait(&mut self) -> bool {
        // In this order, a file that is opened in between counts as open.
        let closed = CLOSED.load(Ordering::Relaxed);
        let open = OPENED.load(Ordering::Relaxed).saturating_sub(closed);
        let is_hopeless = open == 0 && HOPELESS.load(Ordering::Relaxed) == closed;
        if closed != self.closed {
            *self = FdLimitWait { closed, since: Instant::now() };
        }
        let longest = if open == 0 { MOMENT } else { LONGEST_WAIT };
        if is_hopeless || self.since.elapsed() > longest {
            if open == 0 {
                HOPELESS.store(closed, Ordering::Relaxed);
            }
            return false;
        }
        thread::sleep(PAUSE);
        true
    }
}

/// Repeats a call while it fails at the limit of open files and readers close some.
pub(crate) fn retry_at_fd_limit<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let mut wait = None;
    loop {
        match call() {
            Err(error) if is_too_many_open(&error) => {
                if !wait.get_or_insert_with(FdLimitWait::default).wait() {
                    return Err(error);
                }
            }
            result => return result,
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_repeated_while_files_are_closed() {
        let mut guards: Vec<FdGuard> = (0..5).map(|_| FdGuard::new()).collect();
        let mut calls = 0;
        let result = retry_at_fd_limit(|| {
            calls += 1;
            match guards.pop() {
                Some(_) => Err(io::Error::from_raw_os_error(libc::EMFILE)),
                None => Ok(calls),
            }
        });
        assert_eq!(result.unwrap(), 6);
    }

    #[test]
    fn a_file_that_no_reader_has_open_is_waited_for_a_moment() {
        let mut calls = 0;
        let result = retry_at_fd_limit(|| {
            calls += 1;
            if calls == 1 { Err(io::Error::from_raw_os_error(libc::EMFILE)) } else { Ok(calls) }
        });
        assert_eq!(result.unwrap(), 2);
    }

    #[test]
    fn other_errors_are_not_waited_for() {
        let mut calls = 0;
        let result: io::Result<()> = retry_at_fd_limit(|| {
            calls += 1;
            Err(io::Error::from_raw_os_error(libc::EACCES))
        });
        assert!(result.is_err() && calls == 1);
    }
}
