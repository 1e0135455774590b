//! The threads that hash, and the files that they have in hand.

mod flight;
mod hand;
mod run_relay;
mod worker;

pub(crate) use run_relay::{RelayJob, run_relay};
pub(crate) use worker::{Worker, work};
