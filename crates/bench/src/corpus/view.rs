//! The view of `bench corpus`.

use super::chart::charts;
use super::result::{Experiment, Row, Summary};
use crate::comparison::Comparison;
use crate::document::Document;
use crate::timed::{commands, shown_bytes};
use crate::view::View;
use hashloom_report::{Cell, Column, Table};

/// The experiments of the paper on hashing in parallel.
pub struct Corpus;

impl Comparison for Corpus {
    const NAME: &'static str = "corpus";
    type Row = Row;
    type Summary = Summary;

    fn view(document: &Document<Row, Summary>) -> View {
        let Summary { conditions, files, bytes, .. } = &document.summary;
        let mut notes = vec![format!("{files} files, {}", shown_bytes(*bytes))];
        notes.extend(conditions.notes());
        let tables = Experiment::ALL.into_iter().filter_map(|experiment| {
            let rows: Vec<&Row> = document.rows.iter().filter(|row| row.experiment == experiment).collect();
            (!rows.is_empty()).then(|| table(experiment, &rows, *bytes))
        });
        View {
            title: "Hashing a corpus in parallel".to_string(),
            notes,
            tables: tables.chain([commands(document.rows.iter().map(|row| &row.timed))]).collect(),
            charts: charts(&document.rows),
        }
    }
}

fn table(experiment: Experiment, rows: &[&Row], bytes: u64) -> Table {
    let columns = [
        Column::words("algorithm"),
        Column::words("way"),
        Column::measured("mean", "s"),
        Column::measured("± 95 %", "s"),
        Column::measured("user", "s"),
        Column::measured("system", "s"),
        Column::measured("rate", "MB/s"),
        Column::words("remark"),
    ];
    let mut table = Table::new(experiment.title(), columns);
    for row in rows {
        let mean = row.timed.mean();
        table.push([
            row.algorithm.as_str().into(),
            row.timed.tool.as_str().into(),
            Cell::from((mean.map(|(mean, _)| mean), 3)),
            Cell::from((row.timed.interval().map(|mean| mean.error), 3)),
            Cell::from((row.timed.user, 3)),
            Cell::from((row.timed.system, 3)),
            Cell::from((mean.map(|(mean, _)| bytes as f64 / mean / 1e6), 0)),
            row.timed.remark().into(),
        ]);
    }
    table
}
