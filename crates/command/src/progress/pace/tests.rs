//! Simulated runs, with a simulated clock: the displayed time left is wrong by no more than a third of the truth after
//! the first tenth of a run.
//!
//! No estimator can do that for every run. Nobody can predict a disk that suddenly becomes ten times slower in the
//! middle; nor can the cost of files be estimated from one large file. So the families of runs below define where it
//! holds: constant costs of files and bytes, whatever the order of the files and their sizes; a start that is slow for
//! a part of the first tenth; bursts and pauses of some seconds; a disk that slowly becomes slower. If the remaining
//! files are of another kind than those that were done, a lower bound is shown instead of a time: the truth is longer
//! than that.

use super::*;
use hashmill_testing::Random;
use std::ops::Range as Span;

/// A simulated run: its files, in their order; the seconds for each file and byte; and its speed over time, relative to
/// the usual one.
struct Simulated {
    sizes: Vec<f64>,
    file: f64,
    byte: f64,
    speed: Box<dyn Fn(f64) -> f64>,
}

/// The estimates of a run, after its first tenth.
#[derive(Debug, Default)]
struct PaceEstimates {
    times: u32,
    bounds: u32,
    /// The error of the worst time, as a part of the truth; errors that whole seconds can't show are left out.
    worst: f64,
    /// The bound that exceeded the truth the most, as a part of it.
    broken: f64,
}

/// Returns a random number between the two, evenly distributed by its logarithm.
fn between(random: &mut Random, span: Span<f64>) -> f64 {
    let part = random.below(1 << 20) as f64 / f64::from(1 << 20);
    span.start * (span.end / span.start).powf(part)
}

fn files(random: &mut Random, number: Span<f64>, sizes: Span<f64>) -> Vec<f64> {
    (0..between(random, number) as usize).map(|_| between(random, sizes.clone())).collect()
}

fn shuffled(random: &mut Random, mut files: Vec<f64>) -> Vec<f64> {
    for last in (1..files.len()).rev() {
        files.swap(last, random.below(last + 1));
    }
    files
}

fn steady(sizes: Vec<f64>, file: f64, rate: f64) -> Simulated {
    Simulated { sizes, file, byte: 1.0 / rate, speed: Box::new(|_| 1.0) }
}

impl Simulated {
    fn total(&self) -> Work {
        Work { bytes: self.sizes.iter().sum::<f64>() as u64, files: self.sizes.len() as u64 }
    }

    /// Returns the seconds at the usual speed.
    fn usual(&self) -> f64 {
        self.sizes.iter().map(|size| self.file + self.byte * size).sum()
    }

    /// Returns the work done at every tenth of a second, until all is done.
    fn samples(&self) -> Vec<Work> {
        let (usual, mut samples) = (self.usual(), Vec::new());
        let (mut passed, mut begun, mut next, mut bytes) = (0.0, 0.0, 0, 0.0);
        while passed < usual {
            passed += 0.1 * (self.speed)(samples.len() as f64 / 10.0);
            while let Some(size) =
                self.sizes.get(next).filter(|size| begun + self.file + self.byte * **size <= passed)
            {
                begun += self.file + self.byte * size;
                bytes += size;
                next += 1;
            }
            let part = self
                .sizes
                .get(next)
                .map_or(0.0, |size| ((passed - begun - self.file) / self.byte).clamp(0.0, *size));
            samples.push(Work { bytes: (bytes + part) as u64, files: next as u64 });
        }
        samples
    }

    fn told(&self) -> PaceEstimates {
        let (samples, total) = (self.samples(), self.total());
        let (mut pace, mut told) = (Pace::default(), PaceEstimates::default());
        let every = (samples.len() / 60).max(5);
        for (number, done) in samples.iter().enumerate() {
            let now = (number + 1) as f64 / 10.0;
            pace.note(Duration::from_secs_f64(now), *done, total);
            let truth = samples.len() as f64 / 10.0 - now;
            if number % every != 0 || truth < 1.0 {
                continue;
            }
            let left =
                Work { bytes: total.bytes.saturating_sub(done.bytes), files: total.files - done.files };
            let left = pace.left(left);
            if now >= samples.len() as f64 / 100.0 {
                told.take(left, truth);
            }
        }
        told
    }
}

