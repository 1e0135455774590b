//! How fast a run goes, and how long what is left will take.

use crate::costs::{Costs, Range};
use std::time::Duration;

/// The rate of the moment is that of some multiples of this: a single slow file does not make it jump.
const MEMORY: Duration = Duration::from_secs(3);

/// Nothing is said of the time left before this: the first files tell little.
const LEARNING: Duration = Duration::from_secs(2);

/// The time left is computed so often.
const COMPUTED: Duration = Duration::from_millis(500);

/// A time that may be off by more than this part of the truth is not told.
const TOLERANCE: f64 = 1.0 / 3.0;

/// An amount of work, to do or done up to some moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Bytes.
    pub bytes: u64,
    /// Files.
    pub files: u64,
}

/// How long a run will still take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// About this.
    About(Duration),
    /// More than this, but nobody knows how much: what is left is of another kind than what was done.
    AtLeast(Duration),
}

/// The pace of a run, from counters that are read now and then.
#[derive(Debug, Default)]
pub struct Pace {
    at: Duration,
    done: Work,
    /// Bytes a second, now; none before the first look.
    recent: Option<f64>,
    costs: Costs,
    /// The time left, and when it was computed.
    foretold: Option<(Range, Duration)>,
    /// When the run will end, in seconds from its start, as it is told; and when that was last looked at.
    end: Option<(f64, Duration)>,
}

impl Pace {
    /// Notes what was done up to now, of so much in all.
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

    /// Returns the bytes of a second, over the last seconds.
    pub fn recent(&self) -> f64 {
        self.recent.unwrap_or_default()
    }

    /// Returns the bytes of a second, over all.
    pub fn overall(&self) -> f64 {
        self.done.bytes as f64 / self.at.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    /// Returns how long this will take, as it is told; none at the start, and while nothing moves.
    pub fn left(&mut self, left: Work) -> Option<Left> {
        let range = self.foretold(left)?;
        let (middle, off) = range.middle();
        let told = if off <= TOLERANCE {
            Left::About(rounded(self.steadied(middle, range).max(1.0)))
        } else {
            self.end = None;
            Left::AtLeast(Duration::from_secs_f64(range.least.floor().clamp(0.0, LONGEST)))
        };
        (self.at >= LEARNING && told != Left::AtLeast(Duration::ZERO)).then_some(told)
    }

    /// Returns the range of the time left, computed now and then.
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

    /// Returns a time left that can be read: the end that is told moves slowly towards the one that is foretold, as far as
    /// it is within the range.
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

/// No time is longer than this, in seconds.
const LONGEST: f64 = 1e9;

/// As exactly as anybody can know it: steps are a tenth of the time at most.
fn rounded(seconds: f64) -> Duration {
    let steps = [(20.0, 1.0), (60.0, 5.0), (600.0, 10.0), (3600.0, 60.0)];
    let step = steps.iter().find(|(below, _)| seconds < *below).map_or(600.0, |(_, step)| *step);
    Duration::from_secs_f64(((seconds / step).round() * step).clamp(1.0, LONGEST))
}

#[cfg(test)]
#[path = "pace_tests.rs"]
mod tests;
