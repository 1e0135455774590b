//! Sources of time: the system's clock, the processor's counters, or a test.

#[cfg(test)]
mod fake;
mod tsc;

#[cfg(test)]
pub use fake::FakeClock;

use crate::sys::{self, CoreCycles};
use std::time::{Duration, Instant};
use tsc::Tsc;

/// A clock that also counts cycles if the machine can.
pub trait Clock: Sync {
    /// Returns the time since a fixed moment; it never decreases.
    fn now(&self) -> Duration;

    /// Returns the processor's time-stamp counter, if its rate is constant.
    fn ticks(&self) -> Option<u64> {
        None
    }

    /// Returns the number of ticks of [`Clock::ticks`] per second.
    fn ticks_per_second(&self) -> Option<f64> {
        None
    }

    /// Returns the processor time of this process so far, of all threads.
    fn processor(&self) -> Option<Duration> {
        None
    }

    /// Returns the cycles that the core executed in user mode for the thread that created the clock.
    fn core_cycles(&self) -> Option<u64> {
        None
    }
}

/// The clock of this machine.
pub struct SystemClock {
    start: Instant,
    tsc: Option<(Tsc, f64)>,
    cycles: Option<CoreCycles>,
}

impl SystemClock {
    /// Creates a clock with the system's monotonic clock only.
    pub fn plain() -> SystemClock {
        SystemClock { start: Instant::now(), tsc: None, cycles: None }
    }

    /// Creates a clock with all counters that this machine has and this process may read. This takes a tenth of a
    /// second to measure the rate of the time-stamp counter.
    pub fn with_counters() -> SystemClock {
        let plain = SystemClock::plain();
        let tsc = Tsc::detect().and_then(|tsc| Some((tsc, tsc.frequency(&plain)?)));
        SystemClock { tsc, cycles: CoreCycles::open(), ..plain }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn ticks(&self) -> Option<u64> {
        self.tsc.as_ref().map(|(tsc, _)| tsc.read())
    }

    fn ticks_per_second(&self) -> Option<f64> {
        self.tsc.as_ref().map(|(_, frequency)| *frequency)
    }

    fn processor(&self) -> Option<Duration> {
        sys::processor_time()
    }

    fn core_cycles(&self) -> Option<u64> {
        self.cycles.as_ref()?.read()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_clock_counts_never_goes_back() {
        let clock = SystemClock::with_counters();
        let read = || (clock.now(), clock.ticks(), clock.core_cycles());
        let mut last = read();
        for _ in 0..1000 {
            let next = read();
            assert!(next.0 >= last.0 && next.1 >= last.1 && next.2 >= last.2, "{last:?} {next:?}");
            last = next;
        }
        assert!(clock.processor().is_some_and(|time| time > Duration::ZERO));
        assert_eq!(clock.ticks().is_some(), clock.ticks_per_second().is_some());
    }

    #[test]
    fn a_plain_clock_has_no_counters() {
        let clock = SystemClock::plain();
        assert_eq!((clock.ticks(), clock.ticks_per_second(), clock.core_cycles()), (None, None, None));
    }
}
