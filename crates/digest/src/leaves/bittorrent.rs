//! The root of a file's pieces in BitTorrent 2: SHA-256 of every 16 KiB, padded to a power of two with leaves of zero
//! digests.
//!
//! BEP 52, "pieces root". An empty file has none there; here it is zeros, the padding of a tree without leaves.

use super::fold::Pairs;
use super::glacier::join;
use super::shape::{Keeping, Nodes};
use super::{Empty, Leaves, Shape};
use crate::Digest;
use crate::algorithms::sha256::Sha256;
use crate::bank::serial;
use crate::lanes::bank::lanes;
use crate::stream::Blocks;

pub(crate) struct BitTorrent2;

impl Shape for BitTorrent2 {
    const LEAVES: Leaves = Leaves {
        empty: Empty::None,
        keeping: Keeping::Nodes(Nodes { join, filling: Some(&NO_LEAF) }),
        ..Leaves::new(16 << 10, 32, [lanes::<Sha256>, serial::<Blocks<Sha256>>], || {
            Box::new(Pairs::new(join, Some(Digest::new(&NO_LEAF))))
        })
    };
}

/// The digest of a padding leaf.
const NO_LEAF: [u8; 32] = [0; 32];
