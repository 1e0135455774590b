//! How many files the readers of this process hold open, for when the system lets it open no more. The
//! table of descriptors is the process's, and so are these counters.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Files that readers opened, and closed, so far.
static OPENED: AtomicU64 = AtomicU64::new(0);
static CLOSED: AtomicU64 = AtomicU64::new(0);

/// How long nothing need be closed before waiting is given up.
const PATIENCE: Duration = Duration::from_secs(60);

/// Between two tries.
const PAUSE: Duration = Duration::from_millis(1);

/// A place in the table of open files. Readers have one as long as they live.
#[derive(Debug)]
pub(crate) struct Seat(());

impl Seat {
    pub(crate) fn take() -> Seat {
        OPENED.fetch_add(1, Ordering::Relaxed);
        Seat(())
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        CLOSED.fetch_add(1, Ordering::Relaxed);
    }
}

/// Whether a call failed because this process, or the system, has too many files open: that goes away.
pub(crate) fn is_crowded(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE))
}

/// The patience of somebody who has nothing open and can't open anything.
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
    /// Waits a moment, in which other readers may close what they have open. False if waiting is no use:
    /// no reader has anything open, or none has closed anything for a minute.
    pub fn wait(&mut self) -> bool {
        // In this order: what was opened in between counts as open.
        let closed = CLOSED.load(Ordering::Relaxed);
        let open = OPENED.load(Ordering::Relaxed).saturating_sub(closed);
        if closed != self.closed {
            *self = FdLimitWait { closed, since: Instant::now() };
        } else if open == 0 || self.since.elapsed() > PATIENCE {
            return false;
        }
        thread::sleep(PAUSE);
        true
    }
}

/// Repeats a call while too many files are open and readers close some.
pub(crate) fn patiently<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let mut patience = None;
    loop {
        match call() {
            Err(error) if is_crowded(&error) => {
                if !patience.get_or_insert_with(FdLimitWait::default).wait() {
                    return Err(error);
                }
            }
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_repeated_while_files_are_closed() {
        let mut seats: Vec<Seat> = (0..5).map(|_| Seat::take()).collect();
        let mut calls = 0;
        let result = patiently(|| {
            calls += 1;
            match seats.pop() {
                Some(_) => Err(io::Error::from_raw_os_error(libc::EMFILE)),
                None => Ok(calls),
            }
        });
        assert_eq!(result.unwrap(), 6);
    }

    #[test]
    fn other_errors_are_not_waited_for() {
        let mut calls = 0;
        let result: io::Result<()> = patiently(|| {
            calls += 1;
            Err(io::Error::from_raw_os_error(libc::EACCES))
        });
        assert!(result.is_err() && calls == 1);
    }
}
