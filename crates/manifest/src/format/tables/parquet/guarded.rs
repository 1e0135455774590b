//! Protection against panics of the library on damaged files.
//!
//! The library has no reader that checks everything: wrong lengths and offsets in the pages of a damaged file make it
//! index out of bounds, which panics. This is memory-safe, and the file is not used any more, so the panic is turned
//! into an ordinary error: one line, and no backtrace.

use parquet::errors::ParquetError;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    /// Whether the library is running on this thread, whose panics the caller reports.
    static AT_WORK: Cell<bool> = const { Cell::new(false) };
}

/// Runs library code that may panic on damaged files.
pub(crate) fn guarded<T>(run: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    silence();
    let before = AT_WORK.replace(true);
    let caught = catch_unwind(AssertUnwindSafe(run));
    AT_WORK.set(before);
    caught.unwrap_or_else(|_| Err(ParquetError::General("its parts contradict each other".into())))
}

/// Installs, once, a hook that ignores panics of the library and passes all others to the previous hook.
fn silence() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let other = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            // The variable does not exist while a thread ends.
            if !AT_WORK.try_with(Cell::get).unwrap_or(false) {
                other(info);
            }
        }));
    });
}
