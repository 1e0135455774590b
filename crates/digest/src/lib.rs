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

mod algorithm;
mod bank;
mod blake3bank;
mod digest;
mod kernel;
mod lanebank;
mod lanes;
pub mod probe;
mod registry;

pub use algorithm::{Algorithm, Class, Text, Unknown, find, of_bits, parse_list};
pub use bank::{Bank, Part, Slot, hash};
pub use digest::{BadDigest, Digest, MAX_BYTES};
pub use registry::ALGORITHMS;
