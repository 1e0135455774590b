//! The view of `bench tools`.

use super::chart::charts;
use super::correctness::{Agreement, Correctness};
use super::result::{Extrapolated, Speedup, ToolsPart, ToolsRow, ToolsSummary};
use crate::comparison::Comparison;
use crate::document::Document;
use crate::stage::WARM;
use crate::timed::{commands, milliseconds, shown_bytes};
use crate::view::View;
use hashmill_report::{Cell, Column, Table};

/// The comparison `tools`: whole tools side by side.
pub struct Tools;

impl Comparison for Tools {
    const NAME: &'static str = "tools";
    type KernelRow = ToolsRow;
    type Summary = ToolsSummary;

    fn view(document: &Document<ToolsRow, ToolsSummary>) -> View {
        let of = |part| document.rows.iter().filter(move |row| row.part == part);
        let summary = &document.summary;
        let speedups = &summary.speedups;
        let mark =
            if summary.conditions.cache == WARM { "" } else { ", files not in memory before each run" };
        let mut tables = vec![
            figures(format!("One large file{mark}"), of(ToolsPart::Large), speedups),
            figures(format!("Many small files{mark}"), of(ToolsPart::Small), speedups),
            figures(format!("Several algorithms at once{mark}"), of(ToolsPart::Several), speedups),
        ];
        if let Some(means) = &summary.disk {
            let caption = format!("Disk-bound: one large file, not in memory before each run ({means})");
            tables.push(figures(caption, of(ToolsPart::Disk), speedups));
        }
        tables.extend([
            correctness(&summary.correctness),
            agreements(&summary.digests),
            tebibyte(&summary.extrapolated),
            commands(document.rows.iter().map(|row| &row.timed)),
        ]);
        View {
            title: "Tools side by side".to_string(),
            notes: summary.conditions.notes(),
            tables,
            charts: charts(&document.rows),
        }
    }
}

/// The sizes of files whose digests are shown; results have all.
const SHOWN: [u64; 3] = [0, 1024, 1 << 20];

fn agreements(rows: &[Agreement]) -> Table {
    let columns = [
        Column::words("algorithm"),
        Column::words("file"),
        Column::words("printed by"),
        Column::words("not by"),
        Column::code("digest"),
    ];
    let mut table = Table::new("Digests of the correctness test", columns);
    for row in rows.iter().filter(|row| SHOWN.contains(&row.bytes)) {
        table.push([
            row.algorithm.as_str().into(),
            shown_bytes(row.bytes).into(),
            row.printed_by.join(", ").into(),
            row.missed_by.join(", ").into(),
            row.digest.as_str().into(),
        ]);
    }
    table
}

fn figures<'a>(caption: String, rows: impl Iterator<Item = &'a ToolsRow>, speedups: &[Speedup]) -> Table {
    let columns = [
        Column::words("algorithm"),
        Column::words("work"),
        Column::words("tool"),
        Column::measured("mean", "ms"),
        Column::measured("± 95 %", "ms"),
        Column::measured("processors", "ms"),
        Column::measured("rate", "MB/s"),
        Column::measured("a file", "µs"),
        Column::words("times as long as hashmill, ± 95 %"),
        Column::words("remark"),
    ];
    let mut table = Table::new(caption, columns);
    for row in rows {
        let mean = row.timed.mean();
        let speedup =
            speedups.iter().find(|found| found.work() == row.work() && found.tool == row.timed.tool);
        table.push([
            row.algorithms.as_str().into(),
            row.shown_work().into(),
            row.timed.tool.as_str().into(),
            milliseconds(mean.map(|(mean, _)| mean)),
            milliseconds(row.timed.interval().map(|mean| mean.error)),
            milliseconds(row.timed.processor()),
            Cell::from((mean.map(|(mean, _)| row.bytes as f64 / mean / 1e6), 0)),
            Cell::from((mean.map(|(mean, _)| mean * 1e6 / row.files as f64), 1)),
            speedup.map_or(Cell::Empty, ratio),
            row.timed.remark().into(),
        ]);
    }
    table
}

/// Formats a ratio: "1.64 ± 0.33"; for single runs without an interval.
fn ratio(found: &Speedup) -> Cell {
    match found.ci95 {
        Some(margin) => format!("{:.2} ± {margin:.2}", found.ratio).into(),
        None => format!("{:.2}", found.ratio).into(),
    }
}

fn correctness(rows: &[Correctness]) -> Table {
    let columns = [
        Column::words("algorithm"),
        Column::words("tool"),
        Column::measured("right", "files"),
        Column::words("wrong for"),
        Column::words("remark"),
    ];
    let mut table = Table::new("Correct digests, of files of 0 B to 1 MiB", columns);
    for row in rows {
        let wrong: Vec<String> = row.wrong_sizes.iter().map(|size| shown_bytes(*size)).collect();
        table.push([
            row.algorithm.as_str().into(),
            row.tool.as_str().into(),
            row.right.into(),
            wrong.join(", ").into(),
            row.note.clone().unwrap_or_default().into(),
        ]);
    }
    table
}

fn tebibyte(rows: &[Extrapolated]) -> Table {
    let columns = [
        Column::words("algorithm"),
        Column::words("tool"),
        Column::measured("1 TiB, extrapolated", "minutes"),
        Column::measured("± 95 %", "minutes"),
        Column::words("from the rate of"),
    ];
    let caption = "EXTRAPOLATED, not measured: 1 TiB, if no disk and no heat slowed it down";
    let mut table = Table::new(caption, columns);
    for row in rows {
        table.push([
            row.algorithm.as_str().into(),
            row.tool.as_str().into(),
            Cell::Number(row.seconds / 60.0, 1),
            Cell::Number(row.ci95 / 60.0, 1),
            format!("one file of {}", shown_bytes(row.from_bytes)).into(),
        ]);
    }
    table
}
