//! Finds the 64-byte windows that are the rarest in their neighbourhood.
//!
//! Every window has a rank by its entropy; the window with the lowest rank among 64 neighbours gets a point from each
//! of them. The search for the lowest rank reproduces the oddities of the reference program: the last window has no
//! rank; while the lowest slides, one neighbour too many is examined, and after a search one too few; a neighbourhood
//! that begins with a rank of 0 gives no point. The plain minimum of each neighbourhood would give other digests.

use super::tables::{ENTROPY, RANK};
use crate::kernel::Features;

/// The length of a window in bytes, and the number of windows in a neighbourhood.
pub(super) const WINDOW: usize = 64;
/// The number of bytes processed at once, so that their ranks and points stay in the cache.
const TILE: usize = 16 << 10;

/// The number of windows examined together.
const GROUP: usize = 16;

/// The entropy added by one more occurrence of a byte value, by the number of earlier occurrences.
const STEP: [i32; WINDOW] = {
    let mut step = [0; WINDOW];
    let mut count = 0;
    while count < WINDOW {
        step[count] = ENTROPY[count + 1] - ENTROPY[count];
        count += 1;
    }
    step
};

/// The windows of one chunk of a stream. Windows with final points are returned, and their bytes dropped.
pub(super) struct Popularity {
    /// The bytes, starting with the first window that is kept.
    bytes: Vec<u8>,
    /// The known ranks of the windows, starting with the same one.
    ranks: Vec<u16>,
    /// The points of the windows, starting with the same one.
    points: Vec<u8>,
    entropy: Entropy,
    /// The window with the next neighbourhood to examine.
    next: usize,
    /// The position and rank of the lowest of the last neighbourhood.
    lowest: (usize, u16),
}

/// The entropy of the last examined window.
struct Entropy {
    counts: [u8; 256],
    value: i32,
}

impl Popularity {
    pub(super) fn new() -> Self {
        let entropy = Entropy { counts: [0; 256], value: 0 };
        let (bytes, ranks, points) = (Vec::new(), Vec::new(), Vec::new());
        Popularity { bytes, ranks, points, entropy, next: 0, lowest: (0, 0) }
    }

    /// Takes the next bytes of the chunk. Everything is kept until [`Popularity::forget`].
    pub(super) fn update(&mut self, bytes: &[u8]) {
        for tile in bytes.chunks(TILE) {
            self.bytes.extend_from_slice(tile);
            self.advance();
        }
    }

    /// Ends the chunk, after which all points are final.
    pub(super) fn finish(&mut self) {
        // The last windows have no rank.
        self.ranks.resize(self.bytes.len(), 0);
        self.advance_points();
    }

    pub(super) fn restart(&mut self) {
        self.bytes.clear();
        self.ranks.clear();
        self.points.clear();
        self.entropy = Entropy { counts: [0; 256], value: 0 };
        (self.next, self.lowest) = (0, (0, 0));
    }

    /// Returns the final points of windows.
    pub(super) fn points(&self) -> &[u8] {
        &self.points[..self.next.min(self.points.len())]
    }

    pub(super) fn window(&self, at: usize) -> [u8; WINDOW] {
        self.bytes[at..].first_chunk().copied().unwrap_or([0; WINDOW])
    }

    /// Drops the windows of [`Popularity::points`].
    pub(super) fn forget(&mut self) {
        let gone = self.points().len();
        self.bytes.drain(..gone);
        self.ranks.drain(..gone);
        self.points.drain(..gone);
        self.next -= gone;
        // The lowest may be just before the next neighbourhood; then its position is not used again.
        self.lowest.0 = self.lowest.0.saturating_sub(gone);
    }

    /// Returns the windows of [`Popularity::points`] with at least `least` points, and their points.
    pub(super) fn high(&self, least: u8) -> impl Iterator<Item = (usize, u8)> {
        // Few windows have points, so whole groups are skipped.
        let groups = self.points().chunks(GROUP).enumerate();
        let groups =
            groups.filter(move |(_, group)| group.iter().fold(0, |most, points| most.max(*points)) >= least);
        let windows = groups.flat_map(|(at, group)| (GROUP * at..).zip(group.iter().copied()));
        windows.filter(move |(_, points)| *points >= least)
    }

