//! Computes digests of bytes: every algorithm of hashmill is a row of [`ALGORITHMS`], with one interface for a single
//! stream and for thousands of streams at once ([`Bank`]).
//!
//! This crate does no I/O and starts no threads. Everything streams: a message may come in any number of parts, cut
//! anywhere, and the digest is the same.
//!
//! ```
//! use hashmill_digest::{find, hash};
//! let sha256 = find("sha256").unwrap();
//! assert_eq!(hash(sha256, b"abc").to_string()[..8], *"ba7816bf");
//! ```
//!
//! # Adding an algorithm
//!
//! 1. A folder with `mod.rs` (`sm3/` is a minimal example), or one file if it has no lanes (`whirlpool.rs`). A block
//!    hash implements three traits of `block.rs`: `Kernel` (words, byte order, paths: `kernel!`), `LaneKernel` (the
//!    rounds, written once for every register, and their costs) and `BlockHash` (initial state, padding, length).
//!    Padding, partial blocks, streams and lanes follow from these. A digest folded from leaves is a file in `leaves/`.
//!    Anything else implements `bank::StreamState`.
//! 2. Its line in the list of modules in `algorithms/mod.rs`, and its row in `registry.rs`. Option values, help, formats, probes,
//!    calibration, fuzzing and benchmarks follow from the row.
//! 3. Published answers in `tests/vectors.rs`, and, if it has lanes, another implementation in
//!    `tests/lanes_support/mod.rs`. Tests fail if one is missing.
//! 4. Costs: `cargo bench -p hashmill-bench --bench lanes -- costs` prints them.
//!
//! A faster path for one message is in the same folder, `single.rs` if it is portable and `x86_….rs` if it needs
//! instructions, with the figure that justifies it; the algorithm lists it in its `Paths`. An instruction set is a row
//! in `machine.rs`, a file in `lanes/` and a column of costs.

#![allow(clippy::needless_range_loop, reason = "kernels count words and lanes; indices say which")]

// The building blocks of algorithms.
mod about;
mod algorithm;
mod algorithms;
mod bank;
mod block;
mod calibration;
mod digest;
mod field;
pub mod hashes;
mod lanes;
pub mod leaves;
mod machine;
mod message;
mod part;
pub mod probe;
mod registry;
mod saved;
mod stream;
mod tree;

pub use about::About;
pub use algorithm::parameter::{BadParameter, Parameter, Unit};
pub use algorithm::{Algorithm, Class, KeyMode, Lanes, Make, Style, Text, hash};
pub use algorithms::blake2::{BadBlake2, Blake2, Blake2Parameters};
pub use algorithms::blake3::{KEY_BYTES, Key, with_context, with_key};
pub use algorithms::crc::{crc32c, crc32c_after, crc32c_joined};
pub use algorithms::sha1::sha1_of_blocks;
pub use algorithms::xxh::with_seed;
pub use bank::{Bank, Pace, Slot, StreamPart};
pub use calibration::{Calibration, InvalidCalibration};
pub use digest::{BadDigest, Digest, MAX_BYTES};
pub use lanes::costs::{BadCosts, Costs};
pub use machine::processor::Processor;
pub use machine::{BadIsa, Isa, Machine, VARIABLE};
pub use message::{Adler32, Crc32, Crc64, MessageHasher, Xxh32};
pub use registry::ALGORITHMS;
pub use registry::find::{Unknown, find, of_bits, of_name, parse_list};
pub use registry::guess::guesses;
pub use registry::size::{BadSize, parse_size};
pub use saved::Saved;
pub use tree::{Node, SegmentTree};
