//! How fast a run goes now, and how long what is left will take at that pace.

use std::time::Duration;

/// How long what was counted before goes on to count: a stretch of slow files is forgotten after some
/// multiples of it, and a single slow file does not make the time left jump.
const MEMORY: Duration = Duration::from_secs(5);

/// What there was to do, or is done, up to some moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Bytes.
    pub bytes: u64,
    /// Files.
    pub files: u64,
}

/// The pace of a run, from counters that are read now and then.
#[derive(Debug, Default)]
pub struct Pace {
    at: Duration,
    done: Work,
    /// Per second; none before the first look.
    rates: Option<(f64, f64)>,
}

impl Pace {
    /// Notes what was done up to now.
    pub fn note(&mut self, now: Duration, done: Work) {
        let seconds = now.saturating_sub(self.at).as_secs_f64();
        if seconds <= 0.0 {
            return;
        }
        let rate = |now: u64, before: u64| now.saturating_sub(before) as f64 / seconds;
        let new = (rate(done.bytes, self.done.bytes), rate(done.files, self.done.files));
        let weight = 1.0 - (-seconds / MEMORY.as_secs_f64()).exp();
        let mix = |old: f64, new: f64| old + (new - old) * weight;
        self.rates = Some(match self.rates {
            Some(old) => (mix(old.0, new.0), mix(old.1, new.1)),
            None => new,
        });
        (self.at, self.done) = (now, done);
    }

    /// Bytes a second, now.
    pub fn bytes(&self) -> f64 {
        self.rates.unwrap_or_default().0
    }

    /// How long this will take; none while nothing moves. Small files take their time by number, large ones
    /// by bytes: whichever is more.
    pub fn left(&self, left: Work) -> Option<Duration> {
        let (bytes, files) = self.rates?;
        let time = |left: u64, rate: f64| if left == 0 { 0.0 } else { left as f64 / rate };
        let seconds = match (time(left.bytes, bytes), time(left.files, files)) {
            // A long file: none ends, but bytes flow.
            (by_bytes, by_files) if by_files.is_infinite() => by_bytes,
            (by_bytes, by_files) => by_bytes.max(by_files),
        };
        // A rate near zero would give a time that no `Duration` holds.
        (seconds.is_finite()).then(|| Duration::from_secs_f64(seconds.min(1e9)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(bytes: u64, files: u64) -> Work {
        Work { bytes, files }
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_steady_pace_tells_the_time_left() {
        let mut pace = Pace::default();
        (1..=20).for_each(|at| pace.note(seconds(at), work(at * 100, at * 2)));
        assert_eq!(pace.bytes().round(), 100.0);
        assert_eq!(pace.left(work(1000, 2)).unwrap().as_secs(), 10);
        assert_eq!(pace.left(work(1000, 60)).unwrap().as_secs(), 30);
        assert_eq!(pace.left(work(0, 0)).unwrap().as_secs(), 0);
    }

    #[test]
    fn old_times_are_forgotten() {
        let mut pace = Pace::default();
        pace.note(seconds(1), work(1_000_000, 10));
        (2..=60).for_each(|at| pace.note(seconds(at), work(1_000_000 + at * 100, 10 + at)));
        let left = pace.left(work(10_000, 1)).unwrap().as_secs_f64();
        assert!((90.0..101.0).contains(&left), "{left}");
    }

    #[test]
    fn nothing_is_promised_while_nothing_moves() {
        let mut pace = Pace::default();
        assert_eq!(pace.left(work(1, 1)), None);
        pace.note(seconds(1), work(0, 0));
        assert_eq!(pace.left(work(1, 1)), None);
    }

    #[test]
    fn one_long_file_goes_by_its_bytes() {
        let mut pace = Pace::default();
        pace.note(seconds(1), work(100, 0));
        assert_eq!(pace.left(work(1000, 1)).unwrap().as_secs(), 10);
    }
}
