//! The view of `bench cycles`.

use super::chart::charts;
use super::result::{Counted, CyclesRow, CyclesSummary};
use crate::comparison::Comparison;
use crate::document::Document;
use crate::implementation::Origin;
use crate::view::View;
use hashmill_report::{Cell, Column, Table};

/// The comparison `cycles`: the cost of a block in every implementation.
pub struct Cycles;

impl CyclesSummary {
    fn unit(&self) -> String {
        let rate = self.ticks_per_second.map(|rate| format!("{:.1} MHz, measured", rate / 1e6));
        let rate = rate.unwrap_or_default();
        match self.counted {
            Counted::CoreCycles => "cycles that the core ran, by performance events".to_string(),
            Counted::Ticks => format!("ticks of the time-stamp counter ({rate})"),
            Counted::Nothing => "time only: this machine has no cycle counter".to_string(),
        }
    }
}

impl Comparison for Cycles {
    const NAME: &'static str = "cycles";
    type KernelRow = CyclesRow;
    type Summary = CyclesSummary;

    fn view(document: &Document<CyclesRow, CyclesSummary>) -> View {
        let summary = &document.summary;
        let notes = vec![
            format!("Block size: {}", summary.block_bytes),
            format!("Iterations: {}", summary.iterations),
            format!("Units: {}", summary.unit()),
        ];
        let mut tables = vec![costs(document)];
        tables.extend(instruction_sets(&document.rows, summary.counted));
        tables.extend(matrix(&document.rows));
        let charts = charts(&document.rows, summary.counted);
        View { title: "Cycles for a block".to_string(), notes, tables, charts }
    }
}

fn costs(document: &Document<CyclesRow, CyclesSummary>) -> Table {
    let reference = document.summary.reference.as_ref();
    let against = document.rows.iter().find(|row| reference.is_some_and(|reference| row.is(reference)));
    let columns = [
        Column::words("algorithm"),
        Column::words("implementation"),
        Column::number("lanes"),
        Column::number("cycles"),
        Column::number("cycles/i"),
        Column::number("cycles/B"),
        Column::number("ns/i"),
        Column::measured("± 95 %", "ns"),
        Column::measured("processor", "s"),
        Column::number("ns/B"),
        Column::number("MiB/s"),
        Column::number(against.map_or("perf".to_string(), |row| format!("perf vs {}", row.name()))),
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
            (row.processor_s, 3).into(),
            Cell::Number(row.ns_per_byte, 4),
            Cell::Number(row.mib_per_second, 1),
            ratio(row),
        ]);
    }
    table
}

fn ratio(row: &CyclesRow) -> Cell {
    match row.perf_vs {
        Some(ratio) => compared(ratio).into(),
        None if !row.digest_right => "wrong digest".into(),
        None => Cell::Empty,
    }
}

/// Formats a ratio: `1.141 (+14 %)`.
fn compared(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    if percent.abs() < 0.5 { format!("{ratio:.3}") } else { format!("{ratio:.3} ({percent:+.0} %)") }
}

/// Returns the cost of one message on every supported instruction set; `None` if no algorithm has more than one.
fn instruction_sets(rows: &[CyclesRow], counted: Counted) -> Option<Table> {
    let wanted = |row: &&CyclesRow| row.origin != Origin::Calibration && row.lanes == 1 && row.digest_right;
    let alone: Vec<&CyclesRow> = rows.iter().filter(wanted).collect();
    let of =
        |row: &CyclesRow| alone.iter().copied().filter(|other| other.algo == row.algo).collect::<Vec<_>>();
    let several: Vec<&CyclesRow> = alone.iter().copied().filter(|row| of(row).len() > 1).collect();
    let columns = [
        Column::words("algorithm"),
        Column::words("instructions"),
        Column::number(counted.a_byte()),
        Column::number("ns/B"),
        Column::number("MiB/s"),
        Column::number("× portable"),
    ];
    let mut table = Table::new("One message at a time, by instruction set", columns);
    for row in &several {
        let plain = of(row).into_iter().find(|other| other.implementation.starts_with("portable"));
        let cost = if counted == Counted::Nothing { Some(row.ns_per_byte) } else { row.cycles_per_byte };
        table.push([
            row.name().into(),
            row.implementation.as_str().into(),
            (cost, 3).into(),
            Cell::Number(row.ns_per_byte, 4),
            Cell::Number(row.mib_per_second, 1),
            (plain.map(|plain| plain.ns_per_iteration / row.ns_per_iteration), 2).into(),
        ]);
    }
    (!several.is_empty()).then_some(table)
}

/// Returns the ratios of all pairs of algorithms for one message; `None` if there is only one, or more than fit on a
/// screen.
fn matrix(rows: &[CyclesRow]) -> Option<Table> {
    const MOST: usize = 8;
    let ranked = |row: &&CyclesRow| row.origin != Origin::Calibration && row.digest_right && row.lanes == 1;
    let mut firsts: Vec<&CyclesRow> = Vec::new();
    for row in rows.iter().filter(ranked) {
        if firsts.iter().all(|first| first.algo != row.algo) {
            firsts.push(row);
        }
    }
    if !(2..=MOST).contains(&firsts.len()) {
        return None;
    }
    let columns = firsts.iter().map(|row| Column::number(row.name()));
    let caption = "perf vs: the cost of the row over that of the column, one message at a time";
    let mut table = Table::new(caption, [Column::words("")].into_iter().chain(columns));
    for row in &firsts {
        let ratios = firsts.iter().map(|column| compared(row.cost() / column.cost()).into());
        table.push([row.name().into()].into_iter().chain(ratios));
    }
    Some(table)
}
