//! ssdeep 2.14: context triggered piecewise hashes.
//!
//! Source: Kornblum, "Identifying almost identical files using context triggered piecewise hashing" (2006).

mod lanes;
mod list;
mod score;
mod set;
mod stream;

pub use crate::digest::ssdeep::{SsdeepDigest, line};
pub use list::{HEADER, parse};
pub use set::Set;
pub use stream::SecondPart;
pub(crate) use stream::SsdeepStream;
