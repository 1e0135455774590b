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
    let columns = [
        Column::words("kind"),
        Column::number("files"),
        Column::measured("all", "MB"),
        Column::measured("mean", "KB"),
        Column::measured("smallest", "KB"),
        Column::measured("largest", "KB"),
    ];
    let mut table = Table::new("Kinds of files", columns);
    for kind in kinds {
        let kilobytes = |bytes: u64| Cell::Number(bytes as f64 / 1e3, 1);
        table.push([
            if kind.ending.is_empty() { "(no ending)".into() } else { kind.ending.as_str().into() },
            kind.files.into(),
            Cell::Number(kind.bytes as f64 / 1e6, 2),
            kilobytes(kind.bytes / kind.files.max(1) as u64),
            kilobytes(kind.least),
            kilobytes(kind.most),
        ]);
    }
    table
}

/// Returns the times of an experiment. Differences are relative to the first ranked way with the same algorithm.
fn table(experiment: Experiment, rows: &[&CorpusRow], bytes: u64) -> Table {
    let columns = [
        Column::words("algorithm"),
        Column::words("way"),
        Column::measured("mean", "s"),
        Column::measured("± 95 %", "s"),
        Column::measured("difference from the first", "%"),
        Column::measured("user", "s"),
        Column::measured("system", "s"),
        Column::measured("rate", "MB/s"),
        Column::words("remark"),
        Column::code("command"),
    ];
    // The title of the first run already says so.
    let cold = experiment != Experiment::FirstRun && rows.iter().any(|row| row.cold);
    let caption = if cold { ": files are not in memory" } else { "" };
    let mut table = Table::new(format!("{}{caption}", experiment.title()), columns);
    for row in rows {
        let mean = row.timed.mean().map(|(mean, _)| mean);
        let first = rows.iter().filter(|other| other.algorithm == row.algorithm);
        let first = first.filter_map(|other| other.timed.mean()).map(|(mean, _)| mean).next();
        let difference = mean.zip(first).map(|(mean, first)| (mean / first - 1.0) * 100.0);
        table.push([
            row.algorithm.as_str().into(),
            row.timed.tool.as_str().into(),
            Cell::from((mean, 3)),
            Cell::from((row.timed.interval().map(|mean| mean.error), 3)),
            difference.map_or(Cell::Empty, |percent| format!("{percent:+.1}").into()),
            Cell::from((row.timed.user, 3)),
            Cell::from((row.timed.system, 3)),
            Cell::from((mean.map(|mean| bytes as f64 / mean / 1e6), 0)),
            row.timed.remark().into(),
            row.timed.command.as_str().into(),
        ]);
    }
    table
}

/// Returns extrapolated times for a terabyte at these rates; `None` if no digests were measured. Comparisons of all
/// files with all take quadratic time, so they are not extrapolated.
fn terabyte(rows: &[CorpusRow], bytes: u64) -> Option<Table> {
    let columns = [
        Column::words("experiment"),
        Column::words("algorithm"),
        Column::words("way"),
        Column::measured("1 TB, extrapolated", "h"),
        Column::measured("± 95 %", "h"),
    ];
    let caption = "EXTRAPOLATED, not measured: 1 TB of such files, if no disk and no heat slowed it down";
    let mut table = Table::new(caption, columns);
    let wanted = [
        Experiment::Methods,
        Experiment::FirstRun,
        Experiment::SecondRun,
        Experiment::Processes,
        Experiment::LikenessDigests,
    ];
    for row in rows.iter().filter(|row| wanted.contains(&row.experiment)) {
        let Some((mean, margin)) = row.timed.mean() else { continue };
        let hours = |seconds: f64| Cell::Number(seconds * TERABYTE / bytes.max(1) as f64 / 3600.0, 3);
        table.push([
            row.experiment.name().into(),
            row.algorithm.as_str().into(),
            row.timed.tool.as_str().into(),
            hours(mean),
            hours(margin),
        ]);
    }
    (!table.rows.is_empty()).then_some(table)
}
