//! The places that nothing uses.

use super::bitmaps::is_set;
use super::volume::Volume;
use crate::{ByteRun, Problem};
use std::collections::VecDeque;
use std::ops::Range;

/// An iterator of the free places, group after group.
pub(super) struct Free<'a> {
    volume: &'a Volume,
    group: u64,
    /// The last free blocks, which the next group may continue.
    open: Option<Range<u64>>,
    ready: VecDeque<Result<ByteRun, Problem>>,
}

impl<'a> Free<'a> {
    pub fn new(volume: &'a Volume) -> Free<'a> {
        Free { volume, group: 0, open: None, ready: VecDeque::new() }
    }

    fn read_group(&mut self) -> Result<(), Problem> {
        let (volume, group) = (self.volume, self.group);
        self.group += 1;
        let superblock = &volume.superblock;
        let (bits, is_right) = volume.block_bits(group, &volume.descriptor(group)?)?;
        let (start, length) = (superblock.group_start(group), superblock.group_length(group));
        for cluster in 0..length.div_ceil(superblock.cluster) {
            if !is_set(&bits, cluster) {
                let first = cluster * superblock.cluster;
                self.add(start + first..start + length.min(first + superblock.cluster));
            }
        }
        if is_right { Ok(()) } else { Err(Problem::Checksum("a block bitmap")) }
    }

    fn add(&mut self, blocks: Range<u64>) {
        match &mut self.open {
            Some(open) if open.end == blocks.start => open.end = blocks.end,
            _ => {
                self.close();
                self.open = Some(blocks);
            }
        }
    }

    fn close(&mut self) {
        let size = self.volume.superblock.block_size;
        self.ready.extend(self.open.take().map(|Range { start, end }| {
            let at = start.saturating_mul(size);
            Ok(ByteRun { at, length: (end - start).saturating_mul(size), place: Some(at) })
        }));
    }
}

impl Iterator for Free<'_> {
    type Item = Result<ByteRun, Problem>;

    fn next(&mut self) -> Option<Result<ByteRun, Problem>> {
        while self.ready.is_empty() && self.group < self.volume.groups() {
            if let Err(problem) = self.read_group() {
                self.ready.push_back(Err(problem));
            }
        }
        if self.ready.is_empty() {
            self.close();
        }
        self.ready.pop_front()
    }
}
