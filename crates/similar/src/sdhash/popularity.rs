//! Which windows of 64 bytes are the rarest in their neighbourhood.
//!
//! Every window has a rank by its entropy; the window with the lowest rank among 64 neighbours gets a point
//! from each of them. The search for the lowest rank follows the reference program, with its oddities: the last
//! window has no rank; while the lowest slides, one neighbour too many is looked at, and after a search one too few;
//! a neighbourhood that begins with a rank of 0 gives no point. A plain minimum of each neighbourhood gives other
//! digests.

use super::tables::{ENTROPY, RANK};
use crate::kernel::Features;

/// Bytes of a window, and windows of a neighbourhood.
pub(super) const WINDOW: usize = 64;
/// Bytes that are taken at once. Their ranks and points stay in the cache.
const TILE: usize = 16 << 10;

/// Windows that are looked at together.
const GROUP: usize = 16;

/// What one more occurrence of a byte value adds to the entropy, by the number of occurrences before.
const STEP: [i32; WINDOW] = {
    let mut step = [0; WINDOW];
    let mut count = 0;
    while count < WINDOW {
        step[count] = ENTROPY[count + 1] - ENTROPY[count];
        count += 1;
    }
    step
};

/// The windows of one chunk of a stream. Those that no further byte can change are given away, and their
/// bytes forgotten.
pub(super) struct Popularity {
    /// The bytes from the first window that is kept.
    bytes: Vec<u8>,
    /// The ranks of the windows from there, as far as they are known.
    ranks: Vec<u16>,
    /// The points of the windows from there.
    points: Vec<u8>,
    entropy: Entropy,
    /// The window whose neighbourhood comes next.
    next: usize,
    /// The lowest of the last neighbourhood: where, and its rank.
    lowest: (usize, u16),
}

/// The entropy of the window that was looked at last.
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

    /// Ends the chunk: all points are final.
    pub(super) fn finish(&mut self) {
        // The last windows have no rank.
        self.ranks.resize(self.bytes.len(), 0);
        self.advance_points();
    }

    /// Starts with another chunk.
    pub(super) fn restart(&mut self) {
        self.bytes.clear();
        self.ranks.clear();
        self.points.clear();
        self.entropy = Entropy { counts: [0; 256], value: 0 };
        (self.next, self.lowest) = (0, (0, 0));
    }

    /// The points of the windows that no further byte can change.
    pub(super) fn points(&self) -> &[u8] {
        &self.points[..self.next.min(self.points.len())]
    }

    /// The bytes of a window.
    pub(super) fn window(&self, at: usize) -> [u8; WINDOW] {
        self.bytes[at..].first_chunk().copied().unwrap_or([0; WINDOW])
    }

    /// Forgets the windows of [`Popularity::points`].
    pub(super) fn forget(&mut self) {
        let gone = self.points().len();
        self.bytes.drain(..gone);
        self.ranks.drain(..gone);
        self.points.drain(..gone);
        self.next -= gone;
        // The lowest may lie just before the next neighbourhood; then nothing looks at its place again.
        self.lowest.0 = self.lowest.0.saturating_sub(gone);
    }

    /// The windows of [`Popularity::points`] that have at least so many, with their points.
    pub(super) fn high(&self, least: u8) -> impl Iterator<Item = (usize, u8)> {
        // Few windows have any points: whole groups are passed over.
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

    /// Ranks every window after which there is one more byte.
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

    /// Goes through the neighbourhoods whose ranks are known, and the one rank after them.
    #[inline(always)]
    fn award(&mut self) {
        let (ranks, points) = (self.ranks.as_slice(), &mut self.points);
        points.resize(ranks.len(), 0);
        let end = ranks.len().saturating_sub(WINDOW);
        while self.next < end {
            let (at, rank) = self.lowest;
            if rank > 0 && self.next < at {
                // The lowest stays while what comes in is not lower; what is as low takes its place.
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

/// Where the lowest rank of a neighbourhood is, and that rank, without ranks of 0. Of equal ones it is the last of the
/// first run. A neighbourhood that begins with 0 has 0.
#[inline(always)]
fn lowest(ranks: &[u16]) -> (usize, u16) {
    if ranks[0] == 0 {
        return (0, 0);
    }
    // One less: 0 becomes the greatest.
    let rank = ranks.iter().fold(u16::MAX, |low, rank| low.min(rank.wrapping_sub(1))) + 1;
    let first = first(
        ranks,
        #[inline(always)]
        |other| other == rank,
    );
    let run = ranks[first..].iter().take_while(|other| **other == rank).count();
    (first + run - 1, rank)
}

/// The place of the first rank that meets a condition; the number of ranks if none does.
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
