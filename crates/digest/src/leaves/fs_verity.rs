//! The digest that `fsverity digest` prints: of a descriptor that has the size of a file and the root over its blocks
//! of 4 KiB. A file system with fs-verity can return it without reading the file.
//!
//! Linux, Documentation/filesystems/fsverity.rst, "Merkle tree" and "fs-verity descriptor"; without a salt.

use super::fold::{Fold, hash_parts};
use super::levels::{Group, Levels};
use super::shape::Keeping;
use super::{Empty, Leaves, Shape, Short};
use crate::Digest;
use crate::algorithms::sha256::Sha256;
use crate::algorithms::sha512::Sha512;
use crate::bank::{StreamState, serial};
use crate::block::LaneHash;
use crate::lanes::bank::lanes;
use crate::stream::Blocks;
use std::marker::PhantomData;

/// With SHA-256.
pub(crate) type FsVerity256 = FsVerity<Sha256, 1>;
/// With SHA-512.
pub(crate) type FsVerity512 = FsVerity<Sha512, 2>;

/// The bytes of a block, of data and of digests.
const BLOCK: usize = 4096;

/// The digest with this hash, which has this number in descriptors.
pub(crate) struct FsVerity<A, const NUMBER: u8>(PhantomData<A>);

impl<A: LaneHash, const NUMBER: u8> Shape for FsVerity<A, NUMBER> {
    const LEAVES: Leaves = Leaves {
        short: Short::Padded,
        keeping: Keeping::Nothing,
        empty: Empty::None,
        ..Leaves::new(BLOCK as u64, A::BYTES, [lanes::<A>, serial::<Blocks<A>>], || {
            Box::new(Verity::<A, NUMBER>(Levels::new()))
        })
    };
}

struct Verity<A: LaneHash, const NUMBER: u8>(Levels<Block<A>>);

impl<A: LaneHash, const NUMBER: u8> Fold for Verity<A, NUMBER> {
    fn leaf(&mut self, digest: &[u8]) {
        self.0.push(&Digest::new(digest));
    }

    fn finish(&mut self, bytes: u64) -> Digest {
        let mut descriptor = [0; 256];
        descriptor[..3].copy_from_slice(&[1, NUMBER, BLOCK.ilog2() as u8]);
        descriptor[8..16].copy_from_slice(&bytes.to_le_bytes());
        if let Some(root) = self.0.root() {
            descriptor[16..16 + A::BYTES].copy_from_slice(root.as_bytes());
        }
        hash_parts::<Blocks<A>>(&[&descriptor])
    }
}

impl<A: LaneHash, const NUMBER: u8> Clone for Verity<A, NUMBER> {
    fn clone(&self) -> Self {
        Verity(self.0.clone())
    }
}

/// A block of digests, padded with zeros.
struct Block<A: LaneHash> {
    stream: Blocks<A>,
    bytes: usize,
}

impl<A: LaneHash> Clone for Block<A> {
    fn clone(&self) -> Self {
        Block { stream: self.stream.clone(), bytes: self.bytes }
    }
}

impl<A: LaneHash> Default for Block<A> {
    fn default() -> Self {
        Block { stream: Blocks::new(), bytes: 0 }
    }
}

impl<A: LaneHash> Group for Block<A> {
    type Item = Digest;
    const CHILDREN: usize = BLOCK / A::BYTES;

    fn take(&mut self, _: usize, child: &Digest) {
        self.stream.update(child.as_bytes());
        self.bytes += A::BYTES;
    }

    fn node(mut self) -> Digest {
        self.stream.update(&[0; BLOCK][self.bytes..]);
        self.stream.finish()
    }
}
