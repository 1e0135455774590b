//! The rate of a run, and the estimated time left.

use super::costs::{Costs, Range};
use std::time::Duration;

/// The time constant of the current rate: a single slow file does not make it jump.
const MEMORY: Duration = Duration::from_secs(3);

/// The time before any time left is shown: the first files say little.
const LEARNING: Duration = Duration::from_secs(2);

/// The interval at which the time left is computed.
const COMPUTED: Duration = Duration::from_millis(500);

/// A time that may be wrong by more than this part of the truth is not shown.
const TOLERANCE: f64 = 1.0 / 3.0;

/// An amount of work, remaining or done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// The number of bytes.
    pub bytes: u64,
    /// The number of files.
    pub files: u64,
}

/// The estimated time that a run will still take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// About this long.
    About(Duration),
    /// Longer than this, by an unknown amount: the remaining files are of another kind than those that were done.
    AtLeast(Duration),
}

/// The pace of a run, from counters that are read periodically.
#[derive(Debug, Default)]
pub struct Pace {
    at: Duration,
    done: Work,
    /// The current rate in bytes per second; none before the first reading.
    recent: Option<f64>,
    costs: Costs,
    /// The time left, and when it was computed.
    foretold: Option<(Range, Duration)>,
    /// The displayed end of the run, in seconds from its start; and when it was last updated.
    end: Option<(f64, Duration)>,
}

impl Pace {
    /// Records the work done until now, and the total.
    pub fn note(&mut self, now: Duration, done: Work, total: Work) {
        let seconds = now.saturating_sub(self.at).as_secs_f64();
        if seconds <= 0.0 {
            return;
        }
        let new = done.bytes.saturating_sub(self.done.bytes) as f64 / seconds;
        let weight = 1.0 - (-seconds / MEMORY.as_secs_f64()).exp();
        self.recent = Some(self.recent.map_or(new, |old| old + (new - old) * weight));
        (self.at, self.done) = (now, done);
        self.costs.note(now.as_secs_f64(), done, total);
    }

    /// Returns the bytes per second over the last seconds.
    pub fn recent(&self) -> f64 {
        self.recent.unwrap_or_default()
    }

    /// Returns the bytes per second over the whole run.
    pub fn overall(&self) -> f64 {
        self.done.bytes as f64 / self.at.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    /// Returns the time left to display; none at the start, and while nothing moves.
    pub fn left(&mut self, left: Work) -> Option<Left> {
        let range = self.foretold(left)?;
        let (middle, off) = range.middle();
        let told = if off <= TOLERANCE {
            Left::About(rounded(self.steadied(middle, range).max(1.0)))
        } else {
            self.end = None;
            Left::AtLeast(Duration::from_secs_f64(range.least.floor().clamp(0.0, MAX_SECONDS)))
        };
        (self.at >= LEARNING && told != Left::AtLeast(Duration::ZERO)).then_some(told)
    }

    /// Returns the range of the time left, recomputed periodically.
    fn foretold(&mut self, left: Work) -> Option<Range> {
        let passed = self.foretold.map(|(range, at)| (range, self.at.saturating_sub(at)));
        match passed {
            Some((range, passed)) if passed < COMPUTED => Some(range.later(passed.as_secs_f64())),
            _ => {
                let range = self.costs.foretell(left)?;
                self.foretold = Some((range, self.at));
                Some(range)
            }
        }
    }

    /// Returns a readable time left: the displayed end moves slowly towards the predicted one, as far as it is within
    /// the range.
    fn steadied(&mut self, left: f64, range: Range) -> f64 {
        let at = self.at.as_secs_f64();
        let foretold = at + left;
        let end = self.end.map_or(foretold, |(end, before)| {
            let following = (left / 8.0).clamp(0.5, 4.0);
            let weight = 1.0 - (-self.at.saturating_sub(before).as_secs_f64() / following).exp();
            (end + (foretold - end) * weight).clamp(at + range.least, at + range.most)
        });
        self.end = Some((end, self.at));
        end - at
    }
}

/// The longest time in seconds.
const MAX_SECONDS: f64 = 1e9;

/// Rounds a time to a sensible precision: steps are a tenth of the time at most.
fn rounded(seconds: f64) -> Duration {
    let steps = [(20.0, 1.0), (60.0, 5.0), (600.0, 10.0), (3600.0, 60.0)];
    let step = steps.iter().find(|(below, _)| seconds < *below).map_or(600.0, |(_, step)| *step);
    Duration::from_secs_f64(((seconds / step).round() * step).clamp(1.0, MAX_SECONDS))
}

#[cfg(test)]
mod tests;
