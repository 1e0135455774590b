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

/// Nothing is said of the time left before this: the first files tell little.
const LEARNING: Duration = Duration::from_secs(2);

/// How fast the end that is told follows the one that the pace foretells.
const FOLLOWING: Duration = Duration::from_secs(4);

/// The pace of a run, from counters that are read now and then.
#[derive(Debug, Default)]
pub struct Pace {
    at: Duration,
    done: Work,
    /// Per second; none before the first look.
    rates: Option<(f64, f64)>,
    /// When the run will end, in seconds from its start, as it is told; and when that was last looked at.
    end: Option<(f64, Duration)>,
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

    /// How long this will take, as it is told: the end that is told moves slowly towards the one that the pace of the
    /// moment foretells, so that it can be read. None at the start, and while nothing moves.
    pub fn told(&mut self, left: Work) -> Option<Duration> {
        let foretold = (self.at + self.left(left)?).as_secs_f64();
        let end = match self.end {
            Some((end, at)) => {
                let since = self.at.saturating_sub(at).as_secs_f64();
                let weight = 1.0 - (-since / FOLLOWING.as_secs_f64()).exp();
                end + (foretold - end) * weight
            }
            None => foretold,
        };
        self.end = Some((end, self.at));
        // There is something left, even where it takes longer than was told.
        (self.at >= LEARNING).then(|| rounded((end - self.at.as_secs_f64()).max(1.0)))
    }

    /// How long this will take; none while nothing moves. Small files take their time by number, large ones
    /// by bytes: whichever is more.
    fn left(&self, left: Work) -> Option<Duration> {
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

/// As exactly as anybody can know it.
fn rounded(seconds: f64) -> Duration {
    let steps = [(10.0, 1.0), (60.0, 5.0), (600.0, 10.0), (3600.0, 60.0)];
    let step = steps.iter().find(|(below, _)| seconds < *below).map_or(600.0, |(_, step)| *step);
    Duration::from_secs_f64((seconds / step).ceil() * step)
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

    #[test]
    fn the_end_that_is_told_hardly_moves_while_the_pace_jumps() {
        let (mut pace, mut done, all) = (Pace::default(), 0, 100_000);
        let mut told = Vec::new();
        for tenth in 1..=300_u64 {
            // A file of ten times the rate now and then, and nothing between.
            done += if tenth % 10 == 0 { 1000 } else { 0 };
            pace.note(Duration::from_millis(tenth * 100), work(done, 0));
            told.extend(pace.told(work(all - done, 0)).map(|left| left.as_secs_f64() + tenth as f64 / 10.0));
        }
        let last = &told[told.len() - 100..];
        let spread = last.iter().fold(0.0, |most: f64, end| most.max((end - 100.0).abs()));
        // Steps of what is told are 10 seconds here.
        assert!(spread <= 22.0, "{spread}: {last:?}");
        for pair in last.windows(2) {
            assert!((pair[0] - pair[1]).abs() <= 11.0, "{pair:?}");
        }
    }

    #[test]
    fn nothing_is_told_at_the_start() {
        let mut pace = Pace::default();
        pace.note(seconds(1), work(10, 1));
        assert_eq!(pace.told(work(100, 1)), None);
        pace.note(seconds(3), work(30, 1));
        assert_eq!(pace.told(work(100, 1)), Some(seconds(9)), "between 8 and 10");
    }

    #[test]
    fn what_is_told_is_as_exact_as_can_be_known() {
        for (left, wanted) in [(0.0, 0), (2.2, 3), (12.0, 15), (61.0, 70), (601.0, 660), (4000.0, 4200)] {
            assert_eq!(rounded(left).as_secs(), wanted);
        }
    }
}
