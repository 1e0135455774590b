//! The hashing threads and their files.

mod current_batch;
mod flight;
mod run_relay;
mod worker;

pub(crate) use run_relay::{RelayJob, run_relay};
pub(crate) use worker::{Worker, work};
