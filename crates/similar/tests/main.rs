//! Similarity digests against their reference programs.

mod common;
mod index;
mod lists;
mod pairs;
mod programs;
mod streams;
mod vectors;
