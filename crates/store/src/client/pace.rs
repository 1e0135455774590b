//! A limit on the bytes per second that all requests together receive.

use parking_lot::Mutex;
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

/// The most time that a pause may save up.
const BURST: Duration = Duration::from_millis(100);

/// The limit, and the time at which all bytes so far are paid for.
#[derive(Debug)]
pub(crate) struct Pace {
    bytes: NonZeroU64,
    start: Instant,
    paid: Mutex<Duration>,
}

impl Pace {
    /// Makes a limit of this many bytes per second.
    pub(crate) fn new(bytes: NonZeroU64) -> Pace {
        Pace { bytes, start: Instant::now(), paid: Mutex::default() }
    }

    /// Waits until these bytes fit the limit.
    pub(crate) async fn pay(&self, bytes: usize) {
        let pause = self.price(bytes as u64, self.start.elapsed());
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
    }

    /// Returns the pause that these bytes cost at this time.
    fn price(&self, bytes: u64, now: Duration) -> Duration {
        let nanoseconds = u128::from(bytes) * 1_000_000_000 / u128::from(self.bytes.get());
        let price = Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX));
        let mut paid = self.paid.lock();
        *paid = (*paid).max(now.saturating_sub(BURST)).saturating_add(price);
        paid.saturating_sub(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_kept_by_all_together() {
        let pace = Pace::new(NonZeroU64::new(1000).unwrap());
        assert_eq!(pace.price(1000, Duration::ZERO), Duration::from_secs(1));
        assert_eq!(pace.price(1000, Duration::ZERO), Duration::from_secs(2));
        // A pause saves up no more than a burst.
        let later = Duration::from_secs(60);
        assert_eq!(pace.price(100, later), Duration::ZERO);
        assert_eq!(pace.price(100, later), Duration::from_millis(100));
    }
}
