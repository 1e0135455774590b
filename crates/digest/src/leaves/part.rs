//! Parts: what is left of ranges of a message that were hashed apart, in other processes or on other machines, and what
//! is made of them.

mod fold;
mod hasher;
mod nodes;
mod range;
mod stored;

pub use fold::{Missing, fold};
pub use hasher::{PartHasher, part};
pub use range::Part;
pub use stored::BadPart;
