//! The uses of the bytes of a file system: each belongs to a file, to its slack, to metadata, or to nothing.

use crate::entry::facts::Coverage;
use hashmill_disk::{Allocation, ByteRun, Content, Node, NodeKind};

/// The most places of files that are compared with each other: 2 Mi, which take 32 MiB.
const PLACES: usize = 2 << 20;

/// The bytes of a file system that were met so far.
#[derive(Debug, Default)]
pub(super) struct Coverer {
    /// The places of files: position and length.
    places: Vec<(u64, u64)>,
    /// Bytes of files that lie on the medium.
    used: u64,
    /// Bytes in all their places.
    stored: u64,
    free: u64,
    /// Free bytes that are places of files.
    contradictory: u64,
    pub(super) is_partial: bool,
}

impl Coverer {
    /// Adds an entry that is in use. Files with several names are added once.
    pub(super) fn entry(&mut self, node: &Node, is_repeated: bool) {
        let is_stream = node.stream.is_some();
        let is_content = node.kind == NodeKind::File || is_stream && node.kind != NodeKind::Metadata;
        if node.allocation != Allocation::Live || is_repeated || !is_content {
            return;
        }
        let Ok(content) = &node.content else {
            self.is_partial = true;
            return;
        };
        let Some(runs) = content.runs() else { return };
        let is_coded = matches!(content, Content::Coded(_));
        for ByteRun { at, length, place } in runs.as_slice() {
            let Some(place) = place else { continue };
            let used = if is_coded { *length } else { content.size().saturating_sub(*at).min(*length) };
            self.used += used;
            self.stored += length;
            if self.places.len() < PLACES {
                self.places.push((*place, *length));
            } else {
                self.is_partial = true;
            }
        }
    }

    /// Puts the places in order, before free ones are added.
    pub(super) fn sort(&mut self) {
        self.places.sort_unstable();
    }

    /// Adds bytes that nothing uses.
    pub(super) fn free(&mut self, start: u64, length: u64) {
        self.free += length;
        let end = start.saturating_add(length);
        let first = self.places.partition_point(|(place, length)| place.saturating_add(*length) <= start);
        let within = self.places[first..].iter().take_while(|(place, _)| *place < end);
        self.contradictory += within
            .map(|(place, length)| place.saturating_add(*length).min(end).saturating_sub((*place).max(start)))
            .sum::<u64>();
    }

    /// Returns the sum for a file system of this size.
    pub(super) fn sum(self, path: Box<[u8]>, size: u64) -> Coverage {
        let (mut end, mut shared) = (0_u64, 0);
        for (place, length) in &self.places {
            let next = place.saturating_add(*length);
            shared += end.min(next).saturating_sub(*place);
            end = end.max(next);
        }
        let contradictory = shared + self.contradictory;
        let slack = self.stored - self.used;
        let files = self.used.saturating_sub(contradictory);
        let metadata = size.saturating_sub(files + slack).saturating_sub(self.free);
        Coverage {
            path,
            size,
            files,
            slack,
            metadata,
            unallocated: self.free,
            contradictory,
            is_partial: self.is_partial || files + slack + metadata + self.free != size,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_with_several_uses_are_counted_once() {
        let mut covered = Coverer {
            places: vec![(30, 20), (10, 20), (40, 20)],
            used: 50,
            stored: 60,
            ..Coverer::default()
        };
        covered.sort();
        covered.free(0, 5);
        covered.free(55, 10);
        let sum = covered.sum(b"a".as_slice().into(), 100);
        // Ten bytes are in two files, and five in a file and free.
        assert_eq!((sum.contradictory, sum.files, sum.slack, sum.unallocated), (15, 35, 10, 15));
        assert_eq!(sum.files + sum.slack + sum.metadata + sum.unallocated, 100);
        assert!(!sum.is_partial);
    }
}
