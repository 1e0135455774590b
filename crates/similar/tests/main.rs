//! Similarity digests against their reference programs.

mod common;
mod index;
#[cfg(unix)]
mod inputs;
mod lists;
mod pairs;
mod programs;
mod streams;
#[cfg(unix)]
mod vectors;
