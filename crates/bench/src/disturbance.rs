//! What else happens on the machine while it is measured: whether its clock frequency stays, and who else
//! computes.

use crate::Clock;
use std::fs;
use std::hint::black_box;

/// Observes the machine before, during and after measuring.
#[derive(Debug, Default)]
pub struct DisturbanceMonitor {
    looks: Vec<Observation>,
}

/// One observation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// Seconds since the clock's start.
    pub at: f64,
    /// Nanoseconds for a step of a computation in which each step waits for the one before: a fixed number of
    /// the core's cycles.
    pub step: f64,
    /// Seconds of processors so far, where the system tells.
    pub load: Option<Load>,
}

/// Seconds that processors spent since the system was started.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Load {
    /// Computing, for anybody.
    pub busy: f64,
    /// Computing for this process and those that it waited for.
    pub own: f64,
    /// Taken away by the host of a virtual machine.
    pub stolen: f64,
}

/// A frequency that moved by more than this share, makes figures doubtful.
const MOVED: f64 = 0.05;

/// Other programs that use more than this many cores on average do.
const CROWDED: f64 = 0.25;

/// The kernel counts in hundredths of a second: over less time than this shares mean nothing.
const LEAST_SECONDS: f64 = 0.5;

impl DisturbanceMonitor {
    /// Looks.
    pub fn look(&mut self, clock: &dyn Clock) {
        let step = step(clock);
        self.looks.push(Observation { at: clock.now().as_secs_f64(), step, load: Load::now() });
    }

    /// One that has observed this.
    pub fn of(looks: Vec<Observation>) -> Self {
        DisturbanceMonitor { looks }
    }

    /// Warnings about what was measured since the first observation.
    pub fn warnings(&self) -> Vec<String> {
        warnings(&self.looks)
    }
}

/// Warnings about measurements between these observations.
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

/// The best of several tries: what disturbs one only makes it longer.
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

impl Load {
    /// As it is now; none where the system does not tell.
    pub fn now() -> Option<Load> {
        let all = fs::read_to_string("/proc/stat").ok()?;
        let own = fs::read_to_string("/proc/self/stat").ok()?;
        Load::parse(&all, &own)
    }

    /// `/proc/stat` and `/proc/PID/stat`, proc(5).
    fn parse(all: &str, own: &str) -> Option<Load> {
        let all = numbers(all.lines().next()?.strip_prefix("cpu ")?);
        // The name of the program, in parentheses, may hold anything.
        let own = numbers(own.rsplit_once(')')?.1);
        let [user, nice, system, _, _, irq, softirq, stolen, ..] = all[..] else { return None };
        // After the name: state, then fields 4 to 17, of which the last four are times.
        let times = own.get(10..14)?;
        Some(Load { busy: user + nice + system + irq + softirq, own: times.iter().sum(), stolen })
    }
}

/// Times in units of the kernel's (USER_HZ, 100 a second on every architecture of Linux that we run on), as
/// seconds.
fn numbers(text: &str) -> Vec<f64> {
    text.split_whitespace().filter_map(|word| word.parse::<f64>().ok()).map(|ticks| ticks / 100.0).collect()
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

    #[test]
    fn the_kernel_s_files_are_understood() {
        let all = "cpu  100 20 30 4000 50 6 7 8 0 0\ncpu0 1 2 3\n";
        let own = "12 (a ) b) R 1 2 3 4 5 6 7 8 9 10 110 220 330 440 20 0 1 0 5\n";
        let load = Load::parse(all, own).unwrap();
        let hundredths = [load.busy, load.own, load.stolen].map(|seconds| (seconds * 100.0).round());
        assert_eq!(hundredths, [163.0, 1100.0, 8.0]);
        assert_eq!(Load::parse("cpu  1 2\n", own), None);
        assert_eq!(Load::parse(all, "12 (a) R 1 2\n"), None);
    }
}
