//! How much is read at once, and when the budget is used up.

use hashmill_engine::LEAST_SAVED;
use hashmill_keep::Part;
use std::time::{Duration, Instant};

/// The time or the bytes that a run may take. Without limits, it takes as much as it needs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Budget {
    /// The time.
    pub time: Option<Duration>,
    /// The bytes to read.
    pub bytes: Option<u64>,
}

/// The time that a part takes: a run ends about so long after its budget.
const PART: Duration = Duration::from_secs(1);

/// The time below which no part is begun.
const LEAST_TIME: Duration = Duration::from_millis(20);

/// The most files of a part: they are in memory.
const FILES: u64 = 1 << 14;

/// A number of files and their bytes.
#[derive(Debug, Clone, Copy, Default)]
struct Amount {
    files: u64,
    bytes: u64,
}

/// The first part of a run with a limit of time, whose rate is not known yet.
const FIRST: Amount = Amount { files: 512, bytes: 64 << 20 };

/// Each part of a run without a limit of time: always the same, so that results come in the same order every time.
const FIXED: Amount = Amount { files: FILES, bytes: 4 << 30 };

/// The pace of a run.
#[derive(Debug)]
pub(super) struct Pace {
    began: Instant,
    budget: Budget,
    /// Whether another run can go on with a long file.
    is_resumable: bool,
    read: Amount,
    /// The time that reading took.
    took: Duration,
}

impl Pace {
    pub(super) fn start(budget: Budget, is_resumable: bool) -> Pace {
        Pace { began: Instant::now(), budget, is_resumable, read: Amount::default(), took: Duration::ZERO }
    }

    /// Returns the time after which a read in progress is stopped, if another run can go on with it.
    pub(super) fn grace(&self) -> Option<Duration> {
        self.budget.time.filter(|_| self.is_resumable).map(|time| time + PART)
    }

    /// Returns how much is read next; nothing if the budget is used up.
    pub(super) fn next(&self) -> Option<Part> {
        self.part(self.began.elapsed())
    }

    fn part(&self, elapsed: Duration) -> Option<Part> {
        let left = self.budget.time.map_or(Duration::MAX, |time| time.saturating_sub(elapsed));
        let bytes_left = self.bytes_left();
        if left < LEAST_TIME || bytes_left == 0 {
            return None;
        }
        let Amount { files, bytes } = match self.budget.time {
            None => FIXED,
            Some(_) => self.in_time(left.min(PART)).unwrap_or(FIRST),
        };
        // A file that takes longer than a budget and can't be read in parts is still read: as the first one of a run.
        let longest = match self.read.files {
            0 => u64::MAX,
            _ if self.budget.time.is_none() => bytes_left,
            _ => self.in_time(left).map_or(u64::MAX, |amount| amount.bytes),
        };
        let resumable = self.is_resumable.then_some(LEAST_SAVED);
        let is_limited = self.budget.time.is_some() || self.budget.bytes.is_some();
        Some(Part {
            files: files.clamp(1, FILES),
            bytes: bytes.min(bytes_left),
            longest,
            resumable,
            is_limited,
        })
    }

    /// Returns the bytes that may still be read.
    pub(super) fn bytes_left(&self) -> u64 {
        self.budget.bytes.map_or(u64::MAX, |bytes| bytes.saturating_sub(self.read.bytes))
    }

    /// Returns how many files and bytes are read in a time at the rate so far.
    fn in_time(&self, time: Duration) -> Option<Amount> {
        let took = self.took.as_secs_f64();
        let times = time.as_secs_f64() / took;
        // `as` saturates.
        let scaled = |count: u64| (count as f64 * times) as u64;
        // Small files alone say little about the rate of bytes, and one large file little about that of files.
        (took > 0.0).then(|| Amount {
            files: scaled(self.read.files).max(FIRST.files),
            bytes: scaled(self.read.bytes).max(FIRST.bytes / 16),
        })
    }

    /// Notes what was read, and in which time.
    pub(super) fn add(&mut self, files: u64, bytes: u64, took: Duration) {
        self.read = Amount { files: self.read.files + files, bytes: self.read.bytes + bytes };
        self.took += took;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn pace(time: Option<u64>, bytes: Option<u64>) -> Pace {
        Pace::start(Budget { time: time.map(Duration::from_secs), bytes }, false)
    }

    #[test]
    fn parts_follow_the_rate_and_end_with_the_budget() {
        let mut pace = pace(Some(60), None);
        let first = pace.part(Duration::ZERO).unwrap();
        assert_eq!((first.files, first.bytes, first.longest), (512, 64 << 20, u64::MAX));
        pace.add(1000, 400 << 20, 4 * SECOND);
        let next = pace.part(4 * SECOND).unwrap();
        assert_eq!((next.files, next.bytes), (512, 100 << 20));
        assert_eq!(next.longest, 56 * (100 << 20));
        let last = pace.part(59 * SECOND + SECOND / 2).unwrap();
        assert_eq!(last.bytes, 50 << 20);
        assert!(pace.part(60 * SECOND).is_none());
        assert!(pace.part(61 * SECOND).is_none());
    }

    #[test]
    fn bytes_are_not_exceeded_but_by_the_first_file() {
        let mut pace = pace(None, Some(1000));
        assert_eq!(pace.part(SECOND).map(|part| (part.bytes, part.longest)), Some((1000, u64::MAX)));
        pace.add(1, 600, SECOND);
        assert_eq!(pace.part(SECOND).map(|part| (part.bytes, part.longest)), Some((400, 400)));
        pace.add(1, 400, SECOND);
        assert!(pace.part(SECOND).is_none());
    }
}
