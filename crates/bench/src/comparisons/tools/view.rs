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
    Table::of(rows.iter().filter(|row| SHOWN.contains(&row.bytes)))
        .column(Column::words("algorithm"), |row| row.algorithm.as_str())
        .column(Column::words("file"), |row| shown_bytes(row.bytes))
        .column(Column::words("printed by"), |row| row.printed_by.join(", "))
        .column(Column::words("not by"), |row| row.missed_by.join(", "))
        .column(Column::code("digest"), |row| row.digest.as_str())
        .captioned("Digests of the correctness test")
}

fn figures<'a>(caption: String, rows: impl Iterator<Item = &'a ToolsRow>, speedups: &[Speedup]) -> Table {
    let mean = |row: &ToolsRow| row.timed.mean().map(|(mean, _)| mean);
    let speedup = |row: &ToolsRow| {
        let mut found = speedups.iter().filter(|found| found.work() == row.work());
        found.find(|found| found.tool == row.timed.tool).map(ratio)
    };
    Table::of(rows)
        .column(Column::words("algorithm"), |row| row.algorithms.as_str())
        .column(Column::words("work"), ToolsRow::shown_work)
        .column(Column::words("tool"), |row| row.timed.tool.as_str())
        .column(Column::measured("mean", "ms"), |row| milliseconds(mean(row)))
        .column(Column::measured("± 95 %", "ms"), |row| milliseconds(row.timed.margin()))
        .column(Column::measured("processors", "ms"), |row| milliseconds(row.timed.processor()))
        .column(Column::measured("rate", "MB/s"), |row| {
            Cell::number(mean(row).map(|mean| row.bytes as f64 / mean / 1e6), 0)
        })
        .column(Column::measured("a file", "µs"), |row| {
            Cell::number(mean(row).map(|mean| mean * 1e6 / row.files as f64), 1)
        })
        .column(Column::words("times as long as hashmill, ± 95 %"), speedup)
        .column(Column::words("remark"), |row| row.timed.remark())
        .captioned(caption)
}

/// Formats a ratio: "1.64 ± 0.33"; for single runs without an interval.
fn ratio(found: &Speedup) -> String {
    match found.ci95 {
        Some(margin) => format!("{:.2} ± {margin:.2}", found.ratio),
        None => format!("{:.2}", found.ratio),
    }
}

fn correctness(rows: &[Correctness]) -> Table {
    let wrong = |row: &Correctness| {
        row.wrong_sizes.iter().map(|size| shown_bytes(*size)).collect::<Vec<_>>().join(", ")
    };
    Table::of(rows)
        .column(Column::words("algorithm"), |row| row.algorithm.as_str())
        .column(Column::words("tool"), |row| row.tool.as_str())
        .column(Column::measured("right", "files"), |row| row.right)
        .column(Column::words("wrong for"), wrong)
        .column(Column::words("remark"), |row| row.note.clone().unwrap_or_default())
        .captioned("Correct digests, of files of 0 B to 1 MiB")
}

fn tebibyte(rows: &[Extrapolated]) -> Table {
    Table::of(rows)
        .column(Column::words("algorithm"), |row| row.algorithm.as_str())
        .column(Column::words("tool"), |row| row.tool.as_str())
        .column(Column::measured("1 TiB, extrapolated", "minutes"), |row| Cell::Number(row.seconds / 60.0, 1))
        .column(Column::measured("± 95 %", "minutes"), |row| Cell::Number(row.ci95 / 60.0, 1))
        .column(Column::words("from the rate of"), |row| {
            format!("one file of {}", shown_bytes(row.from_bytes))
        })
        .captioned("EXTRAPOLATED, not measured: 1 TiB, if no disk and no heat slowed it down")
}
