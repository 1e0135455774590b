//! Joins files and algorithms: a [`Plan`] and the entries of a walk in, an ordered stream of
//! [`Event`]s out.
//!
//! ```text
//! walk ── batches ──> queue ──> workers ── messages ──> order ──> sink (calling thread)
//!                       └── large files, longest first ┘
//! ```
//!
//! A worker keeps many files in flight, so that a bank with lanes can fill them: each round reads the
//! next part of every file in flight and whole small files beside them, hashes all of it by every
//! algorithm of the plan while it is in the cache, and settles the files that ended. A file that is too
//! long to share a bank goes through a relay: its chunks are read and hashed by all threads
//! that have nothing else to do.

mod alarm;
mod banks;
mod branch;
mod buffers;
mod comb;
mod conduct;
mod consumer;
mod depth;
mod drive;
mod event;
mod flight;
mod holds;
mod kin;
mod load;
mod opening;
mod order;
mod pieces;
mod plan;
mod probe;
mod queue;
mod readers;
mod relay;
mod run;
mod shared;
mod stats;
mod strips;
mod sweep;
mod trunk;
mod worker;

pub use buffers::Portions;
pub use event::{Event, Outcome, Trouble};
pub use plan::{Cancel, Order, Plan, Prefetch};
pub use run::run;
pub use stats::{DriveStats, Live, Stats};
