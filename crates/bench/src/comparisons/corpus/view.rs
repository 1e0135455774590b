//! The view of `bench corpus`.

use super::chart::charts;
use super::result::{CorpusRow, CorpusSummary, Experiment, ExtensionFiles};
use crate::comparison::Comparison;
use crate::document::Document;
use crate::timed::shown_bytes;
use crate::view::View;
use hashmill_report::{Cell, Column, Table};

/// The comparison `corpus`: the experiments of the paper on parallel hashing.
pub struct Corpus;

/// The number of bytes for extrapolated times, as in the paper.
const TERABYTE: f64 = 1e12;

impl Comparison for Corpus {
    const NAME: &'static str = "corpus";
    type KernelRow = CorpusRow;
    type Summary = CorpusSummary;

    fn view(document: &Document<CorpusRow, CorpusSummary>) -> View {
        let CorpusSummary { conditions, files, bytes, kinds, .. } = &document.summary;
        let mut notes = vec![format!("{files} files, {}", shown_bytes(*bytes))];
        notes.extend(conditions.notes());
        let of = |experiment| {
            document.rows.iter().filter(move |row| row.experiment == experiment).collect::<Vec<_>>()
        };
        let tables = Experiment::ALL.into_iter().filter_map(|experiment| {
            let rows = of(experiment);
            (!rows.is_empty()).then(|| table(experiment, &rows, *bytes))
        });
        let mut tables: Vec<Table> = tables.collect();
        tables.extend(terabyte(&document.rows, *bytes));
        if !kinds.is_empty() {
            tables.insert(0, by_kind(kinds));
        }
        View {
            title: "Hashing a corpus in parallel".to_string(),
            notes,
            tables,
            charts: charts(&document.rows),
        }
    }
}

fn by_kind(kinds: &[ExtensionFiles]) -> Table {
    let kilobytes = |bytes: u64| Cell::Number(bytes as f64 / 1e3, 1);
    Table::of(kinds)
        .column(Column::words("kind"), |kind| match kind.ending.as_str() {
            "" => "(no ending)",
            ending => ending,
        })
        .column(Column::number("files"), |kind| kind.files)
        .column(Column::measured("all", "MB"), |kind| Cell::Number(kind.bytes as f64 / 1e6, 2))
        .column(Column::measured("mean", "KB"), |kind| kilobytes(kind.bytes / kind.files.max(1) as u64))
        .column(Column::measured("smallest", "KB"), |kind| kilobytes(kind.least))
        .column(Column::measured("largest", "KB"), |kind| kilobytes(kind.most))
        .captioned("Kinds of files")
}

/// Returns the times of an experiment. Differences are relative to the first ranked way with the same algorithm.
fn table(experiment: Experiment, rows: &[&CorpusRow], bytes: u64) -> Table {
    let mean = |row: &CorpusRow| row.timed.mean().map(|(mean, _)| mean);
    let difference = |row: &CorpusRow| {
        let first = rows.iter().filter(|other| other.algorithm == row.algorithm).find_map(|row| mean(row));
        mean(row).zip(first).map(|(mean, first)| format!("{:+.1}", (mean / first - 1.0) * 100.0))
    };
    // The title of the first run already says so.
    let cold = experiment != Experiment::FirstRun && rows.iter().any(|row| row.cold);
    let caption = if cold { ": files are not in memory" } else { "" };
    Table::of(rows.iter().copied())
        .column(Column::words("algorithm"), |row| row.algorithm.as_str())
        .column(Column::words("way"), |row| row.timed.tool.as_str())
        .column(Column::measured("mean", "s"), |row| Cell::number(mean(row), 3))
        .column(Column::measured("± 95 %", "s"), |row| Cell::number(row.timed.margin(), 3))
        .column(Column::measured("difference from the first", "%"), difference)
        .column(Column::measured("user", "s"), |row| Cell::number(row.timed.user, 3))
        .column(Column::measured("system", "s"), |row| Cell::number(row.timed.system, 3))
        .column(Column::measured("rate", "MB/s"), |row| {
            Cell::number(mean(row).map(|mean| bytes as f64 / mean / 1e6), 0)
        })
        .column(Column::words("remark"), |row| row.timed.remark())
        .column(Column::code("command"), |row| row.timed.command.as_str())
        .captioned(format!("{}{caption}", experiment.title()))
}

/// Returns extrapolated times for a terabyte at these rates; `None` if no digests were measured. Comparisons of all
/// files with all take quadratic time, so they are not extrapolated.
fn terabyte(rows: &[CorpusRow], bytes: u64) -> Option<Table> {
    let wanted = [
        Experiment::Methods,
        Experiment::FirstRun,
        Experiment::SecondRun,
        Experiment::Processes,
        Experiment::LikenessDigests,
    ];
    let hours = |seconds: f64| Cell::Number(seconds * TERABYTE / bytes.max(1) as f64 / 3600.0, 3);
    let rows = rows.iter().filter(|row| wanted.contains(&row.experiment));
    let table = Table::of(rows.filter_map(|row| Some((row, row.timed.mean()?))))
        .column(Column::words("experiment"), |(row, _)| row.experiment.name())
        .column(Column::words("algorithm"), |(row, _)| row.algorithm.as_str())
        .column(Column::words("way"), |(row, _)| row.timed.tool.as_str())
        .column(Column::measured("1 TB, extrapolated", "h"), |(_, (mean, _))| hours(mean))
        .column(Column::measured("± 95 %", "h"), |(_, (_, margin))| hours(margin))
        .captioned("EXTRAPOLATED, not measured: 1 TB of such files, if no disk and no heat slowed it down");
    (!table.rows.is_empty()).then_some(table)
}
