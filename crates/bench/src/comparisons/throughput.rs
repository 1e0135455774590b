//! `bench throughput`: short messages per second, on one thread and on many, in single calls and batches, with the
//! processor's special instructions and without.

mod candidate;
mod chart;
mod gate;
mod pow;
mod result;
mod settings;
mod verify;
mod view;

pub use candidate::Mode;
pub use pow::{POW, pow};
pub use result::{Speedup, ThroughputRow, ThroughputSummary};
pub use settings::{Code, ThroughputSettings};
pub use verify::{Disagreement, Verified, verify};
pub use view::Throughput;

use crate::implementation::empty;
use crate::measure::stats;
use crate::{Clock, Control, Draw};
use candidate::Candidate;
use gate::Gate;
use hashmill_digest::{Digest, hash};
use std::hint::black_box;
use std::io;
use std::thread;
use std::time::Duration;

/// The number of turns that a row's time is divided into; all rows take turns.
const ROUNDS: u32 = 5;

/// The approximate interval at which a thread reads the clock.
const LOOK: Duration = Duration::from_millis(1);

/// The measurements.
#[derive(Debug)]
pub struct ThroughputMeasurements {
    /// A row for each algorithm, mode and number of threads that was measured at all.
    pub rows: Vec<ThroughputRow>,
    /// The summary.
    pub summary: ThroughputSummary,
    /// Warnings about the figures.
    pub warnings: Vec<String>,
    /// Whether it was stopped.
    pub interrupted: bool,
}

/// The work of all threads in one turn.
#[derive(Debug, Clone, Copy)]
struct Tally {
    hashes: u64,
    time: Duration,
    processor: Option<Duration>,
    right: bool,
}

/// Measures all rows.
///
/// # Errors
/// If a thread can't be started.
pub fn run(settings: &ThroughputSettings, control: &mut Control<'_>) -> io::Result<ThroughputMeasurements> {
    let candidates = Candidate::all(settings);
    let mut lineup: Vec<(&Candidate, usize, Vec<Tally>)> = Vec::new();
    for threads in &settings.threads {
        lineup.extend(candidates.iter().map(|candidate| (candidate, *threads, Vec::new())));
    }
    let mut draw = Draw::from_seed(settings.seed);
    let mut interrupted = false;
    'rounds: for round in 1..=ROUNDS {
        control.look();
        for at in draw.order(lineup.len()) {
            let (candidate, threads, tallies) = &mut lineup[at];
            if (control.stop)() {
                interrupted = true;
                break 'rounds;
            }
            (control.tell)(&format!("round {round} of {ROUNDS}: {} on {threads} threads", candidate.title()));
            tallies.push(turn(candidate, *threads, settings, control)?);
        }
    }
    control.look();
    interrupted |= (control.stop)();
    let measured = lineup.iter().filter(|(_, _, tallies)| tallies.iter().any(|tally| tally.hashes > 0));
    let rows =
        measured.map(|(candidate, threads, tallies)| row(candidate, *threads, settings, tallies)).collect();
    let (rows, summary, warnings) = result::settle(rows, settings.seed);
    Ok(ThroughputMeasurements { rows, summary, warnings, interrupted })
}

/// Runs all threads at once, for a part of the time.
fn turn(
    candidate: &Candidate,
    threads: usize,
    settings: &ThroughputSettings,
    control: &Control<'_>,
) -> io::Result<Tally> {
    let (clock, stop, time) = (control.clock, control.stop, settings.duration / ROUNDS);
    let gate = Gate::new(threads);
    let processor = clock.processor();
    let work = || {
        let mut worker = Worker::new(candidate, settings.input_bytes);
        gate.pass().then(|| worker.work(time, clock, stop))
    };
    let tallies: Vec<Tally> = thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).map_err(named);
        let others: io::Result<Vec<_>> = (1..threads).map(start).collect();
        // If one can't be started, the others need not wait for it.
        let others = others.inspect_err(|_| gate.close())?;
        let own = work();
        let others = others.into_iter().map(|other| other.join().expect("a worker does not panic"));
        Ok::<_, io::Error>([own].into_iter().chain(others).flatten().collect())
    })?;
    let processor = clock.processor().zip(processor).map(|(after, before)| after.saturating_sub(before));
    Ok(Tally {
        processor,
        hashes: tallies.iter().map(|tally| tally.hashes).sum(),
        time: tallies.iter().map(|tally| tally.time).max().unwrap_or_default(),
        right: tallies.iter().all(|tally| tally.right),
    })
}

fn named(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot start a thread: {error}"))
}

struct Worker {
    implementation: crate::implementation::Implementation,
    messages: Vec<Vec<u8>>,
    digests: Vec<Digest>,
}

impl Worker {
    fn new(candidate: &Candidate, bytes: usize) -> Worker {
        let implementation = candidate.make();
        // Each lane has its own message.
        let message = |lane: usize| (0..bytes).map(|at| (at * 131 + lane * 29 + 7) as u8).collect();
        let messages: Vec<Vec<u8>> = (0..candidate.batch).map(message).collect();
        Worker { implementation, digests: vec![empty(); messages.len()], messages }
    }

    fn work(&mut self, time: Duration, clock: &dyn Clock, stop: &dyn Fn() -> bool) -> Tally {
        let messages: Vec<&[u8]> = self.messages.iter().map(Vec::as_slice).collect();
        let start = clock.now();
        let (mut calls, mut done, mut last) = (1_u64, 0, Duration::ZERO);
        loop {
            for _ in 0..calls {
                self.implementation.hash(black_box(&messages), &mut self.digests);
                black_box(&self.digests);
            }
            done += calls;
            let now = clock.now().saturating_sub(start);
            if now >= time || stop() {
                let hashes = done * messages.len() as u64;
                return Tally { hashes, time: now, processor: None, right: self.right() };
            }
            if now - last < LOOK {
                calls *= 2;
            }
            last = now;
        }
    }

    fn right(&self) -> bool {
        let algorithm = self.implementation.algorithm;
        let wanted = self.messages.iter().map(|message| hash(algorithm, message));
        wanted.eq(self.digests.iter().copied())
    }
}

fn row(
    candidate: &Candidate,
    threads: usize,
    settings: &ThroughputSettings,
    tallies: &[Tally],
) -> ThroughputRow {
    let hashes: u64 = tallies.iter().map(|tally| tally.hashes).sum();
    let seconds = tallies.iter().map(|tally| tally.time).sum::<Duration>().as_secs_f64();
    let rates: Vec<f64> =
        tallies.iter().map(|tally| tally.hashes as f64 / tally.time.as_secs_f64()).collect();
    ThroughputRow {
        algo: candidate.algorithm.name.to_string(),
        implementation: candidate.name.clone(),
        mode: candidate.mode,
        portable: candidate.is_portable(),
        batch: candidate.batch,
        threads,
        input_bytes: settings.input_bytes,
        duration_s: seconds,
        total_hashes: hashes,
        hashes_per_sec: hashes as f64 / seconds,
        hashes_per_sec_ci95: stats::Statistics::from_sample(&rates).and_then(|summary| summary.ci95),
        hashes_per_sec_samples: rates,
        processor_s: tallies
            .iter()
            .map(|tally| tally.processor)
            .sum::<Option<Duration>>()
            .map(|time| time.as_secs_f64()),
        ns_per_hash: seconds * 1e9 / hashes as f64,
        digest_right: tallies.iter().all(|tally| tally.right),
    }
}

#[cfg(test)]
mod tests;
