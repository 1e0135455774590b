//! Reading that leaves the page cache unchanged. When a part of a large file was read, its pages are dropped, unless
//! they were cached before.
//!
//! The cached pages are determined before the first byte is read: later, pages of the kernel's read-ahead look like
//! pages that others use. Pages are dropped by windows: the kernel keeps several pages together in one *folio*, and
//! drops a folio only if the range contains all of it.

use crate::Io;
use crate::sys::{self, cached_pages, read_without_waiting};
use hashmill_os::error::would_wait;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::fs::File;
use std::ops::Range;
use std::sync::OnceLock;

/// The size of a window in bytes. No folio is larger, or crosses a multiple of it. Nothing is dropped of smaller files.
const WINDOW: u64 = 8 << 20;

/// The most ranges of cached pages. If there are more, pages between them are also kept.
const RANGES: usize = 4096;

/// The number of places to probe if the kernel can't count the cached pages of a file.
const SAMPLES: u64 = 16;

const PAGE: u64 = 4096;

/// The pages to drop after parts of one file were read.
#[derive(Debug)]
pub(super) struct DropBehind {
    size: u64,
    /// The ranges that were cached before, in order.
    keep: Vec<Range<u64>>,
    /// The number of bytes read so far of each window.
    read: Mutex<HashMap<u64, u64>>,
}

/// How much of a range is cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    None,
    Some,
    All,
}

impl DropBehind {
    /// Returns whether pages of a file of this size should be dropped.
    pub(super) fn is_wanted(io: Io, size: u64) -> bool {
        size >= WINDOW && by_mode(io, size, memory)
    }

    /// Determines the cached ranges of a file, before it is read.
    pub(super) fn new(file: &File, size: u64) -> DropBehind {
        let mut keep = Vec::new();
        if cached_pages(file, 0, PAGE).is_none() {
            if may_be_cached(file, size) {
                keep.push(0..size);
            }
        } else {
            let extent = |range: Range<u64>| match cached_pages(file, range.start, range.end - range.start) {
                Some((0, _)) => Extent::None,
                Some((cached, total)) if cached < total => Extent::Some,
                _ => Extent::All,
            };
            find_cached(0..size, &extent, &mut keep);
        }
        DropBehind { size, keep, read: Mutex::default() }
    }

    /// Records that these bytes were read. Passes windows that were read completely to `forget`, without the ranges
    /// that were cached before.
    pub(super) fn passed(&self, offset: u64, length: u64, forget: &mut dyn FnMut(Range<u64>)) {
        let end = offset + length;
        let mut at = offset;
        while at < end {
            let window = at / WINDOW * WINDOW..((at / WINDOW + 1) * WINDOW).min(self.size.max(end));
            let to = end.min(window.end);
            if self.complete(&window, to - at) {
                self.drop(window, forget);
            }
            at = to;
        }
    }

    /// Counts bytes of a window; returns true if they complete it.
    fn complete(&self, window: &Range<u64>, bytes: u64) -> bool {
        let mut read = self.read.lock();
        let count = read.entry(window.start).or_insert(0);
        *count += bytes;
        let complete = *count >= window.end - window.start;
        if complete {
            read.remove(&window.start);
        }
        complete
    }

    fn drop(&self, window: Range<u64>, forget: &mut dyn FnMut(Range<u64>)) {
        let mut at = window.start;
        let first = self.keep.partition_point(|kept| kept.end <= window.start);
        for kept in self.keep[first..].iter().take_while(|kept| kept.start < window.end) {
            if at < kept.start {
                forget(at..kept.start);
            }
            at = kept.end;
        }
        if at < window.end {
            forget(at..window.end);
        }
    }
}

fn by_mode(io: Io, size: u64, memory: impl Fn() -> u64) -> bool {
    match io {
        Io::Buffered => true,
        // If the size of the memory is unknown, it is assumed to be large enough.
        Io::Auto => Some(memory() / 2).is_some_and(|half| half > 0 && size > half),
        Io::Direct => false,
    }
}

/// Halves a range until each part is either cached or not.
fn find_cached(range: Range<u64>, extent: &dyn Fn(Range<u64>) -> Extent, found: &mut Vec<Range<u64>>) {
    let length = range.end - range.start;
    match extent(range.clone()) {
        Extent::None => {}
        Extent::Some if length > PAGE && found.len() < RANGES => {
            let middle = range.start + (length / 2).next_multiple_of(PAGE).min(length);
            find_cached(range.start..middle, extent, found);
            find_cached(middle..range.end, extent, found);
        }
        Extent::Some | Extent::All => match found.last_mut().filter(|last| last.end == range.start) {
            Some(last) => last.end = range.end,
            None => found.push(range),
        },
    }
}

