//! The cost of a file and of a byte, estimated during a run: how long the rest will take, and how certain that is.
//!
//! A run takes `a` seconds for each file and `b` for each byte. Both are unknown, and change. What is certain is that
//! the work so far took the time that passed: that leaves one unknown number, the share of the time that went to files.
//! Each share is weighted by how evenly it explains the stretches of the run, and by typical costs of disks and
//! networks; the time left is the range that the likely shares predict. For a folder of equal files any share predicts
//! the same, so the range is narrow at once; for small files with large ones to come it is wide until some of those
//! were read, and no time is shown.

use super::pace::Work;

/// A stretch of a run ends when this part of all files or of all bytes is done in it. It is measured in work, not in
/// time: the times of equal stretches vary, and the model fits that; if their work varied, costs would be
/// underestimated.
const STRETCH: f64 = 1.0 / 200.0;
/// More stretches than this are joined in pairs. There may be more if a total grew.
const MAX_STRETCHES: usize = 512;

/// The cost of a file in seconds: most disks and servers are within a factor of `e^SPREAD` of it.
const FILE: Likely = Likely { median: 3e-4, spread: 2.0 };
/// The cost of a byte in seconds.
const BYTE: Likely = Likely { median: 1.0 / 4e8, spread: 1.5 };

/// Stretches that are explained more evenly than this count as equally well explained.
const NOISE: f64 = 0.1;
/// Successive stretches are similar: this many of them count as one.
const ALIKE: f64 = 2.0;
/// More stretches than this do not increase the certainty: the rest may be different.
const ENOUGH: f64 = 50.0;
/// The uncertainty of the mean before any stretch ended, as a logarithm.
const UNSURE: f64 = 0.5;
/// The range extends this many standard deviations of the mean to each side.
const SURE: f64 = 1.3;
/// The parts of the likely shares that are left out below and above the range.
const TAIL: f64 = 0.1;

/// The prior of a cost, before anything is measured.
struct Likely {
    median: f64,
    spread: f64,
}

/// A part of a run.
#[derive(Debug, Clone, Copy, Default)]
struct Stretch {
    seconds: f64,
    files: f64,
    bytes: f64,
    /// The seconds from the start of the run to the end of the stretch.
    until: f64,
}

/// The stretches of a run.
#[derive(Debug, Default)]
pub struct Costs {
    stretches: Vec<Stretch>,
    open: Stretch,
    done: Work,
}

/// The shortest and the longest likely time, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The shortest.
    pub least: f64,
    /// The longest.
    pub most: f64,
}

impl Range {
    /// Returns the rest of the range after some seconds.
    pub fn later(self, seconds: f64) -> Range {
        let later = |time: f64| (time - seconds).max(0.0);
        Range { least: later(self.least), most: later(self.most) }
    }

    /// Returns the time whose relative error is the same at both ends of the range, and that error.
    pub fn middle(self) -> (f64, f64) {
        let Range { least, most } = self;
        match least + most {
            0.0 => (0.0, 0.0),
            sum => (2.0 * least * most / sum, (most - least) / sum),
        }
    }
}

impl Costs {
    /// Records the work done until now, and the total.
    pub fn note(&mut self, now: f64, done: Work, total: Work) {
        let more = |now: u64, before: u64| now.saturating_sub(before) as f64;
        self.open.seconds += now - self.open.until;
        self.open.until = now;
        self.open.files += more(done.files, self.done.files);
        self.open.bytes += more(done.bytes, self.done.bytes);
        self.done = done;
        let part = |done: f64, total: u64| done >= (total as f64 * STRETCH).max(1.0);
        if part(self.open.files, total.files) || part(self.open.bytes, total.bytes) {
            self.stretches.push(self.open);
            self.open = Stretch { until: now, ..Stretch::default() };
        }
        if self.stretches.len() > MAX_STRETCHES {
            self.stretches = self.stretches.chunks(2).map(joined).collect();
        }
    }

