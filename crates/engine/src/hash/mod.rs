//! Hashers: what is computed of a stream of bytes.
//!
//! [`StreamHasher`] is the one interface: digests, likeness digests, and whatever else takes a stream in order. An
//! [`UnorderedHasher`] takes the chunks of one stream in any order. [`HashSpec`] says what to compute, and makes the
//! hashers: a new kind of digest is one file with its hasher, and one variant there.

mod cutter;
mod digest;
mod hasher;
mod leaves;
mod pieces;
mod similarity;
mod spec;
mod streams;
mod tree;
mod value;

pub(crate) use cutter::Cutter;
pub(crate) use hasher::{Occupancy, Row, RowHasher, Rows, StreamHasher, UnorderedHasher};
pub(crate) use pieces::PieceHasher;
pub(crate) use spec::HashSpec;
pub(crate) use streams::{Feed, Hashers, Stream};
pub(crate) use value::{Digests, Value};
