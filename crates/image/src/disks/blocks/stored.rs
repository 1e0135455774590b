//! The parts of the media that are stored, so that the rest need not be read.

use super::map::{Blocks, Place};
use crate::files::Files;
use crate::finding::Span;
use crate::image::Image;
use std::ops::Range;

/// The most ranges that are told apart; beyond that, the rest of the media counts as stored.
const MOST_RANGES: usize = 1 << 22;

/// The sizes that the ranges of stored chunks depend on.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    media: u64,
    chunk: u64,
    /// The size of the backing image's media.
    backing: u64,
}

/// Whether bytes that a name stands for count as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fillings {
    Stored,
    LeftOut,
}

impl Blocks {
    fn find_stored(&self, files: &Files, sizes: Sizes, fillings: Fillings) -> Vec<Range<u64>> {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for (start, stretch) in self.stretches(files, 0..sizes.media) {
            let mut end = start + stretch.length;
            match stretch.place {
                Place::Zeros | Place::Missing => continue,
                Place::Filled(..) if fillings == Fillings::LeftOut => continue,
                Place::Backing => end = end.min(sizes.backing),
                Place::Plain { .. } | Place::Packed(_) | Place::Filled(..) | Place::Fault(_) => {}
            }
            if end <= start {
                continue;
            }
            let chunks = start / sizes.chunk..end.div_ceil(sizes.chunk);
            let full = ranges.len() >= MOST_RANGES;
            match ranges.last_mut() {
                Some(last) if last.end >= chunks.start => last.end = last.end.max(chunks.end),
                Some(last) if full => {
                    last.end = sizes.media.div_ceil(sizes.chunk);
                    break;
                }
                _ => ranges.push(chunks),
            }
        }
        ranges
    }
}

impl Image {
    /// Returns the chunks of a virtual disk in which something is stored.
    pub(crate) fn stored_blocks(&self, blocks: &Blocks, fillings: Fillings) -> Vec<Range<u64>> {
        let backing = self.backing.as_deref().map_or(0, Image::media_size);
        let sizes = Sizes { media: self.media_size, chunk: self.chunk_size, backing };
        let find = || blocks.find_stored(&self.files, sizes, fillings);
        let kept = if fillings == Fillings::Stored { &blocks.stored } else { &blocks.in_files };
        kept.get_or_init(find).clone()
    }

    /// Returns the chunks that are not entirely in missing files.
    pub(crate) fn present_blocks(&self, missing: &[Span]) -> Vec<Range<u64>> {
        let mut ranges = Vec::new();
        let mut from = 0;
        for span in missing {
            // A chunk that is only partly missing is read.
            let (first, end) = (span.first.div_ceil(self.chunk_size), span.end());
            let end = if end >= self.media_size { self.chunk_count() } else { end / self.chunk_size };
            if first < end {
                ranges.push(from..first);
                from = end;
            }
        }
        ranges.push(from..self.chunk_count());
        ranges.retain(|range| !range.is_empty());
        ranges
    }
}
