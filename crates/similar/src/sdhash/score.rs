//! Scores of two sdhash digests.

use super::FEWEST;
use super::tables::{CUTOFF, CUTOFF_FAST};
use crate::bloom::Filter;
use crate::digest::sdhash::{BLOCK_FULL, SdhashDigest};
use std::sync::LazyLock;

/// A scoring method, which depends on the version.
pub trait Scoring: Send + Sync {
    /// Converts a filter to the form that is compared.
    fn filter(filter: &Filter) -> Filter {
        *filter
    }
    /// Returns whether to skip a filter of the larger digest with this number of elements; `only` means that the
    /// smaller digest has a single filter.
    fn leaves_out(count: u8, only: bool) -> bool;
    /// Returns the number of common bits from which filters are similar, by the numbers of elements and the maximum
    /// number of common bits; `None` if they can't be similar.
    fn cutoff(count: u8, other: u8, most: u32) -> Option<u32>;
    /// Returns the number of common bits; 0 if the first part of the filters has too few.
    fn common(a: &Filter, b: &Filter, cutoff: u32) -> u32;
}

/// The scores of version 4.0. Large unrelated digests may get 1 to 4.
pub struct Newer;

/// The scores of version 3.4.
pub struct Older;

/// The scores of version 4.0 with `--fast`, on filters of a quarter of the size.
pub struct Fast;

/// A digest prepared for comparison.
pub(super) struct View<'a> {
    pub name: &'a [u8],
    pub filters: &'a [Filter],
    pub weights: &'a [u16],
    pub counts: &'a [u8],
}

/// Returns the filters in the form that is compared.
pub(super) fn filters<S: Scoring>(digest: &SdhashDigest) -> Vec<Filter> {
    digest.filters.iter().map(S::filter).collect()
}

/// Returns the number of set bits of each filter.
pub(super) fn weights(filters: &[Filter]) -> Vec<u16> {
    filters.iter().map(|filter| filter.weight() as u16).collect()
}

/// Returns the score of two prepared digests: 0 to 100, or -1 if nothing can be compared.
///
/// It may depend on the order and on the names.
#[inline(always)]
pub(super) fn score_views<S: Scoring>(a: &View<'_>, b: &View<'_>) -> i32 {
    let (a, b) = if swapped(a, b) { (b, a) } else { (a, b) };
    let mut sum = -1.0_f64;
    let mut dense = 0;
    for filter in 0..a.filters.len() {
        dense += u32::from(a.counts[filter] >= FEWEST);
        let best = best::<S>(a, filter, b);
        // A sum below 0 means that nothing was compared yet.
        sum = if sum < 0.0 { best } else { sum + best };
    }
    let divisor = if a.filters.len() > 1 { dense } else { 1 };
    if divisor == 0 || sum < 0.0 {
        return -1;
    }
    (100.0 * sum / f64::from(divisor)).round() as i32
}

/// Returns whether to swap the digests: the second one has fewer filters, or as many and its last one has fewer
/// elements or its name is smaller.
#[inline(always)]
fn swapped(a: &View<'_>, b: &View<'_>) -> bool {
    let sizes = a.filters.len().cmp(&b.filters.len());
    sizes.is_gt() || (sizes.is_eq() && (a.counts.last() > b.counts.last() || a.name > b.name))
}

impl Scoring for Newer {
    #[inline(always)]
    fn leaves_out(count: u8, _: bool) -> bool {
        count < FEWEST
    }
    #[inline(always)]
    fn cutoff(count: u8, other: u8, _: u32) -> Option<u32> {
        Some(CUTOFF[4096 / (usize::from(count) + usize::from(other))])
    }
    #[inline(always)]
    fn common(a: &Filter, b: &Filter, cutoff: u32) -> u32 {
        common(a, b, cutoff)
    }
}

impl Scoring for Older {
    #[inline(always)]
    fn leaves_out(count: u8, only: bool) -> bool {
        !only && count < FEWEST
    }
    #[inline(always)]
    fn cutoff(count: u8, other: u8, most: u32) -> Option<u32> {
        let expected = EXPECTED[usize::from(count) * SIDE + usize::from(other)];
        let above = most.checked_sub(expected)?;
        Some((0.3 * f64::from(above) + f64::from(expected)).round() as u32)
    }
    #[inline(always)]
    fn common(a: &Filter, b: &Filter, cutoff: u32) -> u32 {
        common(a, b, cutoff)
    }
}

impl Scoring for Fast {
    fn filter(filter: &Filter) -> Filter {
        filter.folded()
    }
    #[inline(always)]
    fn leaves_out(count: u8, _: bool) -> bool {
        count < FEWEST
    }
    #[inline(always)]
    fn cutoff(count: u8, other: u8, _: u32) -> Option<u32> {
        Some(CUTOFF_FAST[1024 / (usize::from(count) + usize::from(other))])
    }
    #[inline(always)]
    fn common(a: &Filter, b: &Filter, cutoff: u32) -> u32 {
        let half = a.common::<0, 4>(b);
        if cutoff > 0 && 2 * half + SLACK < cutoff { 0 } else { half + a.common::<4, 8>(b) }
    }
}

/// The maximum difference of the estimate from the first part of a filter below the cutoff.
const SLACK: u32 = 48;

#[inline(always)]
fn common(a: &Filter, b: &Filter, cutoff: u32) -> u32 {
    let mut sum = a.common::<0, 4>(b);
    if cutoff > 0 && 8 * sum + SLACK < cutoff {
        return 0;
    }
    sum += a.common::<4, 8>(b);
    if cutoff > 0 && 4 * sum + SLACK < cutoff {
        return 0;
    }
    sum += a.common::<8, 16>(b);
    if cutoff > 0 && 2 * sum + SLACK < cutoff {
        return 0;
    }
    sum + a.common::<16, 32>(b)
}

/// Returns the best match of one filter with any of the larger digest; -1 if there is none.
#[inline(always)]
fn best<S: Scoring>(a: &View<'_>, filter: usize, b: &View<'_>) -> f64 {
    let (count, weight) = (a.counts[filter], a.weights[filter]);
    if count < FEWEST {
        return 0.0;
    }
    let mut best = -1.0_f64;
    for other in 0..b.filters.len() {
        if S::leaves_out(b.counts[other], a.filters.len() == 1) {
            continue;
        }
        let most = u32::from(weight.min(b.weights[other]));
        let score = match S::cutoff(count, b.counts[other], most) {
            None => 0.0,
            Some(cutoff) => {
                let common = S::common(&a.filters[filter], &b.filters[other], cutoff);
                if common <= cutoff { 0.0 } else { f64::from(common - cutoff) / f64::from(most - cutoff) }
            }
        };
        best = best.max(score);
        if best >= 1.0 {
            break;
        }
    }
    best
}

/// The number of possible element counts of a filter.
const SIDE: usize = BLOCK_FULL as usize + 1;

/// The number of bits that two filters share by chance, by the elements of both.
static EXPECTED: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let unset = |elements: usize| (1.0 - 1.0 / 2048.0_f64).powi(5 * elements as i32);
    let expected = |a: usize, b: usize| 2048.0 * (1.0 - unset(a) - unset(b) + unset(a + b));
    (0..SIDE * SIDE).map(|at| expected(at / SIDE, at % SIDE).round() as u32).collect()
});
