//! Digests folded from leaves: the message is cut into leaves, each leaf is hashed separately, and the digest is made
//! of the leaves' digests.
//!
//! An algorithm is one of three things:
//!
//! * **serial**: every byte needs the state left by the bytes before it (MD5, SHA-256);
//! * **a tree** ([`crate::SegmentTree`]): ranges of the message are hashed separately, and neighbours are joined
//!   (BLAKE3, CRCs, QuickXor);
//! * **leaves and a fold** ([`Leaves`]): a leaf algorithm, the length of a leaf, the treatment of a shorter last leaf
//!   and of an empty message, and the way to combine the digests ([`Fold`]).
//!
//! The leaves of one message go through the lanes of the leaf algorithm's bank like small messages, so that one long
//! file fills all lanes. As the leaves are independent, it can use all threads as well.
//!
//! Two types provide that: [`LeafBank`] hashes the leaves of any number of ranges, which may belong to one message or
//! to many, and [`Folding`] takes the digests of one message's leaves in order. Both are combined in a
//! [`Bank`](crate::Bank) for whole messages, so that code which hashes streams needs no knowledge of leaves.
//!
//! A [`RangePart`] is the result of a range that was hashed separately: its leaves, or the nodes of a tree. It can be
//! stored and sent; [`fold`] makes the digest of the parts of a message, in any order, or reports missing ones.
//!
//! # Adding one
//!
//! Add a file here with a type that implements `Shape`, and its row in `registry.rs`. The memory of its fold may grow
//! with the logarithm of the message's length: a digest for each leaf would be too much for a disk.

mod aich;
mod bank;
mod bittorrent;
pub(crate) mod btih;
mod cid;
mod dropbox;
mod ed2k;
pub(crate) mod entries;
mod fold;
mod folding;
mod fs_verity;
mod glacier;
mod hidrive;
mod kept;
mod leaf_bank;
mod levels;
mod s3;
mod sha256tree;
mod shape;
mod tth;

pub use crate::part::*;
pub(crate) use aich::Aich;
pub(crate) use bank::{alone, alone_of, bank, bank_of};
pub use bank::{keeping, keeping_alone};
pub(crate) use bittorrent::BitTorrent2;
pub(crate) use cid::Cid;
pub(crate) use dropbox::Dropbox;
pub(crate) use ed2k::{Ed2k, Ed2kBlue};
pub use fold::Fold;
pub use folding::Folding;
pub(crate) use fs_verity::{FsVerity256, FsVerity512};
pub(crate) use glacier::Glacier;
pub(crate) use hidrive::HiDrive;
pub use leaf_bank::LeafBank;
pub(crate) use s3::{MOST_BYTES as PART_MOST, PART, S3Crc32, S3Crc32c, S3Etag, S3Sha1, S3Sha256};
pub(crate) use sha256tree::Sha256Tree;
pub use shape::Leaves;
pub(crate) use shape::{Empty, Shape, Short};
pub(crate) use tth::Tth;
