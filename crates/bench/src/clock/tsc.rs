//! The time-stamp counter of x86-64 processors.
#![allow(unsafe_code)]

use super::Clock;
use std::time::Duration;

/// A counter that is read in some ten nanoseconds; a value proves that it is there and runs at one rate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tsc(());

/// How long the counter is compared with the clock, each time.
const WHILE: Duration = Duration::from_millis(20);

/// How often; an odd number, of which the middle one counts.
const TIMES: usize = 5;

impl Tsc {
    /// The counter, if the processor says that its rate depends on nothing (CPUID leaf 0x80000007, EDX bit 8:
    /// "invariant TSC" in Intel's and AMD's manuals).
    #[cfg(target_arch = "x86_64")]
    pub(super) fn detect() -> Option<Tsc> {
        use std::arch::x86_64::__cpuid;
        const LEAF: u32 = 0x8000_0007;
        let invariant = __cpuid(0x8000_0000).eax >= LEAF && __cpuid(LEAF).edx & 1 << 8 != 0;
        invariant.then_some(Tsc(()))
    }

    /// Only x86-64 has it.
    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn detect() -> Option<Tsc> {
        None
    }

    /// Ticks so far, after all that comes before in the program and before all that comes after.
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

    /// There is no such value.
    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn read(self) -> u64 {
        0
    }

    /// Ticks a second, measured by a clock; none if the clock stands still.
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

    /// Counter and clock at the same moment: of several tries the one that took the shortest time.
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
    use crate::clock::SystemClock;

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
