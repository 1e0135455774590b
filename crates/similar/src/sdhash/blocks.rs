//! The digest of a stream by blocks, and of a long stream by segments of many blocks.

use super::MINIMUM;
use super::features::Features;
use super::popularity::{Popularity, WINDOW};
use crate::bloom::Filter;
use crate::digest::sdhash::{BLOCK_FULL, Layout, SdhashDigest};

/// The minimum points of a chosen window; windows with one point less may only fill up a block.
const POINTS: u8 = 16;
/// The maximum points of a window.
const MOST_POINTS: usize = WINDOW + 1;
/// A remainder of at most this many bytes after a segment is part of that segment.
const REST: u64 = 512;

/// The lengths into which streams are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    /// The length of a block in bytes.
    pub block: u32,
    /// The length of a segment in bytes.
    pub segment: u64,
}

/// The state of the hash.
pub(super) struct Blocks {
    cut: Cut,
    block: Popularity,
    in_block: u32,
    features: Features,
    filters: Vec<Filter>,
    counts: Vec<u8>,
    in_segment: u64,
    /// Bytes after a whole segment that may still belong to it.
    rest: Vec<u8>,
    segments: Vec<SdhashDigest>,
}

impl Blocks {
    pub(super) fn new(cut: Cut) -> Self {
        Blocks {
            cut,
            block: Popularity::new(),
            in_block: 0,
            features: Features::default(),
            filters: Vec::new(),
            counts: Vec::new(),
            in_segment: 0,
            rest: Vec::new(),
            segments: Vec::new(),
        }
    }

    pub(super) fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = self.cut.segment - self.in_segment;
            if room == 0 {
                bytes = self.take_rest(bytes);
                continue;
            }
            let (part, left) = bytes.split_at(bytes.len().min(usize::try_from(room).unwrap_or(usize::MAX)));
            self.take(part);
            self.in_segment += part.len() as u64;
            bytes = left;
        }
    }

    /// Takes bytes after a whole segment. If there are too many, the segment ends before them.
    fn take_rest<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let (part, left) = bytes.split_at(bytes.len().min(REST as usize + 1 - self.rest.len()));
        self.rest.extend_from_slice(part);
        if self.rest.len() as u64 > REST {
            let rest = std::mem::take(&mut self.rest);
            self.end_segment(self.cut.segment);
            self.update(&rest);
        }
        left
    }

    /// Takes bytes of one segment.
    fn take(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = (self.cut.block - self.in_block) as usize;
            let (part, left) = bytes.split_at(bytes.len().min(room));
            self.block.update(part);
            self.in_block += part.len() as u32;
            if self.in_block == self.cut.block {
                self.end_block();
            }
            bytes = left;
        }
    }

    fn end_block(&mut self) {
        self.block.finish();
        let high: Vec<(usize, u8)> = self.block.high(POINTS - 1).collect();
        let limit = if self.in_block == self.cut.block { limit(&high) } else { TAIL };
        let taken: Vec<_> = high.into_iter().filter(|(_, points)| *points >= limit.points).collect();
        taken.iter().for_each(|(at, _)| self.features.push(self.block.window(*at)));
        let points = taken.iter().map(|(_, points)| *points);
        let (filter, count) = fill(points.zip(self.features.drain()), limit);
        self.filters.push(filter);
        self.counts.push(count);
        self.block.restart();
        self.in_block = 0;
    }

    fn end_segment(&mut self, size: u64) {
        if u64::from(self.in_block) >= MINIMUM {
            self.end_block();
        }
        self.block.restart();
        (self.in_block, self.in_segment) = (0, 0);
        let offset = self.segments.len() as u64 * (self.cut.segment >> 20);
        let (filters, counts) = (std::mem::take(&mut self.filters), std::mem::take(&mut self.counts));
        let layout = Layout::Blocks(self.cut.block);
        self.segments.push(SdhashDigest { layout, size, offset: Some(offset), filters, counts });
    }

    /// Returns the digests of the segments.
    pub(super) fn finish(&mut self) -> Vec<SdhashDigest> {
        let rest = std::mem::take(&mut self.rest);
        let size = self.in_segment + rest.len() as u64;
        self.take(&rest);
        if !self.segments.is_empty() {
            // The reference program counts the remainder after a later segment twice, the second time as zeros.
            self.take(&vec![0; rest.len()]);
        }
        if size > 0 {
            self.end_segment(size);
        }
        let mut segments = std::mem::take(&mut self.segments);
        if let [only] = segments.as_mut_slice() {
            only.offset = None;
        }
        segments
    }
}

/// The choice of windows in a block: all with more points than this, and some of those with exactly as many.
#[derive(Debug, Clone, Copy)]
struct Limit {
    points: u8,
    allowed: u32,
}

/// The limit for the bytes after the last whole block.
const TAIL: Limit = Limit { points: POINTS, allowed: BLOCK_FULL as u32 };

/// Returns the limit at which a block's filter is about full.
fn limit(windows: &[(usize, u8)]) -> Limit {
    let mut histogram = [0_u32; MOST_POINTS + 1];
    windows.iter().for_each(|(_, points)| histogram[usize::from(*points).min(MOST_POINTS)] += 1);
    let (mut sum, mut points) = (0, MOST_POINTS);
    while points >= usize::from(POINTS) && sum + histogram[points] <= u32::from(BLOCK_FULL) {
        sum += histogram[points];
        points -= 1;
    }
    Limit { points: points as u8, allowed: u32::from(BLOCK_FULL) - sum }
}

/// Fills a filter with windows in order, each with its points, up to the limit.
fn fill(windows: impl Iterator<Item = (u8, [u32; 5])>, limit: Limit) -> (Filter, u8) {
    let (mut filter, mut count, mut allowed) = (Filter::EMPTY, 0, limit.allowed);
    for (points, hash) in windows {
        let at_limit = points == limit.points;
        if count == BLOCK_FULL || (at_limit && allowed == 0) || filter.insert(hash) == 0 {
            continue;
        }
        count += 1;
        allowed -= u32::from(at_limit);
    }
    (filter, count)
}
