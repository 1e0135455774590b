//! mrsh-v2: Bloom filters of the hashes of content-defined pieces.
//!
//! Source: Breitinger and Baier, "Similarity preserving hashing: eligible properties and a new algorithm
//! MRSH-v2" (2012), and the reference program of 2013 (Apache-2.0).

mod list;
mod marks;
mod score;
mod set;
mod stream;

pub use crate::digest::mrsh::{MrshDigest, line};
pub use list::parse;
pub use set::{Set, Whole};
pub(crate) use stream::MrshStream;
pub use stream::Variant;
