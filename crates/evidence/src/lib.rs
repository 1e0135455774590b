//! What object stores say of the content of their objects, and how strong a proof it is.
//!
//! A listing says something of every object ([`Evidence::listed`]). Whoever has the digests of a copy asks
//! [`Evidence::judge`]; where that needs more, [`Evidence::questions`] are the next requests that may help, and
//! [`Evidence::answer`] takes what came of it. A refused question is no failure: then less is known.

mod asked;
mod attributes;
mod evidence;
mod headers;
mod judge;
mod question;

pub use evidence::Evidence;
pub use judge::Judged;
pub use question::Question;
