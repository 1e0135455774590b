//! The hashing engine: takes a [`Plan`] and the entries of a walk, and produces an ordered stream of [`EngineEvent`]s.
//!
//! It knows nothing of formats of manifests, options or terminals, nor of what lies inside other files: an entry brings the content
//! that is read.
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
//! * The walk comes in batches of 64. It waits while the window between the oldest entry that is not yet written and the
//!   newest one is full (65,536 entries, some 25 MiB).
//! * A worker *probes* a batch: it opens each file, notes its metadata, reads a small one at once, and gives a large one
//!   back to the queue, which hands out the longest first once there are enough of similar sizes to fill the lanes.
//! * In a round, every hasher gets the parts of all files in one call. A file that is in memory may be mapped: its part of
//!   a round is then a part of the map.
//! * In a relay, consumers take chunks in order, and hashers of trees (BLAKE3) in any order. `relay/state.rs` decides what
//!   comes next and knows no files; `relay/mod.rs` does it. The states of a large object are saved from time to time, and
//!   restored by a run that resumes.
//! * Memory: the plan's limit bounds arenas and chunks together.
//! * A scanner of rules is given whole contents. Those that come in parts are collected within a share of memory of their
//!   own, or else in temporary files: nobody waits for memory that another one holds while it waits for bytes.
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
mod tap;
mod task;
mod work;

pub use event::{EngineEvent, EntryResult, RunItem, Trouble};
pub use live::{Count, Live, Total};
pub use memory::Layout;
pub use plan::saving::{LEAST_SAVED, ReadSoFar, Saver};
pub use plan::scanning::Scanning;
pub use plan::{Cancel, Order, Plan, Prefetch};
pub use run::run;
pub use stats::{DriveStats, Stats, WayStats};
pub use tap::{Tap, TapStream};
