//! A clock controlled by tests.

use super::Clock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A clock for tests. It advances by one step before each reading.
#[derive(Debug)]
pub struct FakeClock {
    /// The time in nanoseconds.
    now: AtomicU64,
    step: u64,
    /// Ticks and core cycles per nanosecond.
    rates: Option<(u64, u64)>,
}

impl FakeClock {
    /// Creates a clock that advances only by one step for each reading.
    pub fn new(step: Duration) -> FakeClock {
        FakeClock { now: AtomicU64::new(0), step: nanoseconds(step), rates: None }
    }

    /// Creates a clock with counters of this many ticks and core cycles per nanosecond.
    pub fn with_counters(step: Duration, ticks: u64, cycles: u64) -> FakeClock {
        FakeClock { rates: Some((ticks, cycles)), ..FakeClock::new(step) }
    }

    /// Advances the clock.
    pub fn advance(&self, time: Duration) {
        self.now.fetch_add(nanoseconds(time), Ordering::Relaxed);
    }

    fn count(&self, rate: impl FnOnce((u64, u64)) -> u64) -> Option<u64> {
        self.rates.map(|rates| self.now.load(Ordering::Relaxed) * rate(rates))
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).expect("a test of less than 584 years")
}

impl Clock for FakeClock {
    fn now(&self) -> Duration {
        Duration::from_nanos(self.now.fetch_add(self.step, Ordering::Relaxed) + self.step)
    }

    fn ticks(&self) -> Option<u64> {
        self.count(|(ticks, _)| ticks)
    }

    /// Returns half of the time, as if a processor had worked half of the time.
    fn processor(&self) -> Option<Duration> {
        Some(Duration::from_nanos(self.now.load(Ordering::Relaxed) / 2))
    }

    fn ticks_per_second(&self) -> Option<f64> {
        self.rates.map(|(ticks, _)| ticks as f64 * 1e9)
    }

    fn core_cycles(&self) -> Option<u64> {
        self.count(|(_, cycles)| cycles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_on_by_a_step_a_look_and_by_what_it_is_told() {
        let clock = FakeClock::with_counters(Duration::from_nanos(10), 2, 3);
        assert_eq!(clock.now(), Duration::from_nanos(10));
        clock.advance(Duration::from_nanos(90));
        assert_eq!((clock.ticks(), clock.core_cycles()), (Some(200), Some(300)));
        assert_eq!(clock.now(), Duration::from_nanos(110));
        assert_eq!(clock.ticks_per_second(), Some(2e9));
        assert_eq!(FakeClock::new(Duration::ZERO).ticks(), None);
    }
}
