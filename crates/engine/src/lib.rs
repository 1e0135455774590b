//! The hashing engine: takes a [`Plan`] and the entries of a walk, and produces an ordered stream of [`EngineEvent`]s.
//!
//! ```text
//! walk ── batches ──> queue ──> workers ── messages ──> order ──> sink (calling thread)
//!                       └── large files, longest first ┘
//! ```
//!
//! A worker keeps many files in flight so that they fill the lanes of a hasher. Each round reads the next part of every
//! file in flight, and some whole small files; hashes all of it with every algorithm of the plan while it is in the
//! cache; and finishes the files that ended. A very long file goes through a relay: all idle threads read and hash its
//! chunks.
//!
//! Modules: `run` starts the threads; `task` has the data that they exchange through `queue`; `read` opens and reads,
//! `hash` hashes, `work` does both in rounds, `relay` both for one long file; `order` sorts the results.

mod event;
pub mod flow;
mod hash;
mod live;
mod memory;
mod order;
mod plan;
mod queue;
mod read;
mod readers;
mod relay;
mod run;
mod shared;
mod stats;
mod task;
mod work;

pub use event::{EngineEvent, EntryResult, RunItem, Trouble};
pub use live::{Count, Live, Total};
pub use memory::Layout;
pub use plan::saving::{LEAST_SAVED, ReadSoFar, Saver};
pub use plan::{Cancel, Order, Plan, Prefetch};
pub use run::run;
pub use stats::{DriveStats, Stats, WayStats};
