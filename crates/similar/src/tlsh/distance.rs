//! Distances of TLSH digests.
//!
//! The quarter of a bucket is stored in unary, as 0 to 3 ones on three bit planes. Then the distance of two buckets, 0,
//! 1, 2 or 6, is the number of planes that differ, and 3 more if all do.

use crate::digest::tlsh::TlshDigest;

/// A digest prepared for comparison.
#[derive(Debug, Clone, Copy)]
pub(super) struct PreparedDigest {
    planes: [u128; 3],
    checksum: u8,
    pub(super) length: u8,
    ratios: [u8; 2],
}

impl PreparedDigest {
    pub(super) fn new(digest: &TlshDigest) -> Self {
        let mut planes = [0; 3];
        for bucket in 0..128 {
            let quarter = digest.code[bucket / 4] >> (bucket % 4 * 2) & 3;
            for plane in &mut planes[..usize::from(quarter)] {
                *plane |= 1 << bucket;
            }
        }
        PreparedDigest { planes, checksum: digest.checksum, length: digest.length, ratios: digest.ratios }
    }

    /// Returns the part of the distance due to the lengths.
    #[inline(always)]
    pub(super) fn length_distance(&self, other: &Self) -> u32 {
        match around(self.length, other.length, 256) {
            near @ 0..=1 => near,
            far => 12 * far,
        }
    }

    /// Returns the part of the distance due to the quartiles and the checksum.
    #[inline(always)]
    pub(super) fn head_distance(&self, other: &Self) -> u32 {
        let ratio = |i: usize| match around(self.ratios[i], other.ratios[i], 16) {
            near @ 0..=1 => near,
            far => 12 * (far - 1),
        };
        ratio(0) + ratio(1) + u32::from(self.checksum != other.checksum)
    }

    /// Returns the part of the distance due to the buckets.
    #[inline(always)]
    pub(super) fn code_distance(&self, other: &Self) -> u32 {
        let [low, middle, high] = std::array::from_fn(|i| self.planes[i] ^ other.planes[i]);
        let planes = low.count_ones() + middle.count_ones() + high.count_ones();
        planes + 3 * (low & middle & high).count_ones()
    }
}

/// Returns the distance of two numbers on a ring.
#[inline(always)]
fn around(a: u8, b: u8, ring: u32) -> u32 {
    let there = u32::from(a.abs_diff(b));
    there.min(ring - there)
}
