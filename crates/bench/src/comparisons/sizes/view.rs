//! The view of `bench sizes`.

use super::chart::charts;
use super::result::{SizesRow, SizesSummary, Whose, sizes};
use crate::comparison::Comparison;
use crate::document::Document;
use crate::measure::stats::Statistics;
use crate::timed::{Ranking, commands, milliseconds, shown_bytes};
use crate::view::View;
use hashmill_report::{Cell, Column, Table};

/// The comparison `sizes`: tools side by side, for each algorithm and file size.
pub struct Sizes;

impl Comparison for Sizes {
    const NAME: &'static str = "sizes";
    type KernelRow = SizesRow;
    type Summary = SizesSummary;

    fn view(document: &Document<SizesRow, SizesSummary>) -> View {
        let sentences = |rankings: &[Ranking], caption: &str| {
            let column = Column::words("ratio of mean times ± its standard deviation");
            Table::of(rankings).column(column, Ranking::sentence).captioned(caption)
        };
        View {
            title: "Algorithms and file sizes".to_string(),
            notes: document.summary.conditions.notes(),
            tables: vec![
                sentences(&document.summary.rankings, "Fastest tools"),
                sentences(&document.summary.algorithms, "Algorithms against each other"),
                places(&document.rows),
                figures(&document.rows),
                commands(document.rows.iter().map(|row| &row.timed)),
            ],
            charts: charts(&document.rows),
        }
    }
}

fn places(rows: &[SizesRow]) -> Table {
    let mean = |row: &SizesRow| row.timed.seconds.map(|seconds| seconds.mean);
    let groups = sizes(rows).into_iter().flat_map(|size| [(size, Whose::Ours), (size, Whose::Others)]);
    let placed = groups.flat_map(|(size, whose)| {
        let best = whose.best(rows, size);
        let fastest = best.first().and_then(|first| mean(first));
        best.into_iter().enumerate().map(move |(at, row)| (whose, at + 1, row, fastest))
    });
    let times = |row: &SizesRow, fastest| mean(row).zip(fastest).map(|(own, fastest)| own / fastest);
    Table::of(placed)
        .column(Column::words("size"), |(_, _, row, _)| shown_bytes(row.size_bytes))
        .column(Column::words("by"), |(whose, ..)| whose.name())
        .column(Column::number("place"), |(_, place, ..)| place)
        .column(Column::words("algorithm"), |(whose, _, row, _)| whose.called(row))
        .column(Column::measured("mean", "ms"), |(_, _, row, _)| milliseconds(mean(row)))
        .column(Column::measured("± 95 %", "ms"), |(_, _, row, _)| milliseconds(row.timed.margin()))
        .column(Column::number("times the fastest"), |(_, _, row, fastest)| {
            Cell::number(times(row, fastest), 2)
        })
        .captioned("Places of algorithms by size")
}

fn figures(rows: &[SizesRow]) -> Table {
    let of = |row: &SizesRow, part: fn(Statistics) -> f64| milliseconds(row.timed.seconds.map(part));
    let rate = |row: &SizesRow| row.timed.seconds.map(|seconds| row.size_bytes as f64 / seconds.mean / 1e6);
    Table::of(rows)
        .column(Column::words("algorithm"), |row| row.algorithm.as_str())
        .column(Column::words("size"), |row| shown_bytes(row.size_bytes))
        .column(Column::words("tool"), |row| row.timed.tool.as_str())
        .column(Column::measured("mean", "ms"), |row| of(row, |seconds| seconds.mean))
        .column(Column::measured("σ", "ms"), |row| of(row, |seconds| seconds.stddev))
        .column(Column::measured("min", "ms"), |row| of(row, |seconds| seconds.min))
        .column(Column::measured("median", "ms"), |row| of(row, |seconds| seconds.median))
        .column(Column::measured("max", "ms"), |row| of(row, |seconds| seconds.max))
        .column(Column::measured("user", "ms"), |row| milliseconds(row.timed.user))
        .column(Column::measured("system", "ms"), |row| milliseconds(row.timed.system))
        .column(Column::measured("rate", "MB/s"), |row| Cell::number(rate(row), 0))
        .column(Column::words("remark"), |row| row.timed.remark())
        .captioned("Times of a run")
}
