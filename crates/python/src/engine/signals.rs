//! Signals: a call that works without the GIL checks for them, so that Ctrl-C stops it.

use crate::error::failed;
use hashmill_engine::Cancel;
use pyo3::prelude::*;
use std::any::Any;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// The interval at which a call checks for signals.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// Runs work on another thread, without the GIL, and checks for signals meanwhile. A signal whose handler raises sets
/// `cancel`, and the exception is returned.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    cancel: &Cancel,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    watched_beside(py, cancel, work, || ()).map(|(done, ())| done)
}

/// Runs work like [`watched`], and meanwhile something else on this thread, with the GIL.
pub(crate) fn watched_beside<T: Send, U>(
    py: Python<'_>,
    cancel: &Cancel,
    work: impl FnOnce() -> T + Send,
    beside: impl FnOnce() -> U,
) -> PyResult<(T, U)> {
    thread::scope(|scope| {
        let (alive, over) = channel::<()>();
        let worker = thread::Builder::new()
            .spawn_scoped(scope, move || {
                // Dropped when the work ends, even by a panic.
                let _alive = alive;
                work()
            })
            .map_err(|source| failed(format!("no thread to hash on: {source}")))?;
        let other = beside();
        let done = py.detach(move || {
            let mut raised = None;
            while over.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                if raised.is_none()
                    && let Err(error) = Python::attach(|py| py.check_signals())
                {
                    cancel.set();
                    raised = Some(error);
                }
            }
            let done = worker.join().map_err(|panic| broken(&*panic))?;
            raised.map_or(Ok(done), Err)
        })?;
        Ok((done, other))
    })
}

/// Returns the exception for a panic, which is a bug in hashmill.
pub(crate) fn broken(panic: &(dyn Any + Send)) -> PyErr {
    let said = panic.downcast_ref::<&str>().map(|said| said.to_string());
    let said = said.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    failed(format!("hashmill broke down; please report it: {said}"))
}
