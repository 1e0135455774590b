//! Chooses the number of readers of a device: more, while throughput grows.

use std::time::Duration;

/// A step up is kept if throughput grows by this factor.
const GAIN: f64 = 1.05;

/// The number of requests before a number of readers is judged.
const SAMPLE: u64 = 256;

/// The number of readers of one device. It doubles while throughput grows.
#[derive(Debug)]
pub(crate) struct ReaderScaler {
    now: usize,
    most: usize,
    /// The rate with the previous number, while the present one is on trial.
    before: Option<f64>,
    settled: bool,
    done: u64,
    spent: Duration,
}

impl ReaderScaler {
    /// Starts with `least` readers, limited to `most`.
    pub(crate) fn new(least: usize, most: usize) -> Self {
        let now = least.min(most);
        ReaderScaler { now, most, before: None, settled: now == most, done: 0, spent: Duration::ZERO }
    }

    /// Returns how many readers there should be.
    pub(crate) fn now(&self) -> usize {
        self.now
    }

    /// Counts requests that all readers together completed in this time, and decides anew once there are enough.
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

    /// Returns the numbers of readers chosen for a device with this rate function.
    fn numbers(least: usize, most: usize, rate: impl Fn(usize) -> f64) -> Vec<usize> {
        let mut scaler = ReaderScaler::new(least, most);
        let mut seen = vec![scaler.now()];
        for _ in 0..100 {
            scaler.observe(SAMPLE, Duration::from_secs_f64(SAMPLE as f64 / rate(scaler.now())));
            if scaler.now() != *seen.last().unwrap() {
                seen.push(scaler.now());
            }
        }
        seen
    }

    #[test]
    fn a_device_that_gains_by_readers_gets_them() {
        assert_eq!(numbers(4, 32, |readers| 1000.0 * readers as f64), [4, 8, 16, 32]);
        assert_eq!(numbers(4, 24, |readers| 1000.0 * readers as f64), [4, 8, 16, 24]);
    }

    #[test]
    fn a_step_without_gain_is_taken_back() {
        assert_eq!(numbers(4, 32, |readers| 1000.0 * readers.min(8) as f64), [4, 8, 16, 8]);
        assert_eq!(numbers(4, 32, |_| 1000.0), [4, 8, 4]);
    }

    #[test]
    fn a_fixed_number_stays() {
        assert_eq!(numbers(3, 3, |readers| readers as f64), [3]);
        assert_eq!(numbers(8, 3, |readers| readers as f64), [3]);
    }

    #[test]
    fn a_small_sample_decides_nothing() {
        let mut scaler = ReaderScaler::new(4, 32);
        scaler.observe(SAMPLE - 1, Duration::from_secs(1));
        assert_eq!(scaler.now(), 4);
        scaler.observe(1, Duration::from_secs(1));
        assert_eq!(scaler.now(), 8);
    }
}
