//! Tests of states.

mod repairs;
mod state;
