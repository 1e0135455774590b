//! Likeness digests of bytes, scores of two digests, and similar pairs in large sets: ssdeep, TLSH, sdhash and mrsh-v2,
//! with the results of their reference programs.
//!
//! This crate opens no files: bytes are passed in any number of parts. Each row of [`SIMILAR`] is one algorithm.
//!
//! ```
//! use hashmill_similar::find;
//! let ssdeep = find("ssdeep").unwrap();
//! let mut stream = (ssdeep.stream)();
//! stream.update(b"one file and ");
//! stream.update(b"another");
//! let digest = stream.finish().unwrap();
//! # let _ = digest;
//! ```

mod bloom;
mod cluster;
mod digest;
mod fields;
pub mod index;
mod kernel;
mod likeness;
mod malformed;
pub mod mrsh;
mod pairs;
mod registry;
mod roll;
pub mod sdhash;
pub mod ssdeep;
pub mod tlsh;

pub use bloom::Filter;
pub use cluster::Clusters;
pub use digest::{LikenessDigest, Named};
pub use kernel::kernel;
pub use likeness::{Likeness, Refusal};
pub use malformed::Malformed;
pub use pairs::{Columns, Foreign, Measure, Pair, Search, Set};
pub use registry::{SIMILAR, Similar, find};
