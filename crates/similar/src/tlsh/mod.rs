//! TLSH 4.12.1: 128 buckets, a checksum of one byte.
//!
//! Source: Oliver, Cheng and Chen, "TLSH: a locality sensitive hash" (2013), and constants of the reference program.

mod distance;
mod list;
mod set;
mod stream;
mod tables;

pub use crate::digest::tlsh::{TlshDigest, TlshForm, line};
pub use list::parse;
pub use set::{Lengthless, Set};
pub use stream::MINIMUM;
pub(crate) use stream::TlshStream;
