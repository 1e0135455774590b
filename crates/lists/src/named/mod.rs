//! The files that a list names: where they lie, how their names may be spelled, and which algorithm their digests are by if
//! the list does not say.

pub mod learn;
pub mod listed;
pub mod paths;
pub mod spelling;
