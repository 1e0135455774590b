//! `bench cycles`: what a block costs, in cycles and in time, in every implementation.
//!
//! As the program `hash-speedtest` of btrfs-progs does it: an iteration fills the block with its number and
//! hashes it, and two rows that do not hash show what filling and calling cost.

mod chart;
mod contestant;
mod result;
mod settings;
mod view;

pub use result::{Counted, Row, Summary};
pub use settings::{Reference, Settings};
pub use view::Cycles;

use crate::stats;
use crate::{Clock, Conduct};
use contestant::Contestant;
use result::Settled;
use std::time::Duration;

/// All contestants take turns so often, so that a machine whose speed drifts is unjust to none.
const ROUNDS: u64 = 10;

/// What was measured.
#[derive(Debug)]
pub struct Measured {
    /// A row for each implementation that was measured at all.
    pub rows: Vec<Row>,
    /// What follows.
    pub summary: Summary,
    /// What is wrong with the figures.
    pub warnings: Vec<String>,
    /// It was stopped.
    pub interrupted: bool,
}

/// One turn of one contestant.
#[derive(Debug, Clone, Copy)]
struct Turn {
    iterations: u64,
    time: Duration,
    ticks: Option<u64>,
    core_cycles: Option<u64>,
}

/// Measures all implementations.
pub fn run(settings: &Settings, conduct: &mut Conduct<'_>) -> Measured {
    let mut contestants = Contestant::all(&settings.algorithms, settings.block);
    compete(settings, &mut contestants, conduct)
}

fn compete(settings: &Settings, contestants: &mut [Contestant], conduct: &mut Conduct<'_>) -> Measured {
    let mut turns: Vec<Vec<Turn>> = vec![Vec::new(); contestants.len()];
    contestants.iter_mut().for_each(Contestant::check);
    let mut interrupted = false;
    let rounds = ROUNDS.min(settings.iterations);
    'rounds: for round in 0..rounds {
        conduct.look();
        for (contestant, turns) in contestants.iter_mut().zip(&mut turns) {
            if (conduct.stop)() {
                interrupted = true;
                break 'rounds;
            }
            (conduct.tell)(&format!("round {} of {rounds}: {}", round + 1, contestant.title()));
            let share = settings.iterations * (round + 1) / rounds - settings.iterations * round / rounds;
            turns.push(turn(contestant, share, conduct.clock));
        }
    }
    conduct.look();
    let counted = Counted::by(conduct.clock);
    let rows = contestants.iter().zip(&turns).filter(|(_, turns)| !turns.is_empty());
    let rows = rows.map(|(contestant, turns)| row(contestant, turns, counted)).collect();
    let Settled { rows, summary, warnings } = Settled::of(rows, settings, conduct.clock);
    Measured { rows, summary, warnings, interrupted }
}

fn turn(contestant: &mut Contestant, iterations: u64, clock: &dyn Clock) -> Turn {
    let batches = iterations.div_ceil(contestant.lanes() as u64);
    let before = (clock.core_cycles(), clock.ticks(), clock.now());
    for batch in 0..batches {
        contestant.go(batch as u8);
    }
    let after = (clock.now(), clock.ticks(), clock.core_cycles());
    contestant.check_last(batches.wrapping_sub(1) as u8);
    Turn {
        iterations: batches * contestant.lanes() as u64,
        time: after.0.saturating_sub(before.2),
        ticks: difference(before.1, after.1),
        core_cycles: difference(before.0, after.2),
    }
}

fn difference(before: Option<u64>, after: Option<u64>) -> Option<u64> {
    Some(after?.wrapping_sub(before?))
}

fn row(contestant: &Contestant, turns: &[Turn], counted: Counted) -> Row {
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
    let block = contestant.block() as f64;
    let per_iteration = |total: f64| total / iterations as f64;
    let nanoseconds = per_iteration(time.as_nanos() as f64);
    Row {
        algo: contestant.algo().to_string(),
        implementation: contestant.implementation().to_string(),
        origin: contestant.origin(),
        lanes: contestant.lanes(),
        block_bytes: contestant.block(),
        iterations,
        nanoseconds: u64::try_from(time.as_nanos()).unwrap_or(u64::MAX),
        ticks,
        core_cycles,
        cycles,
        cycles_per_iteration: cycles.map(|total| per_iteration(total as f64)),
        cycles_per_byte: cycles.map(|total| per_iteration(total as f64) / block),
        ns_per_iteration: nanoseconds,
        ns_per_iteration_ci95: stats::Summary::of(&each).and_then(|summary| summary.ci95),
        ns_per_byte: nanoseconds / block,
        mib_per_second: block / nanoseconds * 1e9 / f64::from(1 << 20),
        digest_right: contestant.right(),
        perf_vs: None,
    }
}

#[cfg(test)]
mod tests;
