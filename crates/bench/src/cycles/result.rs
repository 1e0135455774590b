//! What `bench cycles` found, as a document and for people.

use super::Settings;
use crate::comparison::Comparison;
use crate::implementation::Origin;
use crate::view::{Cell, Column, Table, View};
use crate::{Clock, Document};
use hashloom_digest::find;
use serde::{Deserialize, Serialize};

/// What a block costs in every implementation.
pub struct Cycles;

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
    /// For one byte.
    pub ns_per_byte: f64,
    /// 1,048,576 bytes a second.
    pub mib_per_second: f64,
    /// Every digest that was compared was right. If not, the row is not ranked.
    pub digest_right: bool,
    /// Cost over that of the reference.
    pub perf_vs: Option<f64>,
}

/// What is counted as a cycle.
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

/// What others are compared with: an algorithm, and which of its implementations; none: the one for one
/// message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The algorithm.
    pub algo: String,
    /// The implementation.
    pub implementation: Option<String>,
}

/// With what it was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// What is counted as a cycle.
    pub counted: Counted,
    /// Ticks of the time-stamp counter a second, measured.
    pub ticks_per_second: Option<f64>,
    /// Bytes of a block.
    pub block_bytes: usize,
    /// Blocks that each implementation was asked to hash.
    pub iterations: u64,
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
    /// What this clock counts.
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
    fn cost(&self) -> f64 {
        self.cycles_per_iteration.unwrap_or(self.ns_per_iteration)
    }

    fn is(&self, reference: &Reference) -> bool {
        let same = reference.implementation.as_ref().is_none_or(|name| self.implementation == *name);
        self.algo == reference.algo && same && self.digest_right
    }

    /// As the world writes it: `BLAKE2b`, `NULL-NOP`.
    pub(super) fn name(&self) -> String {
        find(&self.algo).map_or_else(|_| self.algo.to_uppercase(), |algorithm| algorithm.tag.to_string())
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
            reference: reference.as_ref().map(named),
        };
        Settled { rows, summary, warnings }
    }
}

impl Summary {
    fn unit(&self) -> String {
        let rate = self.ticks_per_second.map(|rate| format!("{:.1} MHz, measured", rate / 1e6));
        let rate = rate.unwrap_or_default();
        match self.counted {
            Counted::CoreCycles => "cycles that the core ran, by performance events".to_string(),
            Counted::Ticks => format!("ticks of the time-stamp counter ({rate})"),
            Counted::Nothing => "time alone: this machine has no counter of cycles".to_string(),
        }
    }
}

impl Comparison for Cycles {
    const NAME: &'static str = "cycles";
    type Row = Row;
    type Summary = Summary;

    fn view(document: &Document<Row, Summary>) -> View {
        let summary = &document.summary;
        let notes = vec![
            format!("Block size: {}", summary.block_bytes),
            format!("Iterations: {}", summary.iterations),
            format!("Units: {}", summary.unit()),
        ];
        let mut tables = vec![costs(document)];
        tables.extend(matrix(&document.rows));
        let charts = super::chart::charts(&document.rows, summary.counted);
        View { title: "Cycles for a block".to_string(), notes, tables, charts }
    }
}

fn costs(document: &Document<Row, Summary>) -> Table {
    let reference = document.summary.reference.as_ref();
    let against = document.rows.iter().find(|row| reference.is_some_and(|reference| row.is(reference)));
    let columns = [
        Column::text("algorithm"),
        Column::text("implementation"),
        Column::number("lanes", ""),
        Column::number("cycles", ""),
        Column::number("cycles/i", ""),
        Column::number("cycles/B", ""),
        Column::number("ns/i", ""),
        Column::number("±", "ns"),
        Column::number("ns/B", ""),
        Column::number("MiB/s", ""),
        Column::number(against.map_or("perf".to_string(), |row| format!("perf vs {}", row.name())), ""),
    ];
    let mut table = Table::new("", columns);
    for row in &document.rows {
        table.push([
            row.name().into(),
            row.implementation.as_str().into(),
            row.lanes.into(),
            row.cycles.map_or(Cell::Empty, Cell::from),
            (row.cycles_per_iteration, 0).into(),
            (row.cycles_per_byte, 3).into(),
            Cell::Number(row.ns_per_iteration, 1),
            (row.ns_per_iteration_ci95, 1).into(),
            Cell::Number(row.ns_per_byte, 4),
            Cell::Number(row.mib_per_second, 1),
            ratio(row),
        ]);
    }
    table
}

fn ratio(row: &Row) -> Cell {
    match row.perf_vs {
        Some(ratio) => compared(ratio).into(),
        None if !row.digest_right => "wrong digest".into(),
        None => Cell::Empty,
    }
}

/// `1.141 (+14 %)`.
fn compared(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    if percent.abs() < 0.5 { format!("{ratio:.3}") } else { format!("{ratio:.3} ({percent:+.0} %)") }
}

/// Each algorithm for one message over each other; none if there is one alone, or more than fit on a screen.
fn matrix(rows: &[Row]) -> Option<Table> {
    const MOST: usize = 8;
    let ranked = |row: &&Row| row.origin != Origin::Calibration && row.digest_right && row.lanes == 1;
    let mut firsts: Vec<&Row> = Vec::new();
    for row in rows.iter().filter(ranked) {
        if firsts.iter().all(|first| first.algo != row.algo) {
            firsts.push(row);
        }
    }
    if !(2..=MOST).contains(&firsts.len()) {
        return None;
    }
    let columns = firsts.iter().map(|row| Column::number(row.name(), ""));
    let caption = "perf vs: the cost of the row over that of the column, one message at a time";
    let mut table = Table::new(caption, [Column::text("")].into_iter().chain(columns));
    for row in &firsts {
        let ratios = firsts.iter().map(|column| compared(row.cost() / column.cost()).into());
        table.push([row.name().into()].into_iter().chain(ratios));
    }
    Some(table)
}
