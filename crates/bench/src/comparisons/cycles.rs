//! `bench cycles`: the cost of a block in cycles and time, for every implementation.
//!
//! Follows the program `hash-speedtest` of btrfs-progs: an iteration fills the block with its number and hashes it, and
//! two rows without hashing show the cost of filling and calling.

mod candidate;
mod chart;
mod result;
mod settings;
mod view;

pub use result::{Counted, CyclesRow, CyclesSummary};
pub use settings::{CyclesSettings, Reference};
pub use view::Cycles;

use crate::measure::stats;
use crate::{Clock, Control, Draw};
use candidate::Candidate;
use result::Settled;
use std::time::Duration;

/// The number of turns of each candidate. All take turns, so that drift of the machine affects all alike.
const ROUNDS: u64 = 10;

/// The measurements.
#[derive(Debug)]
pub struct CycleMeasurements {
    /// A row for each implementation that was measured at all.
    pub rows: Vec<CyclesRow>,
    /// The summary.
    pub summary: CyclesSummary,
    /// Warnings about the figures.
    pub warnings: Vec<String>,
    /// Whether it was stopped.
    pub interrupted: bool,
}

#[derive(Debug, Clone, Copy)]
struct Turn {
    iterations: u64,
    time: Duration,
    ticks: Option<u64>,
    core_cycles: Option<u64>,
    processor: Option<Duration>,
}

/// Measures all implementations.
pub fn run(settings: &CyclesSettings, control: &mut Control<'_>) -> CycleMeasurements {
    let mut candidates = Candidate::all(&settings.algorithms, &settings.likeness, settings.block);
    compete(settings, &mut candidates, control)
}

fn compete(
    settings: &CyclesSettings,
    candidates: &mut [Candidate],
    control: &mut Control<'_>,
) -> CycleMeasurements {
    let mut turns: Vec<Vec<Turn>> = vec![Vec::new(); candidates.len()];
    candidates.iter_mut().for_each(Candidate::check);
    let mut interrupted = false;
    let mut draw = Draw::from_seed(settings.seed);
    let rounds = ROUNDS.min(settings.iterations);
    'rounds: for round in 0..rounds {
        control.look();
        for at in draw.order(candidates.len()) {
            let (candidate, turns) = (&mut candidates[at], &mut turns[at]);
            if (control.stop)() {
                interrupted = true;
                break 'rounds;
            }
            (control.tell)(&format!("round {} of {rounds}: {}", round + 1, candidate.title()));
            let share = settings.iterations * (round + 1) / rounds - settings.iterations * round / rounds;
            turns.push(turn(candidate, share, control.clock));
        }
    }
    control.look();
    let counted = Counted::by(control.clock);
    let rows = candidates.iter().zip(&turns).filter(|(_, turns)| !turns.is_empty());
    let rows = rows.map(|(candidate, turns)| row(candidate, turns, counted)).collect();
    let Settled { rows, summary, warnings } = Settled::from_rows(rows, settings, control.clock);
    CycleMeasurements { rows, summary, warnings, interrupted }
}

fn turn(candidate: &mut Candidate, iterations: u64, clock: &dyn Clock) -> Turn {
    let batches = iterations.div_ceil(candidate.lanes() as u64);
    let processor = clock.processor();
    let before = (clock.core_cycles(), clock.ticks(), clock.now());
    for batch in 0..batches {
        candidate.go(batch as u8);
    }
    let after = (clock.now(), clock.ticks(), clock.core_cycles());
    let processor = clock.processor().zip(processor).map(|(after, before)| after.saturating_sub(before));
    candidate.check_last(batches.wrapping_sub(1) as u8);
    Turn {
        iterations: batches * candidate.lanes() as u64,
        time: after.0.saturating_sub(before.2),
        ticks: difference(before.1, after.1),
        core_cycles: difference(before.0, after.2),
        processor,
    }
}

fn difference(before: Option<u64>, after: Option<u64>) -> Option<u64> {
    Some(after?.wrapping_sub(before?))
}

fn row(candidate: &Candidate, turns: &[Turn], counted: Counted) -> CyclesRow {
    let iterations: u64 = turns.iter().map(|turn| turn.iterations).sum();
    let time: Duration = turns.iter().map(|turn| turn.time).sum();
    let sum = |count: fn(&Turn) -> Option<u64>| turns.iter().map(count).sum::<Option<u64>>();
    let (ticks, core_cycles) = (sum(|turn| turn.ticks), sum(|turn| turn.core_cycles));
    let each = |turn: &Turn| turn.time.as_nanos() as f64 / turn.iterations as f64;
    let each: Vec<f64> = turns.iter().map(each).collect();
    let cycles = match counted {
        Counted::CoreCycles => core_cycles,
        Counted::Ticks => ticks,
        Counted::Nothing => None,
    };
    let block = candidate.block() as f64;
    let per_iteration = |total: f64| total / iterations as f64;
    let nanoseconds = per_iteration(time.as_nanos() as f64);
    CyclesRow {
        algo: candidate.algo().to_string(),
        implementation: candidate.implementation().to_string(),
        origin: candidate.origin(),
        lanes: candidate.lanes(),
        block_bytes: candidate.block(),
        iterations,
        nanoseconds: u64::try_from(time.as_nanos()).unwrap_or(u64::MAX),
        ticks,
        core_cycles,
        cycles,
        cycles_per_iteration: cycles.map(|total| per_iteration(total as f64)),
        cycles_per_byte: cycles.map(|total| per_iteration(total as f64) / block),
        ns_per_iteration: nanoseconds,
        ns_per_iteration_ci95: stats::Statistics::from_sample(&each).and_then(|summary| summary.ci95),
        ns_per_iteration_samples: each,
        processor_s: turns
            .iter()
            .map(|turn| turn.processor)
            .sum::<Option<Duration>>()
            .map(|time| time.as_secs_f64()),
        ns_per_byte: nanoseconds / block,
        mib_per_second: block / nanoseconds * 1e9 / f64::from(1 << 20),
        digest_right: candidate.right(),
        perf_vs: None,
    }
}

#[cfg(test)]
mod tests;
