//! Windows.

mod host;
mod load;
#[path = "../no_cache.rs"]
mod no_cache;
#[path = "../no_cycles.rs"]
mod no_cycles;
mod program;

use std::io;
use std::time::Duration;
use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::core::BOOL;

pub(crate) use host::{cpu_model, governor, memory, release, storage, version};
pub(crate) use load::{load, processor_time};
pub(crate) use no_cache::{DROP, forget};
pub(crate) use no_cycles::CoreCycles;
pub(crate) use program::RunningProgram;

/// The unit of processor times in nanoseconds.
const TICK: u64 = 100;

/// Does nothing: only an administrator may write what the cache holds of a whole volume.
pub(crate) fn sync() {}

fn check(answer: BOOL) -> io::Result<()> {
    if answer == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn duration(time: FILETIME) -> Duration {
    let ticks = u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
    Duration::from_nanos(ticks.saturating_mul(TICK))
}
