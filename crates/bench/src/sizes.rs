//! Algorithms × file sizes, through our command and every tool that has the algorithm.

use crate::comparison::Comparison;
use crate::stage::{Conditions, Stage, doubts, named, until_interrupted};
use crate::timed::{Ranking, Timed, milliseconds, shown_bytes};
use crate::view::{Cell, Column, Table, View};
use crate::{Document, charts};
use hashloom_digest::Algorithm;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fs;
use std::io;

/// Tools side by side, for each algorithm and file size.
pub struct Sizes;

/// What is to be measured.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The algorithms, in the order of the result.
    pub algorithms: Vec<&'static Algorithm>,
    /// Bytes of the files.
    pub sizes: Vec<u64>,
}

/// One tool on one file with one algorithm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The algorithm.
    pub algorithm: String,
    /// Bytes of the file.
    pub size_bytes: u64,
    /// The tool, and what it took.
    #[serde(flatten)]
    pub timed: Timed,
}

/// What follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// How it was measured.
    pub conditions: Conditions,
    /// For each algorithm and size, who was fastest and by how much.
    pub rankings: Vec<Ranking>,
}

/// Measures, one size after another, so that one file is there at a time.
///
/// # Errors
/// If a file can't be made. An interrupt is no error: what was measured until then is in the document.
pub fn measure(
    stage: &mut Stage<'_>,
    wanted: &Wanted,
    timestamp: String,
) -> io::Result<Document<Row, Summary>> {
    let mut rows = Vec::new();
    until_interrupted(wanted.sizes.iter().try_for_each(|size| one_size(stage, wanted, *size, &mut rows)))?;
    rows.sort_by_key(|row: &Row| wanted.algorithms.iter().position(|known| known.name == row.algorithm));
    let rankings = rankings(&rows);
    let mut document =
        Document::here(Sizes::NAME, timestamp, rows, Summary { conditions: stage.conditions(), rankings });
    document.interrupted = stage.cancelled();
    document.warnings = doubts(document.rows.iter().map(|row| &row.timed));
    document.more.insert("results".to_string(), results(&document.rows));
    Ok(document)
}

fn one_size(stage: &mut Stage<'_>, wanted: &Wanted, size: u64, rows: &mut Vec<Row>) -> io::Result<()> {
    let file = stage.place.join(format!("{size}-bytes"));
    stage.make_file(&file, size)?;
    for algorithm in &wanted.algorithms {
        if stage.cancelled() {
            break;
        }
        let entries = stage.on_file(&[algorithm.name], &file);
        let timed = stage.race(entries, &[algorithm], std::slice::from_ref(&file))?;
        let row = |timed| Row { algorithm: algorithm.name.to_string(), size_bytes: size, timed };
        rows.extend(timed.into_iter().map(row));
    }
    fs::remove_file(&file).map_err(|error| named(&file, error))
}

/// Rows of one algorithm and size stand together.
fn rankings(rows: &[Row]) -> Vec<Ranking> {
    let works = rows.chunk_by(|a, b| (&a.algorithm, a.size_bytes) == (&b.algorithm, b.size_bytes));
    let ranking = |work: &[Row]| {
        let name = format!("{}, {}", work[0].algorithm, shown_bytes(work[0].size_bytes));
        Ranking::of(name, work.iter().map(|row| &row.timed))
    };
    works.filter_map(ranking).collect()
}

/// What hyperfine's `--export-json` would have written for the same runs.
fn results(rows: &[Row]) -> Value {
    let results = rows.iter().filter_map(|row| {
        let seconds = row.timed.seconds?;
        Some(json!({
            "command": row.timed.command,
            "mean": seconds.mean,
            // hyperfine knows no deviation of a single run.
            "stddev": (seconds.count > 1).then_some(seconds.stddev),
            "median": seconds.median,
            "user": row.timed.user,
            "system": row.timed.system,
            "min": seconds.min,
            "max": seconds.max,
            "times": row.timed.times,
            "exit_codes": vec![0; row.timed.times.len()],
            // One parameter alone, because its scripts draw results over the only one.
            "parameters": { "size": row.size_bytes.to_string() },
        }))
    });
    results.collect()
}

impl Comparison for Sizes {
    const NAME: &'static str = "sizes";
    type Row = Row;
    type Summary = Summary;

    fn view(document: &Document<Row, Summary>) -> View {
        let mut fastest = Table::new("Who is fastest", [Column::text("mean time ± standard deviation")]);
        for ranking in &document.summary.rankings {
            fastest.push([ranking.sentence().into()]);
        }
        View {
            title: "Algorithms and file sizes".to_string(),
            notes: document.summary.conditions.notes(),
            tables: vec![fastest, figures(&document.rows)],
            charts: charts::sizes(&document.rows),
        }
    }
}

fn figures(rows: &[Row]) -> Table {
    let columns = [
        Column::text("algorithm"),
        Column::text("size"),
        Column::text("tool"),
        Column::number("mean", "ms"),
        Column::number("σ", "ms"),
        Column::number("min", "ms"),
        Column::number("median", "ms"),
        Column::number("max", "ms"),
        Column::number("user", "ms"),
        Column::number("system", "ms"),
        Column::number("rate", "MB/s"),
        Column::text("remark"),
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
