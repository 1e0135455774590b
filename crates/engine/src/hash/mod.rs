//! Hashers, which compute values of streams of bytes.
//!
//! A [`StreamHasher`] takes streams in order: digests, likeness digests and any later kind implement it. An
//! [`UnorderedHasher`] takes the chunks of one stream in any order. [`HashSpec`] says what to compute and makes the
//! hashers. A new kind of digest needs one file with its hasher and one variant there.

mod cutter;
mod digest;
mod facts;
mod hasher;
mod leaves;
mod pieces;
mod scan;
mod similarity;
mod spec;
mod streams;
mod tap;
mod tree;
mod value;

pub(crate) use cutter::Cutter;
pub(crate) use hasher::{Occupancy, RowHasher, Rows, StreamBytes, StreamHasher, UnorderedHasher};
pub(crate) use pieces::PieceHasher;
pub(crate) use scan::{ScanHasher, TooLong};
pub(crate) use spec::HashSpec;
pub(crate) use streams::{Feed, Hashers, StreamSlots};
pub(crate) use tap::TapHasher;
pub(crate) use value::{DigestValues, Value};
