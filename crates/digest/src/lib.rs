//! Bytes to digests: every algorithm that hashloom knows, one row each in [`ALGORITHMS`], behind one
//! interface for a single stream and for thousands of streams at once ([`Bank`]).
//!
//! This crate does no I/O and starts no threads. Everything streams: a message may arrive in any
//! number of parts, cut anywhere, and the digest is the same.
//!
//! ```
//! use hashloom_digest::{find, hash};
//! let sha256 = find("sha256").unwrap();
//! assert_eq!(hash(sha256, b"abc").to_string()[..8], *"ba7816bf");
//! ```

#![allow(clippy::needless_range_loop, reason = "kernels count words and lanes; indices say which")]

mod adler32;
mod algorithm;
mod bank;
mod blake;
mod blake3bank;
mod block;
mod crc;
mod digest;
mod double;
mod hw;
mod kangarootwelve;
mod keccak;
mod kernel;
mod lanebank;
mod lanes;
mod machine;
mod md5;
pub mod probe;
mod processor;
mod registry;
mod ripemd160;
mod sha1;
mod sha256;
mod sha512;
mod sm3;
mod streebog;
mod tiger;
mod tree;
mod whirlpool;
mod xxh;

pub use algorithm::{Algorithm, Class, Text, Unknown, find, of_bits, parse_list};
pub use bank::{Bank, Pace, Part, Slot, hash};
pub use digest::{BadDigest, Digest, MAX_BYTES};
pub use lanes::{BadCosts, Costs};
pub use machine::{BadIsa, Isa, Machine, VARIABLE};
pub use processor::Processor;
pub use registry::ALGORITHMS;
pub use sha1::sha1_of_blocks;
pub use tree::{Node, Tree};
