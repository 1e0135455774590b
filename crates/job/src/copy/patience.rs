//! Waiting for open files to be closed.

use hashmill_os::error::is_too_many_open;
use std::io;
use std::thread;
use std::time::{Duration, Instant};

/// The longest time to wait.
const LONGEST: Duration = Duration::from_secs(10);
/// The time between two tries.
const PAUSE: Duration = Duration::from_millis(5);

/// Opens something. Where too many files are open, it waits for others to be closed.
///
/// # Errors
/// If it can't be opened.
pub(super) fn patiently<T>(open: impl Fn() -> io::Result<T>) -> io::Result<T> {
    let until = Instant::now() + LONGEST;
    loop {
        match open() {
            Err(error) if is_too_many_open(&error) && Instant::now() < until => thread::sleep(PAUSE),
            opened => return opened,
        }
    }
}
