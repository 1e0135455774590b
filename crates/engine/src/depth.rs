//! How many readers a device is worth: more, as long as more get more done.

use std::time::Duration;

/// A step up must gain this much to be kept.
const GAIN: f64 = 1.05;

/// What is counted until a depth is judged.
const SAMPLE: u64 = 256;

/// The depth of one device, grown by doubling while throughput grows.
#[derive(Debug)]
pub(crate) struct Depth {
    now: usize,
    most: usize,
    /// Rate at the depth before, if this one is still on trial.
    before: Option<f64>,
    settled: bool,
    done: u64,
    spent: Duration,
}

impl Depth {
    /// Starts with `least`, never more than `most`.
    pub(crate) fn new(least: usize, most: usize) -> Self {
        let now = least.min(most);
        Depth { now, most, before: None, settled: now == most, done: 0, spent: Duration::ZERO }
    }

    /// How many readers there should be.
    pub(crate) fn now(&self) -> usize {
        self.now
    }

    /// Counts what all readers together got done in some stretch of time, and decides anew once that is
    /// enough to judge by. What is counted must be the same all along: requests, say.
    pub(crate) fn observe(&mut self, done: u64, spent: Duration) {
        self.done += done;
        self.spent += spent;
        if self.settled || self.done < SAMPLE {
            return;
        }
        let rate = self.done as f64 / self.spent.as_secs_f64().max(1e-9);
        (self.done, self.spent) = (0, Duration::ZERO);
        if self.before.is_some_and(|before| rate < before * GAIN) {
            self.now = self.now.div_ceil(2);
            self.settled = true;
            return;
        }
        self.before = Some(rate);
        self.settled = self.now == self.most;
        self.now = (self.now * 2).min(self.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The depths that come of a device whose rate is this function of the depth.
    fn depths(least: usize, most: usize, rate: impl Fn(usize) -> f64) -> Vec<usize> {
        let mut depth = Depth::new(least, most);
        let mut seen = vec![depth.now()];
        for _ in 0..100 {
            depth.observe(SAMPLE, Duration::from_secs_f64(SAMPLE as f64 / rate(depth.now())));
            if depth.now() != *seen.last().unwrap() {
                seen.push(depth.now());
            }
        }
        seen
    }

    #[test]
    fn a_device_that_likes_depth_gets_it() {
        assert_eq!(depths(4, 32, |depth| 1000.0 * depth as f64), [4, 8, 16, 32]);
        assert_eq!(depths(4, 24, |depth| 1000.0 * depth as f64), [4, 8, 16, 24]);
    }

    #[test]
    fn a_step_without_gain_is_taken_back() {
        assert_eq!(depths(4, 32, |depth| 1000.0 * depth.min(8) as f64), [4, 8, 16, 8]);
        assert_eq!(depths(4, 32, |_| 1000.0), [4, 8, 4]);
    }

    #[test]
    fn a_fixed_depth_stays() {
        assert_eq!(depths(3, 3, |depth| depth as f64), [3]);
        assert_eq!(depths(8, 3, |depth| depth as f64), [3]);
    }

    #[test]
    fn little_is_not_judged_by() {
        let mut depth = Depth::new(4, 32);
        depth.observe(SAMPLE - 1, Duration::from_secs(1));
        assert_eq!(depth.now(), 4);
        depth.observe(1, Duration::from_secs(1));
        assert_eq!(depth.now(), 8);
    }
}
