//! Scores of two mrsh-v2 digests, as the program of 2013 computes them.

use crate::bloom::Filter;
use crate::digest::mrsh::{FEWEST, FULL, MrshDigest};
use std::sync::LazyLock;

/// The divisor of the sum of the filters' scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denominator {
    /// The number of filters of the smaller digest, for containment.
    Smaller,
    /// The number of filters of the larger digest (`-f`), for overall similarity.
    Larger,
}

/// The number of bits that two filters share by chance, by the pieces of both.
static EXPECTED: LazyLock<Vec<u16>> = LazyLock::new(|| {
    let side = FULL as usize + 1;
    (0..side * side).map(|at| expected((at / side) as i32, (at % side) as i32)).collect()
});

fn expected(a: i32, b: i32) -> u16 {
    // The program's own decimal for 1 - 1/2048.
    let unset = |pieces: i32| 0.999_511_72_f64.powi(5 * pieces);
    (2048.0 * (1.0 - unset(a) - unset(b) + unset(a + b))) as u16
}

/// A digest with the number of set bits of each filter.
pub(super) struct WeighedDigest<'a> {
    pub filters: &'a [Filter],
    pub weights: &'a [u16],
    pub last: u32,
}

impl WeighedDigest<'_> {
    fn pieces(&self, filter: usize) -> u32 {
        if filter + 1 == self.filters.len() { self.last } else { FULL }
    }
}

/// Returns the number of set bits of each filter.
pub(super) fn weights(digest: &MrshDigest) -> Vec<u16> {
    digest.filters.iter().map(|filter| filter.weight() as u16).collect()
}

/// Returns the score, 0 to 100. With equal numbers of filters it may depend on the order.
#[inline(always)]
pub(super) fn score_weighed(a: &WeighedDigest<'_>, b: &WeighedDigest<'_>, denominator: Denominator) -> u32 {
    let (small, large) = if a.filters.len() < b.filters.len() { (a, b) } else { (b, a) };
    let whole = if denominator == Denominator::Smaller { small } else { large };
    let divisor = whole.filters.len() as u32 - u32::from(whole.last < FEWEST);
    if divisor == 0 {
        return 0;
    }
    let mut total = 0;
    for filter in 0..small.filters.len() {
        if small.pieces(filter) < FEWEST {
            break;
        }
        total += best(small, filter, large);
    }
    total / divisor
}

/// Returns the best score of one filter with any of the larger digest.
#[inline(always)]
fn best(small: &WeighedDigest<'_>, filter: usize, large: &WeighedDigest<'_>) -> u32 {
    let (pieces, weight) = (small.pieces(filter), u32::from(small.weights[filter]));
    let expected = |other: u32| u32::from(EXPECTED[(pieces * (FULL + 1) + other) as usize]);
    let mut expectation = expected(large.pieces(0));
    let (mut best, mut score) = (0, 0);
    for other in 0..large.filters.len() {
        if large.pieces(other) < FEWEST {
            break;
        }
        if other + 1 == large.filters.len() {
            expectation = expected(large.last);
        }
        let most = weight.min(u32::from(large.weights[other]));
        let cut = cutoff(most, expectation);
        let common = small.filters[filter].common_all(&large.filters[other]);
        if common < cut {
            score = 0;
        } else if most > cut {
            score = 100 * (common - cut) / (most - cut);
        }
        best = best.max(score);
        if best >= 100 {
            break;
        }
    }
    best
}

/// Returns the number of common bits at which similarity begins: 30 % of the way from the expected to the maximum.
#[inline(always)]
fn cutoff(most: u32, expected: u32) -> u32 {
    (0.3 * (f64::from(most) - f64::from(expected)) + f64::from(expected)) as u32
}
