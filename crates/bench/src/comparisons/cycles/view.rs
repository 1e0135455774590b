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
    let perf = against.map_or("perf".to_string(), |row| format!("perf vs {}", row.name()));
    Table::of(&document.rows)
        .column(Column::words("algorithm"), CyclesRow::name)
        .column(Column::words("implementation"), |row| row.implementation.as_str())
        .column(Column::number("lanes"), |row| row.lanes)
        .column(Column::number("cycles"), |row| row.cycles)
        .column(Column::number("cycles/i"), |row| Cell::number(row.cycles_per_iteration, 0))
        .column(Column::number("cycles/B"), |row| Cell::number(row.cycles_per_byte, 3))
        .column(Column::number("ns/i"), |row| Cell::Number(row.ns_per_iteration, 1))
        .column(Column::measured("± 95 %", "ns"), |row| Cell::number(row.ns_per_iteration_ci95, 1))
        .column(Column::measured("processor", "s"), |row| Cell::number(row.processor_s, 3))
        .column(Column::number("ns/B"), |row| Cell::Number(row.ns_per_byte, 4))
        .column(Column::number("MiB/s"), |row| Cell::Number(row.mib_per_second, 1))
        .column(Column::number(perf), ratio)
        .captioned("")
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
    let cost = |row: &CyclesRow| match counted {
        Counted::Nothing => Some(row.ns_per_byte),
        _ => row.cycles_per_byte,
    };
    let speedup = |row: &CyclesRow| {
        let plain = of(row).into_iter().find(|other| other.implementation.starts_with("portable"));
        plain.map(|plain| plain.ns_per_iteration / row.ns_per_iteration)
    };
    let table = Table::of(several.iter().copied())
        .column(Column::words("algorithm"), CyclesRow::name)
        .column(Column::words("instructions"), |row| row.implementation.as_str())
        .column(Column::number(counted.a_byte()), |row| Cell::number(cost(row), 3))
        .column(Column::number("ns/B"), |row| Cell::Number(row.ns_per_byte, 4))
        .column(Column::number("MiB/s"), |row| Cell::Number(row.mib_per_second, 1))
        .column(Column::number("× portable"), |row| Cell::number(speedup(row), 2))
        .captioned("One message at a time, by instruction set");
    (!several.is_empty()).then_some(table)
}

/// Returns the ratios of all pairs of algorithms for one message; `None` if there is only one, or more than fit on a
/// screen.
fn matrix(rows: &[CyclesRow]) -> Option<Table> {
    const MAX_ROWS: usize = 8;
    let ranked = |row: &&CyclesRow| row.origin != Origin::Calibration && row.digest_right && row.lanes == 1;
    let mut firsts: Vec<&CyclesRow> = Vec::new();
    for row in rows.iter().filter(ranked) {
        if firsts.iter().all(|first| first.algo != row.algo) {
            firsts.push(row);
        }
    }
    if !(2..=MAX_ROWS).contains(&firsts.len()) {
        return None;
    }
    let names = Table::of(firsts.iter().copied()).column(Column::words(""), CyclesRow::name);
    let table = firsts.iter().fold(names, |table, column| {
        table.column(Column::number(column.name()), |row| compared(row.cost() / column.cost()))
    });
    Some(table.captioned("perf vs: the cost of the row over that of the column, one message at a time"))
}
