//! Packs of git: the objects in them, by their index.
//!
//! [`PackObjects`] reads where each object lies and of which other it is a delta. [`Unpacker`] makes the objects of a
//! tree of deltas, each of them once, and compares their digests with the names in the index; a thread has one.

mod delta;
mod entry;
mod index;
mod inflate;
mod objects;
#[cfg(test)]
mod testing;
mod unpacker;

pub use index::PackIndex;
pub use objects::{PackObjects, PackReader};
pub use unpacker::{Large, TooLarge, Unpacker};

use std::fmt;
use std::io;

/// The reason why an object of a pack, or a pack, is not right.
#[derive(Debug)]
pub enum PackFault {
    /// The bytes are wrong.
    Damaged(&'static str),
    /// It is not known, as too much is needed to find out.
    Unchecked(&'static str),
    /// The bytes can't be read.
    Unreadable(io::Error),
}

impl fmt::Display for PackFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackFault::Damaged(what) | PackFault::Unchecked(what) => f.write_str(what),
            PackFault::Unreadable(error) => write!(f, "cannot read: {error}"),
        }
    }
}
