//! The result of `bench cycles`.

use super::settings::{Reference, Settings};
use crate::clock::Clock;
use crate::implementation::Origin;
use hashloom_digest::find;
use serde::{Deserialize, Serialize};

/// One implementation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The algorithm; `null-nop` and `null-memcpy` do not hash.
    pub algo: String,
    /// Its implementation; empty where nothing is hashed.
    pub implementation: String,
    /// Whose code it is.
    pub origin: Origin,
    /// How many blocks it hashes at once.
    pub lanes: usize,
    /// Bytes of a block.
    pub block_bytes: usize,
    /// Blocks that were hashed: a multiple of the lanes.
    pub iterations: u64,
    /// All of them together.
    pub nanoseconds: u64,
    /// Ticks of the time-stamp counter meanwhile.
    pub ticks: Option<u64>,
    /// Cycles that the core ran meanwhile, in user mode.
    pub core_cycles: Option<u64>,
    /// Whichever of the two the summary says was counted.
    pub cycles: Option<u64>,
    /// For one block.
    pub cycles_per_iteration: Option<f64>,
    /// For one byte of it.
    pub cycles_per_byte: Option<f64>,
    /// For one block.
    pub ns_per_iteration: f64,
    /// The true time lies so far from it at most, with a confidence of 95 %.
    pub ns_per_iteration_ci95: Option<f64>,
    /// That of each round, in the order of rounds: the interval follows from these.
    #[serde(default)]
    pub ns_per_iteration_samples: Vec<f64>,
    /// Seconds of processors meanwhile, where the system tells; it counts in steps of up to some milliseconds.
    #[serde(default)]
    pub processor_s: Option<f64>,
    /// For one byte.
    pub ns_per_byte: f64,
    /// 1,048,576 bytes a second.
    pub mib_per_second: f64,
    /// Every digest that was compared was right. If not, the row is not ranked.
    pub digest_right: bool,
    /// Cost over that of the reference.
    pub perf_vs: Option<f64>,
}

/// The counter that gives cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    /// Cycles that the core really ran, by performance events.
    CoreCycles,
    /// Ticks of the time-stamp counter.
    Ticks,
    /// Nothing: there is only time.
    Nothing,
}

/// With what it was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The counter that gives cycles.
    pub counted: Counted,
    /// Ticks of the time-stamp counter a second, measured.
    pub ticks_per_second: Option<f64>,
    /// Bytes of a block.
    pub block_bytes: usize,
    /// Blocks that each implementation was asked to hash.
    pub iterations: u64,
    /// The number that the order of turns follows from: in each round it is drawn anew.
    #[serde(default)]
    pub seed: u64,
    /// What others are compared with; none if it was not measured.
    pub reference: Option<Reference>,
}

/// Rows with their ratios.
pub(super) struct Settled {
    pub rows: Vec<Row>,
    pub summary: Summary,
    pub warnings: Vec<String>,
}

impl Counted {
    /// What the cost of a byte is in, for people.
    pub(super) fn a_byte(self) -> &'static str {
        match self {
            Counted::CoreCycles => "cycles/B",
            Counted::Ticks => "TSC ticks/B",
            Counted::Nothing => "ns/B",
        }
    }

    /// The counter of this clock.
    pub fn by(clock: &dyn Clock) -> Counted {
        match (clock.core_cycles(), clock.ticks()) {
            (Some(_), _) => Counted::CoreCycles,
            (None, Some(_)) => Counted::Ticks,
            (None, None) => Counted::Nothing,
        }
    }
}

impl Row {
    /// What a block costs: cycles, or nanoseconds where none were counted.
    pub(super) fn cost(&self) -> f64 {
        self.cycles_per_iteration.unwrap_or(self.ns_per_iteration)
    }

    pub(super) fn is(&self, reference: &Reference) -> bool {
        let same = reference.implementation.as_ref().is_none_or(|name| self.implementation == *name);
        self.algo == reference.algo && same && self.digest_right
    }

    /// As the world writes it: `BLAKE2b`, `NULL-NOP`, `ssdeep`.
    pub(super) fn name(&self) -> String {
        match find(&self.algo) {
            Ok(algorithm) => algorithm.tag.to_string(),
            Err(_) if self.origin == Origin::Calibration => self.algo.to_uppercase(),
            Err(_) => self.algo.clone(),
        }
    }
}

impl Settled {
    pub(super) fn of(mut rows: Vec<Row>, settings: &Settings, clock: &dyn Clock) -> Settled {
        let reference = rows.iter().find(|row| row.is(&settings.reference)).cloned();
        for row in rows.iter_mut().filter(|row| row.origin != Origin::Calibration && row.digest_right) {
            row.perf_vs = reference.as_ref().map(|reference| row.cost() / reference.cost());
        }
        let wrong = rows.iter().filter(|row| !row.digest_right);
        let warnings = wrong.map(|row| {
            format!("{} {} gave a wrong digest: its row is not ranked", row.algo, row.implementation)
        });
        let warnings = warnings.collect();
        let named = |row: &Row| Reference {
            algo: row.algo.clone(),
            implementation: Some(row.implementation.clone()),
        };
        let summary = Summary {
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
