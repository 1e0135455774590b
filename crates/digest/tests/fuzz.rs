//! Runs the fuzz targets over messages of every length around a block, cut anywhere, for a limited time.

#[path = "../../fuzz/src/kernels.rs"]
mod targets;

use hashmill_testing::{Random, cases};

/// Returns messages preceded by their lengths, as the targets split them.
fn messages(chance: &mut Random) -> Vec<u8> {
    let most = [3, 140, 2100][chance.below(3)];
    let count = chance.below(40);
    let lengths: Vec<usize> = (0..count).map(|_| chance.below(most)).collect();
    let one = |length| [&(length as u16).to_le_bytes()[..], &chance.bytes(length)].concat();
    lengths.into_iter().flat_map(one).collect()
}

#[test]
fn all_kernels_agree_whatever_the_bytes() {
    let mut chance = Random(31);
    let times = cases(if cfg!(debug_assertions) { 1 } else { 20 });
    for algorithm in 0..=255 {
        for _ in 0..times {
            let cut = chance.next() as u8;
            let data = [&[algorithm, cut][..], &messages(&mut chance)].concat();
            targets::lanes(&data);
            targets::streams(&data);
        }
    }
    for short in [&[][..], &[1], &[1, 2], &[1, 2, 3]] {
        targets::lanes(short);
        targets::streams(short);
    }
}
