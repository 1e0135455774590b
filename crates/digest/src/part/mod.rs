//! Parts: the results of ranges of a message that were hashed separately, in other processes or on other machines, and
//! the digest that they make.

mod fold;
mod hasher;
mod nodes;
mod range;
mod stored;

pub(crate) use fold::are_subtrees;
pub use fold::{Missing, fold};
pub use hasher::{PartHasher, part};
pub use range::RangePart;
pub use stored::BadPart;
