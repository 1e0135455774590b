//! The view of `bench sizes`.

use super::chart::charts;
use super::result::{SizesRow, SizesSummary, Whose, sizes};
use crate::comparison::Comparison;
use crate::document::Document;
use crate::timed::{commands, milliseconds, shown_bytes};
use crate::view::View;
use hashmill_report::{Cell, Column, Table};

/// The comparison `sizes`: tools side by side, for each algorithm and file size.
pub struct Sizes;

impl Comparison for Sizes {
    const NAME: &'static str = "sizes";
    type KernelRow = SizesRow;
    type Summary = SizesSummary;

    fn view(document: &Document<SizesRow, SizesSummary>) -> View {
        let mut fastest =
            Table::new("Fastest tools", [Column::words("ratio of mean times ± its standard deviation")]);
        for ranking in &document.summary.rankings {
            fastest.push([ranking.sentence().into()]);
        }
        let mut ranked = Table::new(
            "Algorithms against each other",
            [Column::words("ratio of mean times ± its standard deviation")],
        );
        for ranking in &document.summary.algorithms {
            ranked.push([ranking.sentence().into()]);
        }
        View {
            title: "Algorithms and file sizes".to_string(),
            notes: document.summary.conditions.notes(),
            tables: vec![
                fastest,
                ranked,
                places(&document.rows),
                figures(&document.rows),
                commands(document.rows.iter().map(|row| &row.timed)),
            ],
            charts: charts(&document.rows),
        }
    }
}

fn places(rows: &[SizesRow]) -> Table {
    let columns = [
        Column::words("size"),
        Column::words("by"),
        Column::number("place"),
        Column::words("algorithm"),
        Column::measured("mean", "ms"),
        Column::measured("± 95 %", "ms"),
        Column::number("times the fastest"),
    ];
    let mut table = Table::new("Places of algorithms by size", columns);
    for (size, whose) in sizes(rows).into_iter().flat_map(|size| [(size, Whose::Ours), (size, Whose::Others)])
    {
        let best = whose.best(rows, size);
        let mean = |row: &SizesRow| row.timed.seconds.map(|seconds| seconds.mean);
        for (at, row) in best.iter().enumerate() {
            let times = mean(row).zip(mean(best[0])).map(|(own, fastest)| own / fastest);
            table.push([
                shown_bytes(size).into(),
                whose.name().into(),
                (at + 1).into(),
                whose.called(row).into(),
                milliseconds(mean(row)),
                milliseconds(row.timed.interval().map(|mean| mean.error)),
                (times, 2).into(),
            ]);
        }
    }
    table
}

fn figures(rows: &[SizesRow]) -> Table {
    let columns = [
        Column::words("algorithm"),
        Column::words("size"),
        Column::words("tool"),
        Column::measured("mean", "ms"),
        Column::measured("σ", "ms"),
        Column::measured("min", "ms"),
        Column::measured("median", "ms"),
        Column::measured("max", "ms"),
        Column::measured("user", "ms"),
        Column::measured("system", "ms"),
        Column::measured("rate", "MB/s"),
        Column::words("remark"),
    ];
    let mut table = Table::new("Times of a run", columns);
    for row in rows {
        let timed = &row.timed;
        let seconds = timed.seconds;
        let rate = seconds.map(|seconds| row.size_bytes as f64 / seconds.mean / 1e6);
        table.push([
            row.algorithm.as_str().into(),
            shown_bytes(row.size_bytes).into(),
            timed.tool.as_str().into(),
            milliseconds(seconds.map(|seconds| seconds.mean)),
            milliseconds(seconds.map(|seconds| seconds.stddev)),
            milliseconds(seconds.map(|seconds| seconds.min)),
            milliseconds(seconds.map(|seconds| seconds.median)),
            milliseconds(seconds.map(|seconds| seconds.max)),
            milliseconds(timed.user),
            milliseconds(timed.system),
            Cell::from((rate, 0)),
            timed.remark().into(),
        ]);
    }
    table
}
