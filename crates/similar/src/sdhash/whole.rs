//! The digest of a stream as a whole.

use super::Version;
use super::features::Features;
use super::popularity::Popularity;
use crate::bloom::Filter;
use crate::digest::sdhash::{FULL, Layout, SdhashDigest};

/// The length in bytes of the chunks into which the stream is cut. No window extends over two chunks.
const CHUNK: usize = 32 << 20;
/// The minimum points of a chosen window.
const POINTS: u8 = 17;
/// The number of words in the filter of earlier elements.
const BIG_WORDS: usize = 16_384 / 8;
/// The number of elements after which that filter is cleared.
const BIG_FULL: u32 = 8_738;

/// The state of the hash.
pub(super) struct Whole {
    chunk: Popularity,
    left: usize,
    features: Features,
    filters: Vec<Filter>,
    last: u8,
    /// The earlier elements, for version 4.0.
    before: Option<Before>,
}

/// A larger filter of earlier elements.
struct Before {
    bits: Vec<u64>,
    count: u32,
}

impl Whole {
    pub(super) fn new(version: Version) -> Self {
        let before = (version == Version::V4_0).then(|| Before { bits: vec![0; BIG_WORDS], count: 0 });
        Whole {
            chunk: Popularity::new(),
            left: CHUNK,
            features: Features::default(),
            filters: vec![Filter::EMPTY],
            last: 0,
            before,
        }
    }

    pub(super) fn update(&mut self, mut bytes: &[u8]) {
        // Small parts keep few bytes of the chunk in memory.
        while !bytes.is_empty() {
            let (part, rest) = bytes.split_at(bytes.len().min(self.left).min(16 << 10));
            self.chunk.update(part);
            self.take_features();
            self.left -= part.len();
            if self.left == 0 {
                self.end_chunk();
            }
            bytes = rest;
        }
    }

    fn end_chunk(&mut self) {
        self.chunk.finish();
        self.take_features();
        self.chunk.restart();
        self.left = CHUNK;
        if let Some(before) = &mut self.before {
            before.count = 0;
        }
    }

    /// Inserts the windows with final points.
    fn take_features(&mut self) {
        for (at, _) in self.chunk.high(POINTS) {
            self.features.push(self.chunk.window(at));
        }
        self.chunk.forget();
        for hash in self.features.drain() {
            insert(&mut self.filters, &mut self.last, &mut self.before, hash);
        }
    }

    pub(super) fn finish(&mut self, size: u64) -> SdhashDigest {
        self.end_chunk();
        if self.filters.len() > 1 && self.last < FULL / 8 {
            self.filters.pop();
            self.last = FULL;
        }
        let mut counts = vec![FULL; self.filters.len() - 1];
        counts.push(self.last);
        let filters = std::mem::replace(&mut self.filters, vec![Filter::EMPTY]);
        SdhashDigest { layout: Layout::Whole, size, offset: None, filters, counts }
    }
}

fn insert(filters: &mut Vec<Filter>, last: &mut u8, before: &mut Option<Before>, hash: [u32; 5]) {
    let Some(filter) = filters.last_mut() else { return };
    if filter.insert(hash) == 0 || before.as_mut().is_some_and(|before| !before.insert(hash)) {
        return;
    }
    *last += 1;
    if *last == FULL {
        filters.push(Filter::EMPTY);
        *last = 0;
    }
    if let Some(before) = before {
        before.count += 1;
        if before.count == BIG_FULL {
            before.bits.fill(0);
            before.count = 0;
        }
    }
}

impl Before {
    /// Inserts an element; returns whether it is new.
    fn insert(&mut self, hash: [u32; 5]) -> bool {
        let mut new = false;
        for bit in hash.map(|bit| bit as usize % (64 * BIG_WORDS)) {
            new |= self.bits[bit / 64] >> (bit % 64) & 1 == 0;
            self.bits[bit / 64] |= 1 << (bit % 64);
        }
        new
    }
}
