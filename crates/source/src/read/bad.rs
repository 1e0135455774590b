//! Unreadable parts of a file. They are located by reading in smaller and smaller pieces, listed, and read as zeros.

use hashmill_os::error::is_damage;
use parking_lot::Mutex;
use std::io;
use std::ops::Range;

/// Parts are halved at pages, and a page at sectors.
const PAGE: u64 = 4096;
const SECTOR: u64 = 512;

/// If this many bytes in a row can't be read, these are not bad blocks: the device is gone.
const GONE: u64 = 16 << 20;

#[derive(Debug, Default)]
pub(super) struct BadRanges(Mutex<Vec<Range<u64>>>);

/// A failed read: its offset and its error.
type Failure = (u64, io::Error);

/// Fills a buffer from an offset unless the file ends. Returns the number of bytes.
type Read<'a> = dyn Fn(u64, &mut [u8]) -> Result<usize, Failure> + 'a;

impl BadRanges {
    /// Reads a part of a file. Unreadable bytes become zeros.
    ///
    /// # Errors
    /// If a read fails for another reason than damage of the medium, or the damage does not end.
    pub(super) fn rescue(&self, offset: u64, buffer: &mut [u8], read: &Read<'_>) -> Result<usize, Failure> {
        match read(offset, buffer) {
            Err((_, error)) if is_damage(&error) => match middle(offset, buffer.len() as u64) {
                None => self.skip(offset, buffer, error),
                Some(middle) => {
                    let (head, tail) = buffer.split_at_mut((middle - offset) as usize);
                    let got = self.rescue(offset, head, read)?;
                    if got < head.len() { Ok(got) } else { Ok(got + self.rescue(middle, tail, read)?) }
                }
            },
            result => result,
        }
    }

    fn skip(&self, offset: u64, buffer: &mut [u8], error: io::Error) -> Result<usize, Failure> {
        buffer.fill(0);
        let run = self.add(offset..offset + buffer.len() as u64);
        if run.end - run.start > GONE {
            let message = format!("and nothing in the next {} MiB can be read: {error}", GONE >> 20);
            return Err((run.start, io::Error::other(message)));
        }
        Ok(buffer.len())
    }

    /// Adds a range. Returns the merged range that contains it.
    fn add(&self, new: Range<u64>) -> Range<u64> {
        let mut all = self.0.lock();
        let first = all.partition_point(|range| range.end < new.start);
        let behind = all.partition_point(|range| range.start <= new.end);
        let touching = &all[first..behind];
        let start = touching.first().map_or(new.start, |range| range.start.min(new.start));
        let end = touching.last().map_or(new.end, |range| range.end.max(new.end));
        all.splice(first..behind, std::iter::once(start..end));
        start..end
    }

    /// Returns the unreadable parts of a range, in order.
    pub(super) fn within(&self, range: &Range<u64>) -> Vec<Range<u64>> {
        let all = self.0.lock();
        let parts = all.iter().map(|bad| bad.start.max(range.start)..bad.end.min(range.end));
        parts.filter(|part| part.start < part.end).collect()
    }
}

