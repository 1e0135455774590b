//! What takes the chunks of a relay in any order, on any threads at once.

use crate::comb::Comb;
use crate::trunk::Trunk;

/// A use of chunks that does not depend on their order.
pub(crate) enum Branch {
    /// A tree hash of the whole file.
    Trunk(Trunk),
    /// An algorithm over pieces that lie whole in one chunk.
    Comb(Comb),
}

impl Branch {
    /// Hashes the chunk of this number, which starts at this offset of the file.
    pub(crate) fn hash(&self, index: u64, offset: u64, bytes: &[u8]) {
        match self {
            Branch::Trunk(trunk) => trunk.leaf(index, offset, bytes),
            Branch::Comb(comb) => comb.hash(index, offset, bytes),
        }
    }

    pub(crate) fn trunk(&self) -> Option<&Trunk> {
        match self {
            Branch::Trunk(trunk) => Some(trunk),
            Branch::Comb(_) => None,
        }
    }

    pub(crate) fn comb(&self) -> Option<&Comb> {
        match self {
            Branch::Comb(comb) => Some(comb),
            Branch::Trunk(_) => None,
        }
    }
}
