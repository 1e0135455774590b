//! The result of `bench cycles`.

use super::settings::{CyclesSettings, Reference};
use crate::implementation::Origin;
use crate::measure::clock::Clock;
use hashmill_digest::find;
use serde::{Deserialize, Serialize};

/// The row of one implementation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CyclesRow {
    /// The algorithm; `null-nop` and `null-memcpy` do not hash.
    pub algo: String,
    /// The implementation; empty if nothing is hashed.
    pub implementation: String,
    /// The origin of its code.
    pub origin: Origin,
    /// The number of blocks that it hashes at once.
    pub lanes: usize,
    /// The block size in bytes.
    pub block_bytes: usize,
    /// The number of blocks hashed: a multiple of the lanes.
    pub iterations: u64,
    /// The total time in nanoseconds.
    pub nanoseconds: u64,
    /// Ticks of the time-stamp counter in that time.
    pub ticks: Option<u64>,
    /// Cycles that the core executed in user mode in that time.
    pub core_cycles: Option<u64>,
    /// The one of these two that [`CyclesSummary::counted`] names.
    pub cycles: Option<u64>,
    /// The cycles for one block.
    pub cycles_per_iteration: Option<f64>,
    /// The cycles for one byte.
    pub cycles_per_byte: Option<f64>,
    /// The time for one block.
    pub ns_per_iteration: f64,
    /// Half of the 95 % confidence interval of this time.
    pub ns_per_iteration_ci95: Option<f64>,
    /// The time for one block in each round, in order: the samples of the interval.
    #[serde(default)]
    pub ns_per_iteration_samples: Vec<f64>,
    /// Processor time in that time in seconds, if available; its resolution is up to some milliseconds.
    #[serde(default)]
    pub processor_s: Option<f64>,
    /// The time for one byte.
    pub ns_per_byte: f64,
    /// The rate; 1 MiB is 1,048,576 bytes.
    pub mib_per_second: f64,
    /// Whether every checked digest was right. If not, the row is not ranked.
    pub digest_right: bool,
    /// The cost divided by that of the reference.
    pub perf_vs: Option<f64>,
}

/// The counter of the cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    /// Cycles that the core executed, by performance events.
    CoreCycles,
    /// Ticks of the time-stamp counter.
    Ticks,
    /// None: only time is available.
    Nothing,
}

/// The summary of the rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CyclesSummary {
    /// The counter of the cycles.
    pub counted: Counted,
    /// The measured rate of the time-stamp counter.
    pub ticks_per_second: Option<f64>,
    /// The block size in bytes.
    pub block_bytes: usize,
    /// The requested number of blocks for each implementation.
    pub iterations: u64,
    /// The seed of the order of turns, which is shuffled in each round.
    #[serde(default)]
    pub seed: u64,
    /// The reference of the ratios; `None` if it was not measured.
    pub reference: Option<Reference>,
}

/// Rows with their ratios, and the summary.
pub(super) struct Settled {
    pub rows: Vec<CyclesRow>,
    pub summary: CyclesSummary,
    pub warnings: Vec<String>,
}

impl Counted {
    /// Returns the unit of the cost of a byte, for people.
    pub(super) fn a_byte(self) -> &'static str {
        match self {
            Counted::CoreCycles => "cycles/B",
            Counted::Ticks => "TSC ticks/B",
            Counted::Nothing => "ns/B",
        }
    }

    /// Returns the counter of this clock.
    pub fn by(clock: &dyn Clock) -> Counted {
        match (clock.core_cycles(), clock.ticks()) {
            (Some(_), _) => Counted::CoreCycles,
            (None, Some(_)) => Counted::Ticks,
            (None, None) => Counted::Nothing,
        }
    }
}

impl CyclesRow {
    /// Returns the cost of a block: cycles, or nanoseconds if none were counted.
    pub(super) fn cost(&self) -> f64 {
        self.cycles_per_iteration.unwrap_or(self.ns_per_iteration)
    }

    pub(super) fn is(&self, reference: &Reference) -> bool {
        let same = reference.implementation.as_ref().is_none_or(|name| self.implementation == *name);
        self.algo == reference.algo && same && self.digest_right
    }

    /// Returns the usual spelling: `BLAKE2b`, `NULL-NOP`, `ssdeep`.
    pub(super) fn name(&self) -> String {
        match find(&self.algo) {
            Ok(algorithm) => algorithm.tag.to_string(),
            Err(_) if self.origin == Origin::Calibration => self.algo.to_uppercase(),
            Err(_) => self.algo.clone(),
        }
    }
}

impl Settled {
    pub(super) fn from_rows(
        mut rows: Vec<CyclesRow>,
        settings: &CyclesSettings,
        clock: &dyn Clock,
    ) -> Settled {
        let reference = rows.iter().find(|row| row.is(&settings.reference)).cloned();
        for row in rows.iter_mut().filter(|row| row.origin != Origin::Calibration && row.digest_right) {
            row.perf_vs = reference.as_ref().map(|reference| row.cost() / reference.cost());
        }
        let wrong = rows.iter().filter(|row| !row.digest_right);
        let warnings = wrong.map(|row| {
            format!("{} {} gave a wrong digest: its row is not ranked", row.algo, row.implementation)
        });
        let warnings = warnings.collect();
        let named = |row: &CyclesRow| Reference {
            algo: row.algo.clone(),
            implementation: Some(row.implementation.clone()),
        };
        let summary = CyclesSummary {
            counted: Counted::by(clock),
            ticks_per_second: clock.ticks_per_second(),
            block_bytes: settings.block,
            iterations: settings.iterations,
            seed: settings.seed,
            reference: reference.as_ref().map(named),
        };
        Settled { rows, summary, warnings }
    }
}