impl PaceEstimates {
    fn take(&mut self, left: Option<Left>, truth: f64) {
        match left {
            Some(Left::About(left)) => {
                self.times += 1;
                // Half a second is rounding, and a second is the shortest time shown.
                let off = ((left.as_secs_f64() - truth).abs() - 1.0).max(0.0) / truth;
                self.worst = self.worst.max(off);
            }
            Some(Left::AtLeast(bound)) => {
                self.bounds += 1;
                self.broken = self.broken.max((bound.as_secs_f64() - 1.0) / truth - 1.0);
            }
            None => self.bounds += 1,
        }
    }
}

/// Simulates runs of a family, and checks the displayed times: there must be one in at least this part of the readings.
fn holds(name: &str, often: f64, make: impl Fn(&mut Random) -> Simulated) {
    let (mut runs, mut times, mut bounds) = (0, 0, 0);
    for seed in 1..=40 {
        let run = make(&mut Random(seed));
        if runs == 6 || !(15.0..3000.0).contains(&run.usual()) {
            continue;
        }
        runs += 1;
        let told = run.told();
        assert!(told.worst <= TOLERANCE, "{name}, seed {seed}: {told:?}");
        assert!(told.broken <= TOLERANCE, "{name}, seed {seed}: {told:?}");
        (times, bounds) = (times + told.times, bounds + told.bounds);
    }
    assert!(runs >= 4, "{name}: {runs} runs");
    let part = f64::from(times) / f64::from(times + bounds);
    assert!(part >= often, "{name}: a time was told in {part:.2} of all looks");
}

// Any share of the time for files predicts the same, so only the rate must be estimated.
#[test]
fn equal_files() {
    holds("equal files", 0.99, |random| {
        let (number, size) = (between(random, 2e4..1e5) as usize, between(random, 1e3..1e5));
        steady(vec![size; number], between(random, 1e-4..2e-3), between(random, 2e7..2e9))
    });
}

#[test]
fn many_files_of_all_sizes() {
    holds("all sizes", 0.99, |random| {
        let sizes = files(random, 1e3..5e4, 1e2..1e7);
        steady(sizes, between(random, 1e-5..5e-3), between(random, 2e7..2e9))
    });
}

// A regression: "3 s left" was shown for such a run with 38 s to go.
#[test]
fn twenty_thousand_files_at_twenty_megabytes_a_second() {
    for last in [false, true] {
        holds("20,012 files", 0.95, |random| {
            let mut sizes = files(random, 19_999.0..20_001.0, 2e3..2e5);
            sizes.extend(files(random, 12.0..12.1, 1e7..5e7));
            let sizes = if last { sizes } else { shuffled(random, sizes) };
            steady(sizes, between(random, 1e-5..2e-4), 2e7)
        });
    }
}

// The cost of a byte is estimated from small files of different sizes. If they are too few, there is a bound.
#[test]
fn small_files_then_large_ones() {
    holds("small, then large", 0.7, |random| {
        let mut sizes = files(random, 1e4..1e5, 1e2..3e4);
        sizes.extend(files(random, 20.0..21.0, 1e9..1e10));
        steady(sizes, between(random, 1e-4..2e-3), between(random, 1e8..2e9))
    });
}

// The cost of a file is unknown before the small ones begin: until then there is mostly a bound.
#[test]
fn large_files_then_small_ones() {
    holds("large, then small", 0.3, |random| {
        let mut sizes = files(random, 20.0..21.0, 1e8..1e10);
        sizes.extend(files(random, 1e3..1e5, 1e2..3e4));
        steady(sizes, between(random, 1e-4..2e-3), between(random, 1e8..2e9))
    });
}

#[test]
fn a_few_large_files() {
    holds("few large", 0.99, |random| {
        steady(files(random, 1.0..30.0, 1e9..3e10), 1e-3, between(random, 1e8..2e9))
    });
}

