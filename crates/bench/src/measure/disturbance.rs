//! Disturbances of the machine during measurements: changes of its clock frequency, and other programs.

use crate::load::Load;
use crate::{Clock, sys};
use std::hint::black_box;

/// Observes the machine before, during and after measuring.
#[derive(Debug, Default)]
pub struct DisturbanceMonitor {
    pub(crate) looks: Vec<Observation>,
}

/// An observation of the machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// Seconds since the clock's start.
    pub at: f64,
    /// Nanoseconds for one step of a computation in which each step depends on the previous one, that is, a fixed
    /// number of core cycles.
    pub step: f64,
    /// Processor time so far, if available.
    pub load: Option<Load>,
}

/// The relative change of frequency that makes figures doubtful.
const MOVED: f64 = 0.05;

/// The average number of cores used by other programs that makes figures doubtful.
const CROWDED: f64 = 0.25;

/// Linux counts in hundredths of a second, Windows in its ticks of 16 ms, so shares of less time than this are meaningless.
const LEAST_SECONDS: f64 = 0.5;

impl DisturbanceMonitor {
    /// Makes an observation.
    pub fn look(&mut self, clock: &dyn Clock) {
        let step = step(clock);
        self.looks.push(Observation { at: clock.now().as_secs_f64(), step, load: sys::load() });
    }

    /// Returns warnings about the time since the first observation.
    pub fn warnings(&self) -> Vec<String> {
        warnings(&self.looks)
    }
}

/// Returns warnings about the time between these observations.
pub fn warnings(looks: &[Observation]) -> Vec<String> {
    let [first, .., last] = looks else { return Vec::new() };
    [frequency(looks), load(first, last)].into_iter().flatten().collect()
}

fn frequency(looks: &[Observation]) -> Option<String> {
    let steps = || looks.iter().map(|look| look.step).filter(|step| *step > 0.0);
    let (least, most) = (steps().fold(f64::INFINITY, f64::min), steps().fold(0.0, f64::max));
    let moved = most / least - 1.0;
    (moved > MOVED).then(|| {
        format!(
            "the clock frequency moved by {:.0} % during the run: fix it (performance governor, no boost) or \
             repeat",
            moved * 100.0
        )
    })
}

fn load(first: &Observation, last: &Observation) -> Option<String> {
    let (before, after, seconds) = (first.load?, last.load?, last.at - first.at);
    if seconds < LEAST_SECONDS {
        return None;
    }
    let stolen = (after.stolen - before.stolen) / seconds;
    let others = (after.busy - before.busy - (after.own - before.own)) / seconds;
    let what = match () {
        () if others > CROWDED => format!("other programs used {others:.1} cores on average"),
        () if stolen > CROWDED => format!("the host took {stolen:.1} cores away on average"),
        () => return None,
    };
    Some(format!("{what} during the run: repeat on a quiet machine"))
}

/// Returns the best of several tries, since disturbances only increase the time.
fn step(clock: &dyn Clock) -> f64 {
    const STEPS: u32 = 20_000;
    let tries = (0..20).map(|_| {
        let start = clock.now();
        let mut value = black_box(3_u64);
        for _ in 0..STEPS {
            value = value.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 1;
        }
        black_box(value);
        clock.now().saturating_sub(start).as_secs_f64() * 1e9 / f64::from(STEPS)
    });
    tries.fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(at: f64, step: f64, busy: f64, own: f64, stolen: f64) -> Observation {
        Observation { at, step, load: Some(Load { busy, own, stolen }) }
    }

    #[test]
    fn a_quiet_machine_is_not_doubted() {
        assert_eq!(warnings(&[look(0.0, 1.0, 50.0, 0.0, 0.0), look(10.0, 1.04, 62.0, 10.0, 0.0)]), [""; 0]);
        assert_eq!(warnings(&[look(0.0, 1.0, 0.0, 0.0, 0.0)]), [""; 0]);
        assert_eq!(warnings(&[]), [""; 0]);
    }

    #[test]
    fn a_frequency_that_moved_and_others_who_compute_are_told() {
        let [first, last] = [look(0.0, 1.0, 0.0, 0.0, 0.0), look(10.0, 1.0, 10.0, 10.0, 0.0)];
        let slow = Observation { step: 1.25, at: 5.0, ..first };
        let told = warnings(&[first, slow, last]);
        assert!(told.len() == 1 && told[0].contains("moved by 25 %"), "{told:?}");
        let told = warnings(&[first, look(10.0, 1.0, 25.0, 10.0, 0.0)]);
        assert!(told.len() == 1 && told[0].contains("other programs used 1.5 cores"), "{told:?}");
        let told = warnings(&[first, look(10.0, 1.0, 10.0, 10.0, 5.0)]);
        assert!(told.len() == 1 && told[0].contains("took 0.5 cores away"), "{told:?}");
        assert_eq!(warnings(&[first, look(0.1, 1.0, 25.0, 10.0, 0.0)]), [""; 0], "too short to tell");
    }
}
