//! Paths to entries to bytes: walks trees in a fixed order, filters, and reads files so that a caller
//! knows for certain whether it got all bytes of a file that held still.
//!
//! This crate knows nothing of digests and prints nothing.

mod entry;
mod error;
mod filter;
mod read;
mod walk;

pub use entry::{Entry, Found, Meta, Origin, Skip};
pub use error::{Error, Problem};
pub use filter::Filter;
pub use read::Reader;
pub use walk::{WalkOptions, walk};
