//! The library over damaged files.
//!
//! It has no reader that checks everything: lengths and offsets in the pages of a damaged file make it index out of bounds,
//! which panics. Memory is safe, and nothing of such a file is used any more, so the panic is an error like any other: one
//! line, and no backtrace for the user.

use parquet::errors::ParquetError;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    /// The library is at work on this thread: what it panics over is told by its caller.
    static AT_WORK: Cell<bool> = const { Cell::new(false) };
}

/// Runs the library, which may panic over what is damaged.
pub(crate) fn guarded<T>(run: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    silence();
    let before = AT_WORK.replace(true);
    let caught = catch_unwind(AssertUnwindSafe(run));
    AT_WORK.set(before);
    caught.unwrap_or_else(|_| Err(ParquetError::General("its parts contradict each other".into())))
}

/// Installs, once, a hook that says nothing of panics of the library, and all others to the hook that was there.
fn silence() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let other = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            // A thread that is ending has no such variable any more.
            if !AT_WORK.try_with(Cell::get).unwrap_or(false) {
                other(info);
            }
        }));
    });
}
