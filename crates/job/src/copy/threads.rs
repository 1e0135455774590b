//! Threads of a copy.

use crate::error::Error;
use std::thread::{self, JoinHandle};

/// Starts a thread with this purpose.
///
/// # Errors
/// If the system refuses.
pub(super) fn start<T: Send + 'static>(
    what: &'static str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>, Error> {
    thread::Builder::new().spawn(work).map_err(|source| Error::Thread { what, source })
}

/// Returns the result of a thread. One that panicked has ended the run.
pub(super) fn join<T>(thread: JoinHandle<T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