    fn advance(&mut self) {
        self.advance_ranks();
        self.advance_points();
    }

    /// Ranks every window that is followed by at least one more byte.
    fn advance_ranks(&mut self) {
        let Some(to) = self.bytes.len().checked_sub(WINDOW).filter(|to| *to > self.ranks.len()) else {
            return;
        };
        if self.ranks.is_empty() {
            self.bytes[..WINDOW].iter().for_each(|byte| self.entropy.enter(*byte));
            self.ranks.push(self.entropy.rank());
        }
        let from = self.ranks.len();
        let (leave, enter) = (&self.bytes[from - 1..to - 1], &self.bytes[from + WINDOW - 1..]);
        let entropy = &mut self.entropy;
        self.ranks.extend(leave.iter().zip(enter).map(|(leave, enter)| {
            entropy.leave(*leave);
            entropy.enter(*enter);
            entropy.rank()
        }));
    }

    fn advance_points(&mut self) {
        Features::best().run(
            #[inline(always)]
            || self.award(),
        );
    }

    /// Awards the points of all neighbourhoods with known ranks and one known rank after them.
    #[inline(always)]
    fn award(&mut self) {
        let (ranks, points) = (self.ranks.as_slice(), &mut self.points);
        points.resize(ranks.len(), 0);
        let end = ranks.len().saturating_sub(WINDOW);
        while self.next < end {
            let (at, rank) = self.lowest;
            if rank > 0 && self.next < at {
                // The lowest stays until an equal or lower rank arrives.
                let ahead = &ranks[self.next + WINDOW..at.min(end) + WINDOW];
                let stays = first(
                    ahead,
                    #[inline(always)]
                    |new| new <= rank,
                );
                points[at] += stays as u8;
                self.next += stays;
                match ahead.get(stays) {
                    None => continue,
                    Some(new) if *new == rank => {
                        self.lowest.0 = self.next + WINDOW;
                        points[self.lowest.0] += 1;
                        self.next += 1;
                        continue;
                    }
                    Some(_) => {}
                }
            }
            let (at, rank) = lowest(&ranks[self.next..self.next + WINDOW]);
            self.lowest = (self.next + at, rank);
            points[self.next + at] += u8::from(rank > 0);
            self.next += 1;
        }
    }
}

/// Returns the position and value of a neighbourhood's lowest rank, ignoring ranks of 0. Of equal ones, it is the last
/// of the first run. The result is 0 if the neighbourhood begins with 0.
#[inline(always)]
fn lowest(ranks: &[u16]) -> (usize, u16) {
    if ranks[0] == 0 {
        return (0, 0);
    }
    // Subtracting one makes 0 the greatest.
    let rank = ranks.iter().fold(u16::MAX, |low, rank| low.min(rank.wrapping_sub(1))) + 1;
    let first = first(
        ranks,
        #[inline(always)]
        |other| other == rank,
    );
    let run = ranks[first..].iter().take_while(|other| **other == rank).count();
    (first + run - 1, rank)
}

/// Returns the position of the first rank that meets a condition, or the number of ranks.
#[inline(always)]
fn first(ranks: &[u16], is: impl Fn(u16) -> bool) -> usize {
    let mut at = 0;
    let mut groups = ranks.chunks_exact(GROUP);
    for group in &mut groups {
        let mut any = false;
        for rank in group {
            any |= is(*rank);
        }
        if any {
            break;
        }
        at += GROUP;
    }
    at + ranks[at..].iter().position(|rank| is(*rank)).unwrap_or(ranks.len() - at)
}

impl Entropy {
    #[inline(always)]
    fn leave(&mut self, byte: u8) {
        let count = &mut self.counts[usize::from(byte)];
        *count -= 1;
        self.value -= STEP[usize::from(*count) % WINDOW];
    }

    #[inline(always)]
    fn enter(&mut self, byte: u8) {
        let count = &mut self.counts[usize::from(byte)];
        self.value += STEP[usize::from(*count) % WINDOW];
        *count += 1;
    }

    #[inline(always)]
    fn rank(&self) -> u16 {
        RANK[(self.value >> 10) as usize]
    }
}