/// Probes some places of a file. If one of them is cached, the whole file counts as cached.
fn may_be_cached(file: &File, size: u64) -> bool {
    let mut places = (0..SAMPLES).map(|number| size / SAMPLES * number);
    // Any other result than `EAGAIN` proves nothing.
    places.any(|place| !read_without_waiting(file, place).is_err_and(|error| would_wait(&error)))
}

/// Returns the memory of the machine in bytes.
fn memory() -> u64 {
    static MEMORY: OnceLock<u64> = OnceLock::new();
    *MEMORY.get_or_init(sys::memory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    const MIB: u64 = 1 << 20;

    fn drop_behind(size: u64, keep: Vec<Range<u64>>) -> DropBehind {
        DropBehind { size, keep, read: Mutex::default() }
    }

    fn forgotten(behind: &DropBehind, reads: &[(u64, u64)]) -> Vec<(u64, u64)> {
        let mut all = Vec::new();
        reads.iter().for_each(|(offset, length)| {
            behind.passed(*offset, *length, &mut |range| all.push((range.start, range.end)))
        });
        all
    }

    #[test]
    fn windows_are_dropped_when_all_of_them_was_read() {
        let file = drop_behind(20 * MIB + 5, Vec::new());
        assert_eq!(forgotten(&file, &[(0, 4 * MIB), (5 * MIB, 3 * MIB)]), []);
        assert_eq!(forgotten(&file, &[(4 * MIB, MIB)]), [(0, 8 * MIB)]);
        assert_eq!(forgotten(&file, &[(8 * MIB, 12 * MIB)]), [(8 * MIB, 16 * MIB)]);
        assert_eq!(forgotten(&file, &[(20 * MIB, 5)]), [(16 * MIB, 20 * MIB + 5)]);
    }

    #[test]
    fn what_was_cached_before_stays() {
        let keep = vec![0..MIB, 3 * MIB..4 * MIB, 7 * MIB..9 * MIB, 15 * MIB..20 * MIB];
        let file = drop_behind(20 * MIB, keep);
        let wanted = [(MIB, 3 * MIB), (4 * MIB, 7 * MIB), (9 * MIB, 15 * MIB)];
        assert_eq!(forgotten(&file, &[(0, 20 * MIB)]), wanted);
        let all = drop_behind(20 * MIB, std::iter::once(0..20 * MIB).collect());
        assert_eq!(forgotten(&all, &[(0, 20 * MIB)]), []);
    }

    #[test]
    fn cached_ranges_are_found_by_halving() {
        let size = 100 * PAGE + 7;
        for cached in [vec![], vec![0], vec![100], vec![3, 4, 5, 50], (0..101).collect::<Vec<u64>>()] {
            let asked = Cell::new(0);
            let extent = |range: Range<u64>| {
                asked.set(asked.get() + 1);
                let pages: Vec<u64> = (range.start / PAGE..range.end.div_ceil(PAGE)).collect();
                match pages.iter().filter(|page| cached.contains(page)).count() {
                    0 => Extent::None,
                    number if number == pages.len() => Extent::All,
                    _ => Extent::Some,
                }
            };
            let mut found = Vec::new();
            find_cached(0..size, &extent, &mut found);
            let kept = |page: &u64| found.iter().any(|range| range.contains(&(page * PAGE)));
            assert_eq!((0..101).filter(kept).collect::<Vec<u64>>(), cached);
            assert!(asked.get() < 60, "{} questions", asked.get());
        }
    }

    #[test]
    fn too_many_ranges_keep_their_neighbours() {
        let size = 4 * RANGES as u64 * PAGE;
        let every_other = |range: Range<u64>| match range.end - range.start {
            PAGE if (range.start / PAGE).is_multiple_of(2) => Extent::All,
            PAGE => Extent::None,
            _ => Extent::Some,
        };
        let mut found = Vec::new();
        find_cached(0..size, &every_other, &mut found);
        assert!(found.len() <= RANGES + 1);
        assert_eq!(found.last().unwrap().end, size);
    }

    #[test]
    fn the_mode_and_the_size_decide() {
        assert!(!DropBehind::is_wanted(Io::Buffered, WINDOW - 1));
        assert!(DropBehind::is_wanted(Io::Buffered, WINDOW));
        assert!(!DropBehind::is_wanted(Io::Direct, u64::MAX));
        assert!(by_mode(Io::Auto, 60 << 30, || 100 << 30));
        assert!(!by_mode(Io::Auto, 50 << 30, || 100 << 30));
        assert!(memory() > 64 * MIB);
    }
}
