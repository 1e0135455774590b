//! HiDrive's content hash: SHA-1 of every 4 KiB, and levels of 256 sums.
//!
//! "HiDrive Synchronization: content hash" of Strato, as implemented by rclone. Blocks of zeros have zero digests, and
//! so do nodes with only such children. A node is the sum, modulo 2^160, of the SHA-1 of each child with its index.

use super::fold::{Fold, hash_parts};
use super::levels::{Group, Levels};
use super::shape::Keeping;
use super::{Empty, Leaves, Shape, Short};
use crate::Digest;
use crate::algorithms::sha1::Sha1;
use crate::bank::serial;
use crate::lanes::bank::lanes;
use crate::stream::Blocks;

pub(crate) struct HiDrive;

impl Shape for HiDrive {
    const LEAVES: Leaves = Leaves {
        short: Short::PaddedZerosAreZero,
        keeping: Keeping::Nothing,
        empty: Empty::None,
        ..Leaves::new(4096, 20, [lanes::<Sha1>, serial::<Blocks<Sha1>>], || Box::new(Sums(Levels::new())))
    };
}

#[derive(Clone)]
struct Sums(Levels<Sum>);

impl Fold for Sums {
    fn leaf(&mut self, digest: &[u8]) {
        let mut sum = [0; 20];
        sum.copy_from_slice(digest);
        self.0.push(&sum);
    }

    fn finish(&mut self, _: u64) -> Digest {
        Digest::new(&self.0.root().unwrap_or_default())
    }
}

/// A number below 2^160, most significant byte first.
#[derive(Clone, Default)]
struct Sum([u8; 20]);

impl Group for Sum {
    type Item = [u8; 20];
    const CHILDREN: usize = 256;

    fn take(&mut self, place: usize, child: &[u8; 20]) {
        if *child == [0; 20] {
            return;
        }
        let addend = hash_parts::<Blocks<Sha1>>(&[child, &[place as u8]]);
        let mut carry = 0;
        for (byte, more) in self.0.iter_mut().zip(addend.as_bytes()).rev() {
            let sum = u16::from(*byte) + u16::from(*more) + carry;
            (*byte, carry) = (sum as u8, sum >> 8);
        }
    }

    fn node(self) -> [u8; 20] {
        self.0
    }
}