    /// Returns how long the remaining work will take; none before anything was done.
    pub fn foretell(&self, left: Work) -> Option<Range> {
        let all = self.sum();
        if all.files + all.bytes == 0.0 {
            return None;
        }
        let (files, bytes) = (left.files as f64, left.bytes as f64);
        let mut shares = Vec::new();
        for step in -40..=40 {
            let share = 1.0 / (1.0 + (-f64::from(step) / 2.0).exp());
            // The first file counts as half done, which it is on average.
            let file = share * all.seconds / all.files.max(0.5);
            let byte = (1.0 - share) * all.seconds / all.bytes.max(1.0);
            let (fit, spread) = self.fit(file, byte);
            let fit = fit + FILE.fit(file) + BYTE.fit(byte);
            shares.push(Share { left: file * files + byte * bytes, fit, spread });
        }
        Some(range(shares))
    }

    /// Returns the weight of a stretch: one that is long ago, compared with the run, says less about the rest.
    fn weight(&self, stretch: &Stretch) -> f64 {
        (stretch.until / self.open.until).powi(2)
    }

    /// Returns the sum of all stretches, with their weights.
    fn sum(&self) -> Stretch {
        let mut all = self.open;
        for stretch in &self.stretches {
            let weight = self.weight(stretch);
            all.seconds += weight * stretch.seconds;
            all.files += weight * stretch.files;
            all.bytes += weight * stretch.bytes;
        }
        all
    }

    /// Returns how well these costs explain the stretches, as the logarithm of a likelihood; and how far the mean of
    /// the run may differ from the rest, as a logarithm.
    fn fit(&self, file: f64, byte: f64) -> (f64, f64) {
        let (mut weights, mut squares, mut sum, mut sum_of_squares) = (0.0, 0.0, 0.0, 0.0);
        for stretch in &self.stretches {
            let (weight, off) = (self.weight(stretch), stretch.off(file, byte));
            weights += weight;
            squares += weight * weight;
            sum += weight * off;
            sum_of_squares += weight * off * off;
        }
        if weights == 0.0 {
            return (0.0, UNSURE);
        }
        let number = (weights * weights / squares / ALIKE).min(ENOUGH);
        let variance = (sum_of_squares / weights - (sum / weights).powi(2)).max(0.0) + NOISE * NOISE;
        (-0.5 * number * variance.ln(), SURE * (variance / number).sqrt())
    }
}

impl Stretch {
    /// Returns the logarithm of the ratio of the actual time to the time that these costs predict.
    fn off(&self, file: f64, byte: f64) -> f64 {
        let due = (file * self.files + byte * self.bytes).max(f64::MIN_POSITIVE);
        (self.seconds.max(1e-6) / due).ln()
    }
}

impl Likely {
    /// Returns the logarithm of the likelihood of a cost.
    fn fit(&self, cost: f64) -> f64 {
        -0.5 * ((cost.max(1e-30) / self.median).ln() / self.spread).powi(2)
    }
}

/// Returns consecutive stretches as one.
fn joined(stretches: &[Stretch]) -> Stretch {
    let add = |sum: Stretch, next: &Stretch| Stretch {
        seconds: sum.seconds + next.seconds,
        files: sum.files + next.files,
        bytes: sum.bytes + next.bytes,
        until: next.until,
    };
    stretches.iter().fold(Stretch::default(), add)
}

/// A share of the time that went to files, and its consequences.
struct Share {
    /// The time left, in seconds.
    left: f64,
    /// The logarithm of its likelihood.
    fit: f64,
    /// How uncertain the mean is, as a logarithm.
    spread: f64,
}

/// Returns the range of times that holds most of the likelihood.
fn range(mut shares: Vec<Share>) -> Range {
    shares.sort_unstable_by(|one, other| one.left.total_cmp(&other.left));
    let best = shares.iter().fold(f64::NEG_INFINITY, |best, share| best.max(share.fit));
    let weights: Vec<f64> = shares.iter().map(|share| (share.fit - best).exp()).collect();
    let all: f64 = weights.iter().sum();
    let weighed = || shares.iter().zip(weights.iter().map(|weight| weight / all));
    let spread: f64 = weighed().map(|(share, weight)| share.spread * weight).sum();
    let at = |part: f64| {
        let mut before = 0.0;
        let found = weighed().find(|(_, weight)| {
            before += weight;
            before >= part
        });
        found.map_or(0.0, |(share, _)| share.left)
    };
    Range { least: at(TAIL) / spread.exp(), most: at(1.0 - TAIL) * spread.exp() }
}