/// Returns where to halve a part: at a page, or inside a page at a sector. `None` if it is inside one sector.
fn middle(offset: u64, length: u64) -> Option<u64> {
    let unit = if length > PAGE { PAGE } else { SECTOR };
    let below = (offset + length / 2) / unit * unit;
    let middle = if below > offset { below } else { (offset / unit + 1) * unit };
    (middle < offset + length).then_some(middle)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::cell::Cell;

    struct Medium {
        size: u64,
        bad: Vec<Range<u64>>,
        errno: i32,
        reads: Cell<u64>,
    }

    impl Medium {
        fn new(size: u64, bad: Vec<Range<u64>>) -> Medium {
            Medium { size, bad, errno: libc::EIO, reads: Cell::new(0) }
        }

        fn byte(at: u64) -> u8 {
            (at % 251) as u8 + 1
        }

        fn read(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, Failure> {
            self.reads.set(self.reads.get() + 1);
            let end = self.size.min(offset + buffer.len() as u64).max(offset);
            if self.bad.iter().any(|bad| bad.start < end && offset < bad.end) {
                return Err((offset, io::Error::from_raw_os_error(self.errno)));
            }
            buffer.iter_mut().zip(offset..end).for_each(|(byte, at)| *byte = Medium::byte(at));
            Ok((end - offset) as usize)
        }

        fn is_bad(&self, at: u64) -> bool {
            self.bad.iter().any(|bad| bad.contains(&at))
        }
    }

    #[test]
    fn exactly_the_bad_sectors_are_zeros() {
        let sectors = |first: u64, count: u64| first * SECTOR..(first + count) * SECTOR;
        for bad in [
            vec![],
            vec![sectors(0, 1)],
            vec![sectors(100, 1), sectors(102, 3), sectors(700, 60)],
            vec![sectors(1999, 1)],
            vec![sectors(0, 2000)],
        ] {
            let medium = Medium::new(2000 * SECTOR, bad.clone());
            let found = BadRanges::default();
            for start in (0..medium.size).step_by(256 << 10) {
                let mut buffer = vec![0xee; 256 << 10];
                let read = found.rescue(start, &mut buffer, &|at, part| medium.read(at, part)).unwrap();
                assert_eq!(read as u64, (medium.size - start).min(256 << 10));
                for (at, &byte) in (start..).zip(&buffer[..read]) {
                    let wanted = if medium.is_bad(at) { 0 } else { Medium::byte(at) };
                    assert_eq!(byte, wanted, "{at}");
                }
            }
            assert_eq!(found.within(&(0..u64::MAX)), bad);
        }
    }

    #[test]
    fn a_bad_sector_costs_few_reads() {
        let bad = 77 * SECTOR..78 * SECTOR;
        let medium = Medium::new(1 << 20, std::iter::once(bad).collect());
        BadRanges::default().rescue(0, &mut vec![0; 1 << 20], &|at, part| medium.read(at, part)).unwrap();
        assert!(medium.reads.get() < 40, "{} reads", medium.reads.get());
    }

    #[test]
    fn parts_that_start_anywhere_are_cut_at_sectors() {
        let bad = 3 * SECTOR..4 * SECTOR;
        let medium = Medium::new(1 << 20, std::iter::once(bad.clone()).collect());
        for (offset, length) in [(1, 5000), (511, 1026), (1300, 900), (0, 2000), (1536, 512)] {
            let found = BadRanges::default();
            let mut buffer = vec![0; length];
            let read = found.rescue(offset, &mut buffer, &|at, part| medium.read(at, part)).unwrap();
            assert_eq!(read, length);
            let wanted = bad.start.max(offset)..bad.end.min(offset + length as u64);
            assert_eq!(found.within(&(0..u64::MAX)), [wanted]);
        }
    }

    #[test]
    fn a_device_that_is_gone_is_given_up_in_bounded_time() {
        let end = u64::MAX / 2;
        let medium = Medium::new(end, std::iter::once(1 << 20..end).collect());
        let found = BadRanges::default();
        let mut buffer = vec![0; 256 << 10];
        let failed = (0_u64..1000).find_map(|chunk| {
            found.rescue(chunk << 18, &mut buffer, &|at, part| medium.read(at, part)).err()
        });
        let (offset, error) = failed.unwrap();
        assert_eq!(offset, 1 << 20);
        assert!(error.to_string().contains("the next 16 MiB"), "{error}");
        assert!(medium.reads.get() < 100_000, "{} reads", medium.reads.get());
    }

    #[test]
    fn other_failures_are_not_rescued() {
        for errno in [libc::ENXIO, libc::ENODEV, libc::ESTALE, libc::ETIMEDOUT] {
            let mut medium = Medium::new(1 << 20, std::iter::once(0..SECTOR).collect());
            medium.errno = errno;
            let result =
                BadRanges::default().rescue(0, &mut vec![0; 8192], &|at, part| medium.read(at, part));
            assert_eq!(result.unwrap_err().1.raw_os_error(), Some(errno));
            assert_eq!(medium.reads.get(), 1);
        }
    }

    #[test]
    fn ranges_that_touch_are_one() {
        let bad = BadRanges::default();
        for range in [10..20, 40..50, 20..30, 60..70, 30..40, 0..5] {
            bad.add(range);
        }
        assert_eq!(bad.within(&(0..100)), [0..5, 10..50, 60..70]);
        assert_eq!(bad.within(&(3..45)), [3..5, 10..45]);
        assert_eq!(bad.add(4..61), 0..70);
    }
}
