//! The Tiger tree hash (TTH): Tiger of every 1 KiB with a zero byte before it, joined in pairs with a one byte before
//! them; a node without a neighbour moves up unchanged.
//!
//! "Tree Hash EXchange format (THEX)", 2003.

use super::fold::{Pairs, hash_parts};
use super::shape::{Keeping, Nodes};
use super::{Leaves, Shape};
use crate::Digest;
use crate::algorithms::tiger::Tiger;
use crate::bank::serial;
use crate::stream::Blocks;

pub(crate) struct Tth;

impl Shape for Tth {
    const LEAVES: Leaves = Leaves {
        before: &[0],
        keeping: Keeping::Nodes(Nodes { join, filling: None }),
        ..Leaves::new(1024, 24, [serial::<Blocks<Tiger>>; 2], || Box::new(Pairs::new(join, None)))
    };
}

fn join(left: &[u8], right: &[u8]) -> Digest {
    hash_parts::<Blocks<Tiger>>(&[&[1], left, right])
}
