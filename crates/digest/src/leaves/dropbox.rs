//! Dropbox's content hash: the SHA-256 of the SHA-256 of every 4 MiB.
//!
//! <https://www.dropbox.com/developers/reference/content-hash>

use super::fold::Chain;
use super::{Empty, Leaves, Shape};
use crate::algorithms::sha256::Sha256;
use crate::bank::serial;
use crate::lanes::bank::lanes;
use crate::stream::Blocks;

pub(crate) struct Dropbox;

impl Shape for Dropbox {
    const LEAVES: Leaves = Leaves {
        empty: Empty::None,
        ..Leaves::new(4 << 20, 32, [lanes::<Sha256>, serial::<Blocks<Sha256>>], Chain::<Blocks<Sha256>>::fold)
    };
}