// The weight of the start is soon small, as it depends on the square of the time.
#[test]
fn a_slow_start() {
    holds("slow start", 0.95, |random| {
        let sizes = files(random, 1e4..5e4, 1e4..1e7);
        let run = steady(sizes, between(random, 1e-5..2e-3), between(random, 5e7..5e8));
        let end = run.usual() * between(random, 0.005..0.04);
        Simulated { speed: Box::new(move |at| if at < end { 0.1 } else { 1.0 }), ..run }
    });
}

// Stretches have equal work, so that pauses make some longer, and their mean stays right.
#[test]
fn bursts() {
    holds("bursts", 0.9, |random| {
        let sizes = files(random, 1e4..5e4, 1e4..1e7);
        let run = steady(sizes, between(random, 1e-5..2e-3), between(random, 5e7..5e8));
        let (every, slow) = (between(random, 0.5..(run.usual() / 20.0).min(4.0)), between(random, 0.1..0.5));
        let speed = move |at: f64| if (at / every).fract() < 0.5 { slow } else { 1.0 };
        Simulated { speed: Box::new(speed), ..run }
    });
}

// Disks are slower towards their middle.
#[test]
fn a_disk_that_becomes_slower() {
    holds("slower", 0.99, |random| {
        let run = steady(files(random, 1e2..5e2, 1e8..1e9), 1e-3, between(random, 1e8..5e8));
        let all = run.usual();
        Simulated { speed: Box::new(move |at| 1.0 - 0.4 * at / all / 1.3), ..run }
    });
}

#[test]
fn a_sudden_change_is_foretold_by_nobody_but_learnt() {
    let run = steady(vec![1e7; 2000], 1e-4, 1e8);
    let run = Simulated { speed: Box::new(|at| if at < 60.0 { 1.0 } else { 0.25 }), ..run };
    let (samples, total) = (run.samples(), run.total());
    let end = samples.len() as f64 / 10.0;
    let mut pace = Pace::default();
    for (number, done) in samples.iter().enumerate() {
        let now = (number + 1) as f64 / 10.0;
        pace.note(Duration::from_secs_f64(now), *done, total);
        let left = Work { bytes: total.bytes - done.bytes, files: total.files - done.files };
        let Some(Left::About(left)) = pace.left(left) else { continue };
        let off = (left.as_secs_f64() - (end - now)).abs() / (end - now).max(3.0);
        assert!(now < 60.0 && off < 0.85 || now < end * 0.6 || off <= TOLERANCE, "{off} at {now} of {end}");
    }
}

fn work(bytes: u64, files: u64) -> Work {
    Work { bytes, files }
}

#[test]
fn nothing_is_told_at_the_start_nor_while_nothing_moves() {
    let mut pace = Pace::default();
    assert_eq!(pace.left(work(1, 1)), None);
    pace.note(Duration::from_secs(5), work(0, 0), work(1, 1));
    assert_eq!(pace.left(work(1, 1)), None);
    let mut pace = Pace::default();
    for tenth in 1..20 {
        pace.note(Duration::from_millis(tenth * 100), work(tenth * 1000, tenth), work(100_000, 100));
        assert_eq!(pace.left(work(100_000 - tenth * 1000, 100 - tenth)), None, "{tenth}");
    }
    pace.note(Duration::from_secs(2), work(20_000, 20), work(100_000, 100));
    assert_eq!(pace.left(work(80_000, 80)), Some(Left::About(Duration::from_secs(8))));
}

#[test]
fn rates_are_those_of_the_last_seconds_and_of_all() {
    let mut pace = Pace::default();
    let mut done = 0;
    for second in 1..=100 {
        done += if second <= 50 { 1000 } else { 100 };
        pace.note(Duration::from_secs(second), work(done, second), work(100_000, 1000));
    }
    assert_eq!((pace.recent().round(), pace.overall().round()), (100.0, 550.0));
}

#[test]
fn what_is_told_is_as_exact_as_can_be_known() {
    for (left, wanted) in
        [(0.2, 1), (2.2, 2), (12.4, 12), (23.0, 25), (61.0, 60), (601.0, 600), (4000.0, 4200)]
    {
        assert_eq!(rounded(left).as_secs(), wanted);
    }
}
