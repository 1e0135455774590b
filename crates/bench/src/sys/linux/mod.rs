//! Linux.

mod cache;
mod end;
mod host;
mod load;
mod perf;
#[path = "../unix.rs"]
mod unix;

pub(crate) use cache::{DROP, forget};
pub(crate) use host::{cpu_model, governor, memory, release, storage, version};
pub(crate) use load::load;
pub(crate) use perf::CoreCycles;
pub(crate) use unix::{RunningProgram, processor_time, sync};
