//! The chart of `bench throughput`.

use super::candidate::Mode;
use super::result::ThroughputRow;
use hashmill_report::{Axis, Chart, Point, Series};

/// Draws hashes per second: a group of bars for each algorithm and number of threads, a colour for each kind of code.
pub(super) fn charts(rows: &[ThroughputRow]) -> Vec<Chart> {
    let rows: Vec<&ThroughputRow> = rows.iter().filter(|row| row.digest_right).collect();
    let Some(first) = rows.first() else { return Vec::new() };
    let mut groups: Vec<(&str, usize)> = Vec::new();
    for row in &rows {
        let group = (row.algo.as_str(), row.threads);
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    let names = groups.iter().map(|(algo, threads)| match threads {
        1 => format!("{algo}, 1 thread"),
        threads => format!("{algo}, {threads} threads"),
    });
    let title = format!("Hashes a second, messages of {} bytes: more is better", first.input_bytes);
    let chart = Chart::bars(title, Axis::names("", names), Axis::linear("rate", "million hashes/s"));
    let kinds = [
        ("one a call", Mode::Single, false),
        ("many a call", Mode::Batch, false),
        ("one a call, portable", Mode::Single, true),
        ("many a call, portable", Mode::Batch, true),
    ];
    let series = kinds.map(|(name, mode, portable)| {
        let of = rows.iter().filter(|row| (row.mode, row.portable) == (mode, portable));
        let place =
            |row: &ThroughputRow| groups.iter().position(|group| *group == (row.algo.as_str(), row.threads));
        Series::new(name, of.filter_map(|row| Some(point(place(row)?, row))))
    });
    vec![series.into_iter().filter(|series| !series.points.is_empty()).fold(chart, Chart::with)]
}

fn point(at: usize, row: &ThroughputRow) -> Point {
    let [value, margin] = [row.hashes_per_sec, row.hashes_per_sec_ci95.unwrap_or(0.0)].map(|rate| rate / 1e6);
    Point::between(at as f64, value, (value - margin).max(0.0), value + margin)
}
