//! macOS. It has never run here: it only compiles.

mod end;
mod host;
#[path = "../no_cache.rs"]
mod no_cache;
#[path = "../no_cycles.rs"]
mod no_cycles;
#[path = "../unix.rs"]
mod unix;

use crate::load::Load;

pub(crate) use host::{cpu_model, governor, memory, release, storage, version};
pub(crate) use no_cache::{DROP, forget};
pub(crate) use no_cycles::CoreCycles;
pub(crate) use unix::{RunningProgram, processor_time, sync};

/// Returns `None`: the load of other programs is not known.
pub(crate) fn load() -> Option<Load> {
    None
}
