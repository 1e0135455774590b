//! The time-stamp counter of x86-64 processors.
#![allow(unsafe_code)]

use super::Clock;
use std::time::Duration;

/// A counter that is read in about ten nanoseconds; a value proves that it exists and has a constant rate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tsc(());

/// The time for each comparison of the counter with the clock.
const WHILE: Duration = Duration::from_millis(20);

/// The number of comparisons; odd, since the median counts.
const TIMES: usize = 5;

impl Tsc {
    /// Returns the counter, if the processor states that its rate is constant (CPUID leaf 0x80000007, EDX bit 8:
    /// "invariant TSC" in Intel's and AMD's manuals).
    #[cfg(target_arch = "x86_64")]
    pub(super) fn detect() -> Option<Tsc> {
        use std::arch::x86_64::__cpuid;
        const LEAF: u32 = 0x8000_0007;
        let invariant = __cpuid(0x8000_0000).eax >= LEAF && __cpuid(LEAF).edx & 1 << 8 != 0;
        invariant.then_some(Tsc(()))
    }

    /// Returns `None`, since only x86-64 has it.
    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn detect() -> Option<Tsc> {
        None
    }

    /// Reads the counter, ordered after all earlier and before all later instructions.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn read(self) -> u64 {
        use std::arch::x86_64::{_mm_lfence, _rdtsc};
        // SAFETY: every x86-64 processor has both instructions, and neither touches memory.
        unsafe {
            _mm_lfence();
            let ticks = _rdtsc();
            _mm_lfence();
            ticks
        }
    }

    /// Returns 0; never called, since there is no such value.
    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn read(self) -> u64 {
        0
    }

    /// Measures the ticks per second with a clock; `None` if the clock stands still.
    pub(super) fn frequency(self, clock: &dyn Clock) -> Option<f64> {
        let mut rates = [0.0; TIMES];
        for rate in &mut rates {
            let (from, start) = self.both(clock);
            std::thread::sleep(WHILE);
            let (to, end) = self.both(clock);
            *rate = (to.wrapping_sub(from)) as f64 / end.saturating_sub(start).as_secs_f64();
        }
        rates.sort_by(f64::total_cmp);
        Some(rates[TIMES / 2]).filter(|rate| rate.is_finite() && *rate > 0.0)
    }

    /// Reads the counter and the clock at the same moment: returns the fastest of several tries.
    fn both(self, clock: &dyn Clock) -> (u64, Duration) {
        let tries = (0..16).map(|_| {
            let (before, now, after) = (self.read(), clock.now(), self.read());
            let took = after.wrapping_sub(before);
            (took, before.wrapping_add(took / 2), now)
        });
        let best = tries.min_by_key(|(took, _, _)| *took);
        best.map_or((0, Duration::ZERO), |(_, ticks, now)| (ticks, now))
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::measure::clock::SystemClock;

    #[test]
    fn its_frequency_is_one_that_a_processor_can_have() {
        let Some(tsc) = Tsc::detect() else { return };
        let frequency = tsc.frequency(&SystemClock::plain()).unwrap();
        assert!((1e8..2e10).contains(&frequency), "{frequency}");
    }

    #[test]
    fn a_clock_that_stands_still_measures_nothing() {
        let Some(tsc) = Tsc::detect() else { return };
        assert_eq!(tsc.frequency(&crate::FakeClock::new(Duration::ZERO)), None);
    }
}
