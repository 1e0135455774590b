//! The charts of `bench cycles`.

use super::result::{Counted, CyclesRow};
use crate::implementation::Origin;
use hashmill_report::{Axis, Chart, Point, Series};

/// Draws the cost of a byte: one chart for one message at a time, one for many at once.
pub(super) fn charts(rows: &[CyclesRow], counted: Counted) -> Vec<Chart> {
    let groups = [("One message at a time", true), ("Many messages at once", false)];
    let chart = |(title, alone): (&str, bool)| {
        let wanted = |row: &&CyclesRow| row.origin != Origin::Calibration && row.digest_right;
        let rows: Vec<&CyclesRow> =
            rows.iter().filter(wanted).filter(|row| (row.lanes == 1) == alone).collect();
        (!rows.is_empty()).then(|| bars(title, &rows, counted))
    };
    groups.into_iter().filter_map(chart).collect()
}

/// Draws marks on a logarithmic scale: checksums and cryptographic hashes differ by a factor of a hundred.
fn bars(title: &str, rows: &[&CyclesRow], counted: Counted) -> Chart {
    let block = rows.first().map_or(0, |row| row.block_bytes);
    let title = format!("{title}, blocks of {block} bytes: less is better");
    let names = rows.iter().map(|row| format!("{} {}", row.name(), row.implementation));
    let points = rows.iter().enumerate().map(|(at, row)| point(at, row));
    Chart::bars(title, Axis::names("", names), Axis::log("cost of a byte", counted.a_byte()))
        .with(Series::new("", points))
}

/// Returns the cost of a byte. The interval is that of the time, which is proportional to cycles.
fn point(at: usize, row: &CyclesRow) -> Point {
    let value = row.cycles_per_byte.unwrap_or(row.ns_per_byte);
    let share = row.ns_per_iteration_ci95.unwrap_or(0.0) / row.ns_per_iteration;
    Point::between(at as f64, value, value * (1.0 - share).max(0.01), value * (1.0 + share))
}
