//! Evidence that object stores give of their objects' content, and its strength.
//!
//! This crate knows nothing of files or options.
//!
//! A listing has some evidence of every object ([`Evidence::listed`]). [`Evidence::judge`] compares it with the digests
//! of a copy. If that is undecided, [`Evidence::questions`] are the next requests that may help, and
//! [`Evidence::answer`] takes their answers. A refused request is no failure: it only leaves less evidence.

mod asked;
mod attributes;
mod evidence;
mod headers;
mod judge;
mod question;

pub use evidence::Evidence;
pub use judge::Judged;
pub use question::{EntityTag, Question};
