//! The tree hash of Amazon S3 Glacier: SHA-256 of every 1 MiB, joined in pairs; a node without a neighbour moves up
//! unchanged.
//!
//! Amazon S3 Glacier Developer Guide, "Computing checksums".

use super::fold::{Pairs, hash_parts};
use super::{Leaves, Shape};
use crate::Digest;
use crate::algorithms::sha256::Sha256;
use crate::bank::serial;
use crate::lanes::bank::lanes;
use crate::stream::Blocks;

pub(crate) struct Glacier;

impl Shape for Glacier {
    const LEAVES: Leaves = Leaves::new(1 << 20, 32, [lanes::<Sha256>, serial::<Blocks<Sha256>>], || {
        Box::new(Pairs::new(join, None))
    });
}

/// Returns the SHA-256 of two nodes.
pub(super) fn join(left: &[u8], right: &[u8]) -> Digest {
    hash_parts::<Blocks<Sha256>>(&[left, right])
}
