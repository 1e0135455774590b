//! Folding with PMULL.

#![allow(unsafe_code)]

use super::fold::{Block, Blocks, FoldKernel, LEAST_BLOCKS};
use crate::machine::Isa;
use std::arch::aarch64::*;
use std::arch::is_aarch64_feature_detected as has;

pub(super) const WAYS: &[FoldKernel] = &[FoldKernel {
    name: "neon (pmull)",
    isa: Isa::Neon,
    is_there: || has!("pmull"),
    folds: [eight::<false>, eight::<true>],
}];

fn eight<const FLIP: bool>(blocks: Blocks<'_>) -> [u64; 2] {
    // SAFETY: an implementation is chosen only if the processor has its features (`fold::all`).
    unsafe { by_eight::<FLIP>(blocks) }
}

/// Folds with eight registers of one block.
#[target_feature(enable = "neon,aes")]
fn by_eight<const FLIP: bool>(Blocks { keys, remainder, blocks }: Blocks<'_>) -> [u64; 2] {
    let (rows, rest) = blocks.as_chunks::<LEAST_BLOCKS>();
    let Some((first, rows)) = rows.split_first() else { unreachable!("there are eight blocks") };
    let mut sums = first.each_ref().map(|block| load::<FLIP>(block));
    sums[0] = veorq_u64(sums[0], vcombine_u64(vcreate_u64(remainder), vcreate_u64(0)));
    for row in rows {
        for (sum, block) in sums.iter_mut().zip(row) {
            *sum = next(*sum, keys.after_8, load::<FLIP>(block));
        }
    }
    let blocks = rest.iter().map(|block| load::<FLIP>(block));
    let mut last = vdupq_n_u64(0);
    for block in sums.into_iter().chain(blocks) {
        last = next(last, keys.next, block);
    }
    [vgetq_lane_u64::<0>(last), vgetq_lane_u64::<1>(last)]
}

/// Shifts a block to the place of the next and adds them.
#[inline]
#[target_feature(enable = "neon,aes")]
fn next(sum: uint64x2_t, key: [u64; 2], block: uint64x2_t) -> uint64x2_t {
    let low = vreinterpretq_u64_p128(vmull_p64(vgetq_lane_u64::<0>(sum), key[0]));
    let high = vreinterpretq_u64_p128(vmull_p64(vgetq_lane_u64::<1>(sum), key[1]));
    veorq_u64(veorq_u64(low, high), block)
}

#[inline]
#[target_feature(enable = "neon")]
fn load<const FLIP: bool>(block: &Block) -> uint64x2_t {
    // SAFETY: the reference is to 16 bytes.
    let block = unsafe { vld1q_u8(block.as_ptr()) };
    vreinterpretq_u64_u8(if FLIP { vrbitq_u8(block) } else { block })
}
