//! Checksums of multipart uploads to S3: the digest of the digests of the parts, and the number of parts.
//!
//! Amazon S3 User Guide, "Checking object integrity": composite checksums; for the ETag see "Common Response Headers"
//! in its API Reference. A part has at most 5 GiB, an upload at most 10,000 parts. Objects uploaded in one piece have
//! the plain digest instead.

use super::fold::Fold;
use super::{Leaves, Shape};
use crate::Digest;
use crate::algorithms::crc::{Castagnoli, Crc, Zip};
use crate::algorithms::md5::Md5;
use crate::algorithms::sha1::Sha1;
use crate::algorithms::sha256::Sha256;
use crate::bank::{Bank, StreamState, serial};
use crate::block::LaneHash;
use crate::field::Field;
use crate::lanes::bank::lanes;
use crate::stream::Blocks;
use std::marker::PhantomData;

/// The default size of a part: that of AWS's clients.
pub(crate) const PART: u64 = 8 << 20;

/// The maximum size of a part.
pub(crate) const MOST_BYTES: u64 = 5 << 30;

/// The maximum number of parts of an upload.
const MAX_PARTS: u64 = 10_000;

/// The ETag, with MD5.
pub(crate) type S3Etag = OfBlocks<Md5>;
/// The composite checksum with SHA-256.
pub(crate) type S3Sha256 = OfBlocks<Sha256>;
/// The composite checksum with SHA-1.
pub(crate) type S3Sha1 = OfBlocks<Sha1>;
/// The composite checksum with CRC-32.
pub(crate) type S3Crc32 = OfCrcs<Crc<Zip>>;
/// The composite checksum with CRC-32C.
pub(crate) type S3Crc32c = OfCrcs<Crc<Castagnoli>>;

/// Parts hashed with lanes.
pub(crate) struct OfBlocks<A>(PhantomData<A>);

impl<A: LaneHash> Shape for OfBlocks<A> {
    const LEAVES: Leaves = Leaves {
        most: Some(MAX_PARTS),
        ..Leaves::new(PART, A::BYTES, [lanes::<A>, serial::<Blocks<A>>], Counted::<Blocks<A>>::fold)
    };
}

/// Parts with a checksum.
pub(crate) struct OfCrcs<S>(PhantomData<S>);

impl<S: StreamState> Shape for OfCrcs<S> {
    const LEAVES: Leaves = {
        let bank: fn() -> Box<dyn Bank> = serial::<S>;
        Leaves { most: Some(MAX_PARTS), ..Leaves::new(PART, 4, [bank, bank], Counted::<S>::fold) }
    };
}

/// The digest of the digests, followed by their number.
#[derive(Clone)]
struct Counted<S> {
    stream: S,
    leaves: u32,
}

impl<S: StreamState> Counted<S> {
    fn fold() -> Box<dyn Fold> {
        Box::new(Counted { stream: S::new(), leaves: 0 })
    }
}

impl<S: StreamState> Fold for Counted<S> {
    fn leaf(&mut self, digest: &[u8]) {
        self.leaves = self.leaves.saturating_add(1);
        self.stream.update(digest);
    }

    fn finish(&mut self, _: u64) -> Digest {
        Digest::new(&[self.stream.finish().as_bytes(), &self.leaves.to_be_bytes()].concat())
    }

    fn save(&self, into: &mut Vec<u8>) -> bool {
        self.leaves.put(into);
        self.stream.save(into)
    }

    fn load(&mut self, from: &mut &[u8]) -> Option<()> {
        self.leaves = Field::take(from)?;
        self.stream.load(from)
    }
}
