//! A limit on the bytes per second that all threads read together.

use parking_lot::Mutex;
use std::num::NonZeroU64;
use std::thread;
use std::time::{Duration, Instant};

/// The most time that may be made up for at once after a pause.
const BURST: Duration = Duration::from_millis(100);

/// Slices per second: a read takes at most a tenth of a second's worth, so that the rate is even.
const SLICES: u64 = 10;

/// The unit of slices.
const PAGE: u64 = 4096;

/// A limit on the bytes read per second, shared by all readers that have it.
#[derive(Debug)]
pub struct Rate {
    bytes: NonZeroU64,
    start: Instant,
    bucket: Mutex<Bucket>,
}

impl Rate {
    /// Limits reading to this many bytes per second.
    pub fn new(bytes: NonZeroU64) -> Rate {
        Rate { bytes, start: Instant::now(), bucket: Mutex::new(Bucket::default()) }
    }

    /// Returns the most bytes to read at once.
    pub(crate) fn slice(&self) -> usize {
        let slice = (self.bytes.get() / SLICES).next_multiple_of(PAGE).max(PAGE);
        usize::try_from(slice).unwrap_or(usize::MAX)
    }

    /// Waits until the bytes that were just read fit the rate.
    pub(crate) fn pay(&self, bytes: usize) {
        let now = self.start.elapsed();
        let mut bucket = self.bucket.lock();
        let wait = bucket.take(bytes as u64, self.bytes, now);
        drop(bucket);
        if !wait.is_zero() {
            thread::sleep(wait);
        }
    }
}

/// A token bucket. The caller passes the time. Instead of tokens it stores the time at which all bytes taken so far are
/// paid for, which is equivalent.
#[derive(Debug, Default)]
struct Bucket {
    /// The time at which all bytes taken so far are paid for.
    paid: Duration,
}

impl Bucket {
    /// Takes bytes. Returns the time to wait for them.
    fn take(&mut self, bytes: u64, rate: NonZeroU64, now: Duration) -> Duration {
        let nanoseconds = u128::from(bytes) * 1_000_000_000 / u128::from(rate.get());
        let price = Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX));
        let from = self.paid.max(now.saturating_sub(BURST));
        self.paid = from.saturating_add(price);
        self.paid.saturating_sub(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: NonZeroU64 = NonZeroU64::new(1000).unwrap();

    fn milliseconds(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    #[test]
    fn the_rate_is_kept_from_the_first_byte() {
        let mut bucket = Bucket::default();
        let mut now = Duration::ZERO;
        for _ in 0..50 {
            now += bucket.take(300, RATE, now);
        }
        assert_eq!(now, milliseconds(50 * 300));
    }

    #[test]
    fn readers_pay_for_each_other() {
        let mut bucket = Bucket::default();
        assert_eq!(bucket.take(1000, RATE, Duration::ZERO), milliseconds(1000));
        assert_eq!(bucket.take(1000, RATE, Duration::ZERO), milliseconds(2000));
        assert_eq!(bucket.take(500, RATE, milliseconds(400)), milliseconds(2100));
    }

    #[test]
    fn a_pause_earns_no_more_than_a_burst() {
        let mut bucket = Bucket::default();
        let later = milliseconds(3_600_000);
        assert_eq!(bucket.take(100, RATE, later), Duration::ZERO);
        assert_eq!(bucket.take(100, RATE, later), milliseconds(100));
    }

    #[test]
    fn no_number_is_too_large() {
        let mut bucket = Bucket::default();
        let one = NonZeroU64::MIN;
        for _ in 0..3 {
            assert!(bucket.take(u64::MAX, one, Duration::ZERO) > milliseconds(1));
        }
        assert!(bucket.take(1, NonZeroU64::MAX, Duration::MAX).is_zero() || bucket.paid == Duration::MAX);
    }

    #[test]
    fn slices_are_pages() {
        for (rate, slice) in [(1, 4096), (40_960, 4096), (41_000, 8192), (1 << 20, 106_496)] {
            assert_eq!(Rate::new(NonZeroU64::new(rate).unwrap()).slice(), slice);
        }
    }
}
