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

mod banks;
mod branch;
mod buffers;
mod comb;
mod consumer;
mod event;
mod flight;
mod kin;
mod order;
mod pieces;
mod plan;
mod queue;
mod relay;
mod run;
mod stats;
mod trunk;
mod worker;

pub use event::{Event, Outcome, Trouble};
pub use plan::{Cancel, Order, Plan};
pub use run::run;
pub use stats::{Live, Stats};
