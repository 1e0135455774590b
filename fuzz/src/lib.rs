//! What is fuzzed: one function for each parser, see [`targets`]. `cargo fuzz run NAME` runs one of them;
//! `crates/manifest/tests/fuzz_corpus.rs` runs all over the seeds and over mutations of them.

pub mod bag;
pub mod calibration;
pub mod image;
pub mod kernels;
pub mod known;
pub mod seal;
pub mod sign;
pub mod similar;
pub mod targets;
